#pragma once

#include "pate/accounting/account.hpp"
#include "pate/accounting/exact_partials.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// Adds the exact costs of a run to its account: entries `exact` and, where the votes are
/// predictions, `exact_per_teacher` with every teacher's own epsilon, before the data-independent
/// entries; and their notices. The headline stays what it was.
///
/// Each direction is summed and converted on its own; the larger epsilon is reported with the order
/// it was found at. `exact` is minimised over the continuum of orders, `exact_per_teacher` over the
/// grid, so that parts of a run can be added up; with `settings.orders` both over these, and the
/// RDP at them is filled in.
void add_exact_costs(const Run& run, const AccountSettings& settings, Account& account);

/// The same, to the bit, where the votes were read before. The account must be that of the run the
/// partials are of, its orders theirs.
void add_exact_costs(const ExactPartials& partials, const AccountSettings& settings,
                     Account& account);

}  // namespace pate
