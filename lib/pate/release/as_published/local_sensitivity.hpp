#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/threshold_check.hpp"
#include "pate/release/as_published/cost_curve.hpp"
#include "pate/release/as_published/vote_paths.hpp"

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

/// Local sensitivity at distances d = 0..teachers-1 of the published cost of GNMax, a weighted sum
/// over histograms. S18, Algorithm 4 and Proposition 19, for one histogram:
///
///   q1 <= q <= q0   the curve's largest local sensitivity at every d;
///   q < q1          every step moves a vote from the largest to the second largest count; the
///                   curve's local sensitivity there, and from the first q >= q1 on the largest;
///   q > q0          every step moves a vote from the second largest count (of the moment) to the
///                   largest; the same, until q <= q0. If all votes are in one bin before that, its
///                   value stays.
///
/// Bounds on the change of the cost at distance d only where C5 and C6 hold
/// (`CurveConditions`). Within 1e-10 of the curve's, relative to the result. The result
/// depends neither on the order of the histograms nor on the number of threads.
/// Domain: histograms of `teachers` votes each and of as many classes as the curve has.
[[nodiscard]] std::vector<double> published_noisy_max_sensitivity(
    const PublishedCostCurve& curve, const WeightedHistograms& histograms, std::int64_t teachers,
    unsigned threads);

/// log q of GNMax for the unanimous histogram, the smallest that `teachers` can reach.
[[nodiscard]] double unanimous_log_q(double sigma, std::int64_t classes, std::int64_t teachers);

}  // namespace pate
