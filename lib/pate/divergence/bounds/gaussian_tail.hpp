#pragma once

namespace pate {

/// log of the excess moment of a tail:
///
///     log Integral_x^inf phi(y) g(m y - m^2/2) dy,      g = power_excess(., order),
///
/// where e^(m y - m^2/2) is the likelihood ratio of N(m,1) to N(0,1) at y. This is what the points
/// of the tail add to sum P^order P'^(1-order) - 1. A lower tail is the upper tail of the mirror
/// image: pass (-x, -m). Domain: order > 1, m != 0. Relative accuracy of the excess about 1e-11 in
/// the worst case (the switch between closed form and quadrature), usually 1e-14; of an x that is
/// no number it is +inf, the most that there is.
[[nodiscard]] double log_gaussian_tail_excess(double x, double m, double order);

}  // namespace pate
