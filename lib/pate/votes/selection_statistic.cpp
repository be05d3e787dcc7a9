#include "pate/votes/selection_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pate {

std::int32_t top_count(std::span<const std::int32_t> histogram) {
  return histogram.empty() ? 0 : *std::max_element(histogram.begin(), histogram.end());
}

std::int32_t interactive_statistic(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores, std::int64_t teachers) {
  std::int64_t largest = 0;
  for (std::size_t j = 0; j < histogram.size(); ++j) {
    const double expected = static_cast<double>(teachers) * scores[j];
    const auto rounded = static_cast<std::int64_t>(std::ceil(expected - 0.5));
    largest = std::max(largest, histogram[j] - rounded);
  }
  return static_cast<std::int32_t>(std::min(largest, teachers));
}

}  // namespace pate
