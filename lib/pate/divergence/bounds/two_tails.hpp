#pragma once

#include "pate/divergence/bounds/cost.hpp"

namespace pate {

// The extremal problem behind the trade-off bound. N is N(mu,1), B is N(0,1). A set of two tails,
// E = {x <= a or x >= b}, is shown point by point and its complement merged; the excess moment is
//
//     W(E) = sum over the partition of N^order B^(1-order), minus 1
//          = B(mid) g(log(N(mid)/B(mid))) + Integral_E phi g(mu x - mu^2/2),   g = power_excess.
//
// Forward, N is the run on the votes and N(E) = q; reverse, B is the run on the votes (after a
// reflection, which makes one formula of the two) and B(E) = q. The bound is the maximum of W over
// the split of q between the two tails.

/// Where the maximum lies and how large it is.
struct TwoTailMaximum {
  double log_excess;  ///< log of the maximal W; below -720 only its order of magnitude counts
  double log_lower;   ///< log of the part of q in the lower tail; -inf when there is none, log_q
                      ///< where the upper tail is minute
  double alpha;       ///< standard normal quantile of that part; -inf when there is none
};

/// The maximum of W over all splits of q.
///
/// Domain: log_q < 0 finite, mu > 0, order > 1. `start` is a guess of `alpha` (that of a nearby
/// order), or NaN.
///
/// At the maximum the two ends have equal merit, k(a) = k(b), with k the gain of showing a point
/// per unit of the constrained mass. The split that satisfies this is found by a safeguarded Newton
/// iteration on the quantile of the lower mass; what the last step may have missed is added to the
/// result, so that it errs upwards. The crossing is unique at orders of 2 and more, and where mu <=
/// sqrt 2 (README of this folder, "One maximum"). Elsewhere the result of a scan is raised to a
/// bound on all splits (`split_ceiling`), by 2e-11 at most, relative.
/// Relative accuracy about 1e-11.
[[nodiscard]] TwoTailMaximum maximize_two_tails(Direction direction, double log_q, double mu,
                                                double order, double start);

/// The maximum of W as a function of q near one q: a point to bound others from.
struct TwoTailTangent {
  TwoTailMaximum most;
  /// log of the slope, d max W / dq, from below and above. NaN unless concave.
  double log_least_slope, log_greatest_slope;
  /// What the second derivative of max W by q is at most from here to log_q + width, at most 0, in
  /// units of max W / q^2 here. NaN where max W is not proved to be concave there: at every split
  /// that can be the best one, the merit of either end must be seen to fall when mass moves to it
  /// from the other end or from the middle.
  double curvature;

  [[nodiscard]] bool is_concave() const { return curvature <= 0.0; }
};

/// `maximize_two_tails` and the slope. Domain: width >= 0, log_q + width < 0. The conditions and
/// the proof are in the README of this folder.
[[nodiscard]] TwoTailTangent two_tail_tangent(Direction direction, double log_q, double mu,
                                              double order, double start, double width);

/// W for a given split: log_lower = log of the mass in the lower tail, < log_q, or -inf.
[[nodiscard]] double log_two_tail_excess(Direction direction, double log_q, double mu, double order,
                                         double log_lower);

}  // namespace pate
