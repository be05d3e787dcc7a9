#pragma once

#include <span>
#include <vector>

#include "pate/accounting/rdp_entry.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/step_counts.hpp"

namespace pate {

/// The costs of steps that hold for every votes, all releasable:
///
///     improved, classic   RDP of the steps, at the best order
///     gdp                 Gaussian noise only: their exact composition
///     pure                Laplace noise only: the sum of pure epsilons, delta 0
///     kov                 Laplace noise of one scale only: the exact composition of its pure steps
///
/// The counts are all that must be fixed in advance: which step comes when, and on which query, may
/// depend on the answers to earlier ones. A run that takes fewer steps costs no more.
[[nodiscard]] std::vector<CostEntry> data_independent_entries(const StepCounts& steps,
                                                              std::span<const double> orders,
                                                              const OrderSearch& search,
                                                              std::vector<Notice>& notices);

}  // namespace pate
