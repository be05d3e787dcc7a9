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

std::map<SyntheticHistogram, std::int64_t> synthetic_votes(std::int64_t teachers,
                                                           std::int64_t classes, double least,
                                                           std::int64_t queries) {
  std::map<SyntheticHistogram, std::int64_t> result;
  for (std::int64_t k = 0; k < queries; ++k) {
    auto left = static_cast<std::int32_t>(teachers);
    const std::int32_t top = synthetic_top_count(teachers, least, k, queries);
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

}  // namespace pate
