#pragma once

namespace pate {

/// The relative outward margin every cost gets, once, where it is computed: several times the worst
/// error of the formulas' evaluation, so that a reported cost is never below the true bound, and
/// small enough that it is never more than 1e-9 above.
inline constexpr double kCostMargin = 3e-10;

/// Costs are reported as at least this where they are not exactly zero: smaller ones underflow.
inline constexpr double kSmallestCost = 1e-300;

/// The margin of exact costs, which are divergences themselves and computed to 1e-11: never more
/// than 1e-10 above.
inline constexpr double kExactCostMargin = 5e-11;

/// The stated outward rounding of a computed cost that is not exactly zero.
[[nodiscard]] inline double with_margin(double cost, double margin = kCostMargin) {
  const double outward = cost * (1.0 + margin);
  return outward > kSmallestCost ? outward : kSmallestCost;
}

}  // namespace pate
