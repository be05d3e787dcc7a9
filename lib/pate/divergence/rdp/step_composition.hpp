#pragma once

#include <cstdint>

namespace pate {

// Compositions of steps that need no RDP.

/// log of the smallest delta for which a Gaussian mechanism with sensitivity mu standard deviations
/// is (epsilon, delta)-DP:
///
///     delta(epsilon) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2)
///
/// without cancellation. k Gaussian steps with sensitivities D_i and deviations s_i compose exactly
/// to mu = sqrt(sum (D_i/s_i)^2). Domain: mu > 0, epsilon >= 0. Relative accuracy of delta 1e-12.
/// Source: Balle, Wang, "Improving the Gaussian Mechanism for Differential Privacy" (2018),
/// Theorem 8.
[[nodiscard]] double log_gaussian_dp_delta(double mu, double epsilon);

/// The smallest epsilon >= 0 with delta(epsilon) <= delta, rounded outwards by less than 1e-9
/// relative; 0 where delta(0) <= delta already. Domain: mu >= 0 finite, 0 < delta < 1; throws
/// `parameter_error` otherwise.
[[nodiscard]] double gaussian_dp_epsilon(double mu, double delta);

/// The exact (epsilon, delta) of `steps`-fold adaptive composition of (step_epsilon, 0)-DP steps:
/// the smallest epsilon with
///
///     sum_i C(k,i) [ e^((k-i) s) - e^(epsilon + i s) ]_+ / (1 + e^s)^k <= delta,   s =
///     step_epsilon
///
/// No smaller number holds for every such composition. Never above k s; 0 where delta is large
/// enough. Domain: step_epsilon >= 0 finite, steps >= 0, 0 <= delta < 1 (0 gives k s);
/// `parameter_error` otherwise. Rounded outwards by less than 1e-9 relative. Time grows with the
/// square root of k. Source: Kairouz, Oh, Viswanath, "The Composition Theorem for Differential
/// Privacy", Theorem 3.3 in its continuous form.
[[nodiscard]] double composed_pure_dp_epsilon(double step_epsilon, std::int64_t steps,
                                              double delta);

}  // namespace pate
