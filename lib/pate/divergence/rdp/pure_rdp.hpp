#pragma once

namespace pate {

/// Renyi DP at an order > 1 of any (epsilon, 0)-DP mechanism: that of the randomized response with
/// likelihood ratio e^epsilon, which dominates all of them,
///
///     log( cosh((order - 1/2) epsilon) / cosh(epsilon / 2) ) / (order - 1),
///
/// rounded outwards, and at most epsilon. epsilon >= 0.
[[nodiscard]] double pure_rdp(double epsilon, double order);

}  // namespace pate
