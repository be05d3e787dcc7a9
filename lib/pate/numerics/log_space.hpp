#pragma once

#include "pate/numerics/infinity.hpp"

namespace pate {

// Probabilities travel as natural logarithms; -inf is probability zero. Divergences travel as the
// excess of a Renyi moment over one, written as sums of terms that are never negative, so that a
// cost of 1e-130 keeps its digits.

/// log(1 - e^x) for x <= 0; -inf at x = 0. Relative accuracy 2e-16 at both ends.
[[nodiscard]] double log1mexp(double x);

/// log(e^x - 1) for x > 0; x itself where e^-x is below rounding.
[[nodiscard]] double log_expm1(double x);

/// log(e^a + e^b); either may be -inf.
[[nodiscard]] double log_add(double a, double b);

/// e^z - 1 - z >= 0, without the cancellation near z = 0. Overflows to +inf like e^z.
[[nodiscard]] double expm1_minus_x(double z);

/// The excess of a power: g = ratio^order - 1 - order (ratio - 1) with ratio = e^log_ratio.
/// It is >= 0 (Bernoulli's inequality) and, for distributions P and P',
///
///     sum_x P(x)^order P'(x)^(1-order) - 1 = sum_x P'(x) g(log(P(x)/P'(x)))
///
/// because the linear terms cancel. Domain: order > 1, log_ratio in [-inf, inf].
/// Relative accuracy about 1e-15, also near order 1. Overflows to +inf.
[[nodiscard]] double power_excess(double log_ratio, double order);

/// log of `power_excess`, finite where that overflows or underflows; -inf at log_ratio = 0.
[[nodiscard]] double log_power_excess(double log_ratio, double order);

/// log(1 + e^x), the logarithm of a moment from the logarithm of its excess.
[[nodiscard]] double log1pexp(double x);

}  // namespace pate
