#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pate/rdp/optimal_order.hpp"

namespace pate {

/// The best orders of several epsilons at once, for costs that are dear to evaluate and cheaper in
/// batches: each epsilon is (c(order) + term) / (order - 1) with a convex c, so it is first falling
/// and then rising, and its minimum is between the neighbours of the smallest value seen.
///
/// `evaluate` returns, for every order of a batch, the epsilons (as many as `functions`). The
/// search begins around `hint` > 1, stays within the default orders' range and ends when no
/// parabola through three neighbours promises more than 1e-11 of epsilon. Every value it returns is
/// an evaluated one.
[[nodiscard]] std::vector<OptimalOrder> optimal_orders_in_batches(
    double hint, std::size_t functions,
    const std::function<std::vector<std::vector<double>>(std::span<const double>)>& evaluate);

/// The same among given orders only: all are evaluated.
[[nodiscard]] std::vector<OptimalOrder> optimal_orders_among(
    std::span<const double> orders, std::size_t functions,
    const std::function<std::vector<std::vector<double>>(std::span<const double>)>& evaluate);

}  // namespace pate
