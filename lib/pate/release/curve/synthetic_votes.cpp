#include "pate/release/curve/synthetic_votes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace pate {

std::vector<double> least_top_shares(std::int64_t classes) {
  std::vector<double> result;
  for (const double share : kMinTopShares) {
    if (share * static_cast<double>(classes) >= 1.0) result.push_back(share);
  }
  return result;
}

std::int32_t synthetic_top_count(std::int64_t teachers, double least, std::int64_t k,
                                 std::int64_t queries) {
  const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(queries);
  const double top = static_cast<double>(teachers) * (least + (1.0 - least) * share);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(std::llround(top), 1, teachers));
}

std::vector<TopShares> expected_top_shares(const std::optional<ThresholdCheck>& selection,
                                           std::int64_t teachers, std::int64_t classes) {
  constexpr double kWithoutThreshold = 0.75;
  constexpr double kMost = 0.95;
  constexpr double kLeastMedian = 0.4;
  constexpr double kWide = 1.0;
  constexpr double kNarrow = 3.0;
  const double share = selection
                           ? std::min(selection->threshold / static_cast<double>(teachers), kMost)
                           : kWithoutThreshold;
  const double least = 1.0 / static_cast<double>(classes);
  const double median = std::max((share - least) / (1.0 - least), kLeastMedian);
  std::vector<TopShares> result;
  for (const double its : {median, (1.0 + median) / 2.0}) {
    for (const double shape : {kWide, kNarrow}) result.push_back({shape, its});
  }
  return result;
}

namespace {

// By top counts, query by query.
template <class TopCount>
std::map<SyntheticHistogram, std::int64_t> votes_of(std::int64_t teachers, std::int64_t classes,
                                                    std::int64_t queries, const TopCount& count) {
  std::map<SyntheticHistogram, std::int64_t> result;
  for (std::int64_t k = 0; k < queries; ++k) {
    auto left = static_cast<std::int32_t>(teachers);
    const std::int32_t top = count(k);
    SyntheticHistogram counts{top};
    left -= top;
    for (std::int64_t j = 1; j < classes; ++j) {
      const bool last = j + 1 == classes;
      counts.push_back(last ? left : std::min((left + 1) / 2, top));
      left -= counts.back();
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    ++result[counts];
  }
  return result;
}

}  // namespace

std::map<SyntheticHistogram, std::int64_t> synthetic_votes(std::int64_t teachers,
                                                           std::int64_t classes, double least,
                                                           std::int64_t queries) {
  return votes_of(teachers, classes, queries,
                  [&](std::int64_t k) { return synthetic_top_count(teachers, least, k, queries); });
}

std::map<SyntheticHistogram, std::int64_t> synthetic_votes(std::int64_t teachers,
                                                           std::int64_t classes,
                                                           const TopShares& shares,
                                                           std::int64_t queries) {
  const double b = -std::log(2.0) / std::log1p(-std::pow(shares.median, shares.shape));
  const double least = 1.0 / static_cast<double>(classes);
  return votes_of(teachers, classes, queries, [&](std::int64_t k) {
    const double part = (static_cast<double>(k) + 0.5) / static_cast<double>(queries);
    const double x = std::pow(1.0 - std::pow(1.0 - part, 1.0 / b), 1.0 / shares.shape);
    const double top = static_cast<double>(teachers) * (least + (1.0 - least) * x);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(std::llround(top), 1, teachers));
  });
}

}  // namespace pate
