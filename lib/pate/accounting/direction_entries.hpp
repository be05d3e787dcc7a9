#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/report.hpp"
#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/rdp/orders.hpp"

// Epsilons from RDP that is known by direction: each direction is converted on its own, at the
// order that is best for it, and the larger epsilon is the cost.

namespace pate {

/// Epsilons at an order, by conversion (`fixed_conversions`), then direction (forward, reverse).
[[nodiscard]] std::vector<double> exact_epsilons(const BothDirections& rdp, double order,
                                                 double delta);

/// The orders at which to look first for the best one of costs that are nowhere above the trade-off
/// bound's: those of its entries among `costs`, else of any.
[[nodiscard]] std::vector<double> order_hints(std::span<const CostEntry> costs);

/// The best orders of so many epsilons at once: among `orders` where the search is restricted to
/// them, else around those of `costs` (`order_hints`).
[[nodiscard]] std::vector<OptimalOrder> optimal_orders(const OrderSearch& search,
                                                       std::span<const double> orders,
                                                       std::span<const CostEntry> costs,
                                                       std::size_t functions,
                                                       const EpsilonsAtOrders& evaluate);

/// The best orders of the epsilons of a run.
struct DirectionOptima {
  std::vector<OptimalOrder> best;  ///< of each of `exact_epsilons`
  bool spent = false;              ///< whether any order that was looked at has a cost
};

/// Looks for them as `optimal_orders` does; `rdp` is that of the run, at each order.
[[nodiscard]] DirectionOptima optima_by_direction(
    const std::function<std::vector<BothDirections>(std::span<const double> orders)>& rdp,
    const OrderSearch& search, std::span<const double> orders, std::span<const CostEntry> costs);

/// The entries of a bound, one a conversion, from the best orders of `exact_epsilons`, or of the
/// last conversions of it. Adds the notices of a clamp at zero and of an infinite epsilon. `spent`:
/// whether anything was, else the entries are zero without an order.
[[nodiscard]] std::vector<CostEntry> exact_entries(Bound bound, std::span<const OptimalOrder> best,
                                                   bool spent, double delta,
                                                   std::vector<Notice>& notices);

}  // namespace pate
