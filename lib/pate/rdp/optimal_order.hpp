#pragma once

#include <functional>
#include <span>

namespace pate {

/// The order at which an epsilon is smallest, and that epsilon.
struct OptimalOrder {
  double order = 0.0;
  double epsilon = 0.0;
  bool at_lowest = false;   ///< the smallest order that was allowed is the best
  bool at_highest = false;  ///< the largest is
};

/// Minimises epsilon over orders: the best of a grid, then the continuum around it by Brent's
/// method in log(order - 1), to 1e-5 relative in order - 1 (1e-10 in epsilon). Every value it
/// returns is an evaluated one, so an upper bound of the minimum whatever the shape of the
/// function.
///
/// orders: increasing; epsilons: the values there; `epsilon_at` evaluates anywhere between. With
/// `grid_only` the continuum is left out. Infinite values are fine. Domain: at least one order.
[[nodiscard]] OptimalOrder optimal_order(std::span<const double> orders,
                                         std::span<const double> epsilons,
                                         const std::function<double(double)>& epsilon_at,
                                         bool grid_only);

}  // namespace pate
