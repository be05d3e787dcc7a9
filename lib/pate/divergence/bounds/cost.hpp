#pragma once

#include <cmath>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

// The excess of a direction is the Renyi moment less one, sum P^order P'^(1-order) - 1; the cost of
// the direction is log(1 + excess) / (order - 1).

/// Which of the two divergences between the run on the votes, M(D), and the run on a neighbour,
/// M(D'), is meant. (epsilon, delta) speaks of both.
enum class Direction {
  forward,  ///< D(M(D) || M(D')), what the papers bound
  reverse,  ///< D(M(D') || M(D))
};

/// One number for each direction.
struct BothDirections {
  double forward = 0.0;
  double reverse = 0.0;

  [[nodiscard]] double larger() const { return max_or_nan(forward, reverse); }
  [[nodiscard]] double of(Direction direction) const {
    return direction == Direction::forward ? forward : reverse;
  }
};

/// The larger number in each direction; NaN where either is.
[[nodiscard]] inline BothDirections larger_of(const BothDirections& a, const BothDirections& b) {
  return {max_or_nan(a.forward, b.forward), max_or_nan(a.reverse, b.reverse)};
}

/// An excess below this is held by a double with room for the sums it takes part in.
inline constexpr double kMaxLinearExcess = 1e290;

/// Whether a double holds the excess with all its digits.
[[nodiscard]] inline bool fits_double(double excess) {
  return excess > 1e-290 && excess < kMaxLinearExcess;
}

/// The cost of an excess, rounded outwards and at most `cap`, which an excess that is not a number
/// costs.
[[nodiscard]] double cost_of_log_excess(double log_excess, double order, double cap,
                                        double margin = kCostMargin);

/// The same where the excess itself is at hand and `fits_double`.
[[nodiscard]] inline double cost_of_excess(double excess, double order, double cap) {
  const double cost = with_margin(std::log1p(excess) / (order - 1.0));
  return cost < cap ? cost : cap;
}

}  // namespace pate
