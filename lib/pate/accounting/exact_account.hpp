#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/accounting/teacher_costs.hpp"
#include "pate/exact/exact_run.hpp"

namespace pate {

/// Adds the exact costs of a run to its account: entries `exact` and, where the votes are
/// predictions, `exact_per_teacher` with every teacher's own epsilon, before the data-independent
/// entries; and their notices. The headline stays what it was.
///
/// Each direction is summed and converted on its own; the larger epsilon is reported with the order
/// it was found at. `exact` is minimised over the continuum of orders, `exact_per_teacher` over the
/// grid (or over `settings.orders`), so that parts of a run can be added up.
void add_exact_costs(const Run& run, const AccountSettings& settings, Account& account);

/// The sums of every teacher at orders of the grid, by order, then teacher.
using TeacherSums =
    std::function<std::vector<std::vector<TeacherSum>>(std::span<const double> orders)>;

/// The same where the parts of a run were gathered before: `costs` of its distinct queries in their
/// canonical order and, with predictions, the sums of the teachers; empty without. The account's
/// aggregator and orders must be those of the run.
void add_exact_costs(ExactRun& costs, const TeacherSums& teachers, const AccountSettings& settings,
                     Account& account);

}  // namespace pate
