#pragma once

#include <cmath>
#include <limits>
#include <utility>

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

/// Guesses the `alpha` of a problem from those of the two before, on a line in the order or log q.
class NearbySplit {
 public:
  /// NaN before the first.
  [[nodiscard]] double at(double x) const {
    const double line = alpha_ + (alpha_ - alpha_before_) * (x - x_) / (x_ - x_before_);
    return std::isfinite(line) ? line : alpha_;
  }
  void found(double x, double alpha) {
    x_before_ = std::exchange(x_, x);
    alpha_before_ = std::exchange(alpha_, alpha);
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double x_before_ = kNone, alpha_before_ = kNone, x_ = kNone, alpha_ = kNone;
};

/// W for a given split: log_lower = log of the mass in the lower tail, < log_q, or -inf.
[[nodiscard]] double log_two_tail_excess(Direction direction, double log_q, double mu, double order,
                                         double log_lower);

}  // namespace pate
