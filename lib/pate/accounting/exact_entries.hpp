#pragma once

#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/bounds/direction.hpp"
#include "pate/rdp/optimal_order.hpp"

namespace pate {

// Epsilons from RDP that is known by direction: each direction is converted on its own, at the
// order that is best for it, and the larger epsilon is the cost.

/// The conversions that are reported, in their order.
[[nodiscard]] std::span<const ReportedConversion> exact_conversions();

/// Epsilons at an order, by conversion, then direction (forward, reverse).
[[nodiscard]] std::vector<double> exact_epsilons(const BothDirections& rdp, double order,
                                                 double delta);

/// The entries of a bound, one a conversion, from the best orders of `exact_epsilons`. Adds the
/// notices of a clamp at zero and of an infinite epsilon. `spent`: whether anything was, else the
/// entries are zero without an order.
[[nodiscard]] std::vector<CostEntry> exact_entries(Bound bound, std::span<const OptimalOrder> best,
                                                   bool spent, double delta,
                                                   std::vector<Notice>& notices);

}  // namespace pate
