#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "pate/release/curve/costs_within_distance.hpp"
#include "support/votes.hpp"

namespace pate_test {

/// What the threshold is compared with: the largest count, less the student's scores in votes where
/// there is one.
inline std::int64_t statistic_of(const pate::CostSpec& question,
                                 std::span<const std::int32_t> scores, const Histogram& counts) {
  std::int32_t most = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    most = std::max(most, counts[j] - (question.aggregator.interactive ? scores[j] : 0));
  }
  return std::min<std::int64_t>(most, question.teachers);
}

}  // namespace pate_test
