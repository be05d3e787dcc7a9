#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/release/declared/budget_test.hpp"

namespace pate {

/// The costs of a run at the orders of an `order_cell`, within distances enough for all of it.
using CostsAtOrders = std::function<const RunCosts&(const OrderCell& cell)>;

/// The smallest epsilon at which a run passes the test of a certificate with each of some
/// probabilities, the first of a scan in steps of 0.001: the probability does not only rise with
/// epsilon, since that of a fixed level falls. None where no epsilon up to `largest` does. The scan
/// begins in the cell of orders at which the costs allow the run itself, or, of complex orders, in
/// one whose first epsilon does not pass; an epsilon of an earlier cell, whose orders suit it less,
/// is not looked for. Private: an epsilon that is chosen by these
/// numbers is no longer declared beforehand.
[[nodiscard]] std::vector<std::optional<double>> smallest_declared(
    const DeclaredBudget& like, const CertificateRule& rule, std::span<const double> passes,
    const CostsAtOrders& costs, double largest = kLargestDeclaredEpsilon);

/// The same with the orders given, whatever epsilon, and none looked for below `least`, for which
/// there are costs within enough distances.
[[nodiscard]] std::vector<std::optional<double>> smallest_declared_at(
    const DeclaredBudget& like, std::span<const double> passes, const RunCosts& costs,
    const TestOrders& orders, double step, double least = kLeastDeclaredEpsilon,
    double largest = kLargestDeclaredEpsilon);

}  // namespace pate
