#pragma once

#include <cstdint>

namespace pate {

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
