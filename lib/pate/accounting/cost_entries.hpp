#pragma once

#include <span>
#include <string>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run_curve.hpp"

namespace pate {

/// One notice for each end of `orders` at which the optimum of a cost lies.
void add_order_notices(std::span<const CostEntry> costs, std::span<const double> orders,
                       bool restricted, std::vector<Notice>& notices);

/// A cost that holds for any votes and has no order; `part` names what it is the cost of.
[[nodiscard]] CostEntry data_independent_entry(EpsilonMethod conversion, double epsilon,
                                               double delta, const std::string& part);

/// Adds the costs of pure steps: the sum of their epsilons, rounded upwards, at the delta that is
/// spent apart, and for steps of one epsilon their exact composition, where delta is left for it.
void add_pure_entries(std::span<const PureSteps> steps, const OrderSearch& search,
                      const std::string& part, std::vector<CostEntry>& entries);

/// The costs of steps that hold for every votes, all releasable:
///
///     optimal             RDP of the steps, at the best order, where no step has a delta
///     improved, classic   the same, whatever steps have
///     gdp                 Gaussian noise only: their exact composition
///     pure                Laplace noise only: the sum of pure epsilons, delta 0 or that of the
///                         steps
///     kov                 Laplace noise of one scale only: the exact composition of its pure steps
///
/// Deltas of steps are added apart: entries have `wanted.delta`, of which `wanted.spent`, and the
/// steps' own delta at least, is not there for conversions.
///
/// The counts are all that must be fixed in advance: which step comes when, and on which query, may
/// depend on the answers to earlier ones. A run that takes fewer steps costs no more.
[[nodiscard]] std::vector<CostEntry> data_independent_entries(const MechanismCounts& steps,
                                                              std::span<const double> orders,
                                                              const OrderSearch& wanted,
                                                              std::vector<Notice>& notices);

}  // namespace pate
