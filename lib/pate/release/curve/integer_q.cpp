#include "pate/release/curve/integer_q.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pate {

namespace {

constexpr int kQBits = 60;

}  // namespace

IntegerQ::IntegerQ(const NoisyMax& noise, std::int64_t teachers, std::int64_t classes)
    : cap_(static_cast<std::int64_t>((1.0 - 1.0 / static_cast<double>(classes)) * 0x1p60) + 1),
      terms_(static_cast<std::size_t>(teachers + 1)) {
  const LogPairTerm log_term = pair_term(noise);
  const auto upper = [&](std::int64_t gap) {
    return static_cast<std::int64_t>(
        std::ceil(std::ldexp(std::exp(log_term(gap)) * (1.0 + 1e-14), kQBits)));
  };
  std::int64_t step = 1;
  terms_.back() = upper(teachers) + 1;
  for (std::int64_t gap = teachers - 1; gap >= 0; --gap) {
    const auto i = static_cast<std::size_t>(gap);
    step = std::max(step, upper(gap) - terms_[i + 1]);
    terms_[i] = terms_[i + 1] + step;
  }
}

double IntegerQ::log_q(std::int64_t q) {
  return std::log(static_cast<double>(std::max<std::int64_t>(q, 1))) - kQBits * std::numbers::ln2;
}

std::vector<std::int64_t> IntegerQ::within(std::span<const std::int32_t> counts) const {
  std::int64_t top = counts[0];
  std::int64_t second = counts[1];
  std::vector<std::int64_t> result;
  bool tied = false;
  for (std::size_t d = 0; d < terms_.size(); ++d) {
    std::int64_t sum = cap_;
    if (!tied) {
      // Saturating: a term is at most about half of 2^60.
      sum = terms_[static_cast<std::size_t>(top - second)];
      for (std::size_t i = 2; i < counts.size() && sum < cap_; ++i) {
        sum += terms_[static_cast<std::size_t>(top - counts[i])];
      }
      sum = std::min(sum, cap_);
    }
    result.push_back(result.empty() ? sum : std::max(sum, result.back()));
    tied = tied || top - second <= 1;
    --top;
    ++second;
  }
  return result;
}

}  // namespace pate
