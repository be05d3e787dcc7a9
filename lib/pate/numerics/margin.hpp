#pragma once

namespace pate {

// How far numbers that were computed are moved outwards, and why: every room for rounding that is
// left anywhere in the library. A reported cost or epsilon is never below what was meant and less
// than 1e-9 above it; where the improved conversion takes away most of an RDP, 1e-9 of that RDP.

/// Costs, once, where they are computed: several times the worst error of the formulas' evaluation.
inline constexpr double kCostMargin = 3e-10;

/// Exact costs, which are divergences themselves and computed to 1e-11: never more than 1e-10
/// above.
inline constexpr double kExactCostMargin = 5e-11;

/// Costs are reported as at least this where they are not exactly zero: smaller ones underflow.
inline constexpr double kMinCost = 1e-300;

/// An epsilon from a root of delta(epsilon), without RDP: delta is known to 1e-12 and the root to
/// 2^-48, so that this is many times what is lost.
inline constexpr double kEpsilonMargin = 2e-10;

/// The few operations of a conversion from RDP, relative to its terms: twice what they can lose.
inline constexpr double kConversionRounding = 2e-15;

/// The optimal conversion, relative to what it subtracts: many times what its logarithms lose.
inline constexpr double kOptimalRounding = 1e-11;

/// The error of the difference of two costs, as a share of the larger: each is rounded outwards by
/// up to 1e-9.
inline constexpr double kCostDifferenceMargin = 2e-9;

/// Compensated sums of sensitivities, which no order of the queries may lower.
inline constexpr double kSensitivitySumMargin = 1e-10;

/// A released epsilon: the sensitivity is larger, and its smoothness worse, by this.
inline constexpr double kReleaseMargin = 1e-9;

/// Plain sums over the votes or the orders of a grid, of up to 2^12 terms.
inline constexpr double kSumMargin = 1e-12;

/// A point of a tuning, beside the epsilon of an account: more than orders between those of the
/// tuning's grid and rounding can make a difference by when the best order happens to be one of
/// them.
inline constexpr double kGridOrderMargin = 1e-9;

/// A point of a tuning that sums over nodes of q: more than interpolation makes a difference by,
/// also to the order at which the search ends.
inline constexpr double kNodeMargin = 4e-10;

/// The stated outward rounding of a computed cost that is not exactly zero.
[[nodiscard]] inline double with_margin(double cost, double margin = kCostMargin) {
  const double outward = cost * (1.0 + margin);
  return outward <= kMinCost ? kMinCost : outward;  // NaN stays
}

}  // namespace pate
