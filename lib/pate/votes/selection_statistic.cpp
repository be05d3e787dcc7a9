#include "pate/votes/selection_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pate {

std::int32_t top_count(std::span<const std::int32_t> histogram) {
  if (histogram.empty()) return 0;
  // Not max_element, which compilers take one by one.
  std::int32_t largest = histogram.front();
  for (const std::int32_t count : histogram) largest = std::max(largest, count);
  return largest;
}

std::int64_t expected_votes(double score, std::int64_t teachers) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(teachers) * score - 0.5));
}

std::int32_t interactive_statistic(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores, std::int64_t teachers) {
  std::int64_t largest = 0;
  for (std::size_t j = 0; j < histogram.size(); ++j) {
    largest = std::max(largest, histogram[j] - expected_votes(scores[j], teachers));
  }
  return static_cast<std::int32_t>(std::min(largest, teachers));
}

}  // namespace pate
