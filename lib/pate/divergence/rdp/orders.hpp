#pragma once

#include <functional>
#include <span>
#include <vector>

namespace pate {

/// The common grid of Renyi orders: 1.01 to 10,000, dense between 2 and 64, where optima of vote
/// aggregation lie. Reports tabulate RDP on it, and results that are added up later share it.
[[nodiscard]] std::span<const double> default_orders();

/// 2, 3, ... 9: the moments 1 to 8 that S17 looks at.
[[nodiscard]] std::span<const double> moment_orders();

/// The orders that may be asked for. Nearer to 1 an order has no digits left beyond 1; beyond the
/// highest no run has its best order, and integrals over the noise run out of doubles.
inline constexpr double kLowestOrder = 1.0 + 1e-9;
inline constexpr double kHighestOrder = 1e9;
/// Below the grid the best order is looked for down to here: tiny costs have it there.
inline constexpr double kLowestSearchedOrder = 1.0 + 1e-6;

/// The orders sorted, without repetitions. Throws `parameter_error` unless there is at least one
/// and every order is from `kLowestOrder` to `kHighestOrder`.
[[nodiscard]] std::vector<double> validated_orders(std::vector<double> orders);

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

/// The epsilons of a batch of orders: for every order as many as there are functions.
using EpsilonsAtOrders =
    std::function<std::vector<std::vector<double>>(std::span<const double> orders)>;

/// The best orders of several epsilons at once, for costs that are dear to evaluate and cheaper in
/// batches: each epsilon is (c(order) + term) / (order - 1) with a convex c, so it is first falling
/// and then rising, and its minimum is between the neighbours of the smallest value seen.
///
/// The search begins at `hints` > 1, around the first, stays between `kLowestSearchedOrder` and the
/// largest default order, is content with an epsilon of 0, and ends when no parabola through three
/// neighbours promises more than 1e-11 of epsilon. Where a wall is near (a cost that leaps up, or
/// is infinite) it halves the intervals instead, to 1e-5 relative in order - 1. Every value it
/// returns is an evaluated one; NaN counts as infinite. Domain: at least one hint.
[[nodiscard]] std::vector<OptimalOrder> optimal_orders_in_batches(std::span<const double> hints,
                                                                  std::size_t functions,
                                                                  const EpsilonsAtOrders& evaluate);

/// The same among given orders only: all are evaluated.
[[nodiscard]] std::vector<OptimalOrder> optimal_orders_among(std::span<const double> orders,
                                                             std::size_t functions,
                                                             const EpsilonsAtOrders& evaluate);

}  // namespace pate
