#include "pate/studies/darrm/majority_answers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate {

namespace {

// True with probability share, exactly.
bool happens(double share, BitSource& source) {
  while (share > 0.0) {
    if (share >= 1.0) return true;
    share = std::ldexp(share, 32);
    const double digit = std::floor(share);
    const auto drawn = static_cast<double>(source.bits(32));
    if (drawn != digit) return drawn < digit;
    share -= digit;
  }
  return false;
}

}  // namespace

std::int32_t draw_answer(const MajorityPlan& plan, std::int64_t ones, BitSource& source) {
  const std::int64_t all = plan.settings.teachers.teachers;
  require(ones >= 0 && ones <= all, "votes for a class must be 0 .. {}, got {}", all, ones);
  const auto coin = [&] { return static_cast<std::int32_t>(source.bits(1)); };
  if (plan.subsample > 0) {
    if (!happens(plan.scale, source)) return coin();
    std::int64_t left = ones;
    std::int64_t drawn = 0;
    for (std::int64_t i = 0; i < plan.subsample; ++i) {
      if (static_cast<std::int64_t>(source.below(static_cast<std::uint64_t>(all - i))) < left) {
        --left;
        ++drawn;
      }
    }
    return 2 * drawn > plan.subsample ? 1 : 0;  // their number is odd
  }
  const double value = signed_value(plan.gamma, all, ones);
  if (!happens(std::abs(value), source)) return coin();
  return value > 0.0 ? 1 : 0;
}

MajorityVotes expected_agreement(const MajorityPlan& plan,
                                 std::vector<std::int64_t> queries_by_ones) {
  MajorityVotes result;
  double count = 0.0;
  double sum = 0.0;
  double variance = 0.0;
  for (std::size_t l = 0; l < queries_by_ones.size(); ++l) {
    const auto queries = static_cast<double>(queries_by_ones[l]);
    const double agrees = (1.0 + std::abs(signed_value(plan.gamma, plan.settings.teachers.teachers,
                                                       static_cast<std::int64_t>(l)))) /
                          2.0;
    count += queries;
    sum += queries * agrees;
    variance += queries * agrees * (1.0 - agrees);
  }
  if (count > 0.0) {
    result.agreement = sum / count;
    result.agreement_sd = std::sqrt(variance) / count;
  }
  result.queries_by_ones = std::move(queries_by_ones);
  return result;
}

void add_accuracy(const MajorityPlan& plan, std::span<const std::int32_t> ones,
                  std::span<const std::int32_t> labels, MajorityVotes& votes) {
  const std::int64_t all = plan.settings.teachers.teachers;
  require(ones.size() == labels.size(), "{} queries need as many labels, got {}", ones.size(),
          labels.size());
  double right = 0.0;
  double variance = 0.0;
  double majority = 0.0;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (labels[i] != 0 && labels[i] != 1) {
      throw parameter_error(fmt::format("labels of two classes are 0 or 1, got {}", labels[i]));
    }
    const double sign = labels[i] == 1 ? 1.0 : -1.0;
    const double p = (1.0 + sign * signed_value(plan.gamma, all, ones[i])) / 2.0;
    right += p;
    variance += p * (1.0 - p);
    const std::int64_t lead = 2 * std::int64_t{ones[i]} - all;
    majority += lead == 0 ? 0.5 : (static_cast<double>(lead) * sign > 0.0 ? 1.0 : 0.0);
  }
  if (ones.empty()) return;
  const auto count = static_cast<double>(ones.size());
  votes.accuracy = right / count;
  votes.accuracy_sd = std::sqrt(variance) / count;
  votes.majority_accuracy = majority / count;
}

}  // namespace pate
