#include "pate/release/as_published/vote_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kMinProbability = 1e-250;
// What all further classes together may add without being looked at, relative.
constexpr double kNegligible = 1e-17;

}  // namespace

double WeightedHistograms::total_weight() const {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return weights[i] < weights[j]; });
  CompensatedSum sum;
  for (const std::size_t i : order) {
    for (std::int64_t k = 0; k < times[i]; ++k) sum.add(weights[i]);
  }
  return sum.value();
}

WeightedHistograms weighted_histograms(const Run& run, GuaranteeKind reading,
                                       const DistinctQueries& counted) {
  const bool selects = run.aggregator.refuses();
  if (reading != GuaranteeKind::expected && reading != GuaranteeKind::realized) {
    throw parameter_error(fmt::format(
        "histograms are weighted for the readings expected and realized, not {}", name(reading)));
  }
  require(!selects || reading != GuaranteeKind::realized || run.decisions,
          "the reading realized needs decisions: which queries were answered");
  WeightedHistograms result;
  result.classes = static_cast<std::size_t>(run.votes.classes());
  for (std::size_t i = 0; i < counted.keys.size(); ++i) {
    const auto key = counted.keys[i];
    const DistinctQueries::Times times = counted.times(i);
    const bool by_decision = selects && reading == GuaranteeKind::realized;
    result.counts.insert(result.counts.end(), key.begin() + 1, key.end());
    result.counts.resize((i + 1) * result.classes, 0);
    result.weights.push_back(
        selects && !by_decision ? std::exp(log_answered(*run.aggregator.answer_rule(), key.front()))
                                : 1.0);
    result.times.push_back(by_decision ? times.answered : times.count);
  }
  return result;
}

VoteChains::VoteChains(const WeightedHistograms& histograms) : classes_(histograms.classes) {
  const auto row = [&](std::size_t i) {
    return std::span(histograms.counts).subspan(i * classes_, classes_);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < histograms.weights.size(); ++i) {
    if (histograms.weights[i] > 0.0 && histograms.times[i] > 0) order.push_back(i);
  }
  // By the counts from the third on, then the largest first, then weight: rows that compare equal
  // are interchangeable.
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const auto a = row(i);
    const auto b = row(j);
    const auto [x, y] = std::mismatch(a.begin() + 2, a.end(), b.begin() + 2);
    if (x != a.end()) return *x < *y;
    if (a[0] != b[0]) return a[0] > b[0];
    if (a[1] != b[1]) return a[1] > b[1];
    return histograms.weights[i] < histograms.weights[j];
  });
  for (const std::size_t i : order) {
    const auto counts = row(i);
    const std::size_t links = weights_.size();
    const auto last = std::span(counts_).last(links == 0 ? 0 : classes_);
    std::int64_t times = histograms.times[i];
    if (links > 0 && std::equal(counts.begin(), counts.end(), last.begin())) {
      for (; times > 0; --times) weights_.back() += histograms.weights[i];
      continue;
    }
    if (links == 0 || !std::equal(counts.begin() + 2, counts.end(), last.begin() + 2) ||
        counts[0] + counts[1] != last[0] + last[1]) {
      first_.push_back(links);
    }
    counts_.insert(counts_.end(), counts.begin(), counts.end());
    weights_.push_back(histograms.weights[i]);
    for (; times > 1; --times) weights_.back() += histograms.weights[i];
  }
  first_.push_back(weights_.size());
}

GapTerms::GapTerms(const GaussianNoisyMax& mechanism, std::int64_t teachers) {
  for (std::int64_t gap = 0; gap <= teachers; ++gap) {
    log_terms_.push_back(log_pair_probability(mechanism, gap));
    terms_.push_back(std::exp(log_terms_.back()));
  }
}

double GapTerms::log_q(std::span<const Gap> gaps, double classes_behind, std::int64_t shift) const {
  const auto index = [shift](const Gap& gap) {
    return static_cast<std::size_t>(gap.votes + shift);
  };
  const auto sum = [&](const auto& term) {
    double total = 0.0;
    double left = classes_behind;
    for (const Gap& gap : gaps) {
      const double one = term(index(gap));
      if (left * one < kNegligible * total) break;
      total += gap.classes * one;
      left -= gap.classes;
    }
    return total;
  };
  const double cap = std::log1p(-1.0 / (classes_behind + 1.0));
  const std::size_t nearest = index(gaps.front());
  if (terms_[nearest] > kMinProbability) {
    return std::min(std::log(sum([this](std::size_t i) { return terms_[i]; })), cap);
  }
  const double largest = log_terms_[nearest];
  return largest + std::log(sum([&](std::size_t i) { return std::exp(log_terms_[i] - largest); }));
}

}  // namespace pate
