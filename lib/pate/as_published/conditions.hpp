#pragma once

#include <optional>

#include "pate/as_published/cost_curve.hpp"

namespace pate {

/// Where a function of q that should not fall does fall.
struct Descent {
  double log_q_from = 0.0;  ///< its value here ...
  double log_q_to = 0.0;    ///< ... is larger than here
};

/// The two conditions under which the local sensitivities of S18, Appendix B, are ones:
///
///     C5   beta(q) is non-decreasing on [0, q0],
///     C6   beta(B_U(q)) - beta(q) is non-decreasing on [0, q1].
///
/// They depend on sigma, order and the number of classes, and do not always hold.
struct CurveConditions {
  std::optional<Descent> c5_fails;  ///< the first place found; none: C5 holds
  std::optional<Descent> c6_fails;

  [[nodiscard]] bool c5() const { return !c5_fails; }
  [[nodiscard]] bool c6() const { return !c6_fails; }
};

/// Checks both conditions for q down to `lowest_log_q` (what an ensemble can reach: its unanimous
/// histogram) on an adaptive grid. A cell of the grid is halved until the logarithm of the function
/// rises evenly over it, or until it is narrower than 1e-6 of -log q. So a descent is missed only
/// if it lies within such a cell, or within one over which the logarithm rises evenly; and descents
/// by less than 1e-12 of the cost are taken for rounding. Costs below 1e-299 are taken as equal.
[[nodiscard]] CurveConditions check_conditions(const PublishedCostCurve& curve,
                                               double lowest_log_q);

/// Throws `validity_error` naming which condition fails, and where, unless both hold.
void require(const CurveConditions& conditions, const PublishedCostCurve& curve);

}  // namespace pate
