#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/release/declared/declared_test.hpp"

namespace pate {

/// The costs of a run at some orders, all of a table of `declared_orders`.
using CostsAtOrders = std::function<const CostsByOrder&(std::span<const double> orders)>;

/// The smallest epsilon at which a run passes with each of some probabilities, the first of a scan
/// in steps of 0.001: the probability does not only rise with epsilon, since that of a fixed level
/// falls. None where no epsilon up to `largest` does. Private: an epsilon that is chosen by these
/// numbers is no longer declared beforehand.
[[nodiscard]] std::vector<std::optional<double>> smallest_declared(
    const DeclaredBudget& like, std::span<const double> passes, const CostsAtOrders& costs,
    double largest = kLargestDeclaredEpsilon);

/// The same with the orders given, whatever epsilon.
[[nodiscard]] std::vector<std::optional<double>> smallest_declared_at(
    const DeclaredBudget& like, std::span<const double> passes, const CostsByOrder& costs,
    const std::vector<double>& orders, double step, double largest = kLargestDeclaredEpsilon);

}  // namespace pate
