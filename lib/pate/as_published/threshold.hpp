#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// How many queries, or a weight of them, have one value of the selection statistic.
struct WeightedStatistic {
  std::int64_t statistic = 0;  ///< v, in 0..teachers
  double weight = 0.0;
};

/// Local sensitivity at distances d = 0..teachers-1 of the published cost of threshold checks, a
/// weighted sum over queries. With c_v the cost (threshold_published) at statistic v,
///
///     LS_v(d) = max{ |c_w+1 - c_w|, |c_w - c_w-1| : |w - v| <= d, 0 <= w <= teachers }.
///
/// Source: W19, Section 3, as a running maximum: the published scripts look at |w - v| = d alone,
/// and find nothing once v - d and v + d are both outside.
/// Domain: teachers >= 1, statistics in 0..teachers, order > 1.
[[nodiscard]] std::vector<double> published_threshold_sensitivity(
    const ThresholdCheck& check, double order, std::span<const WeightedStatistic> queries,
    std::int64_t teachers);

}  // namespace pate
