#pragma once

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/report.hpp"

namespace pate {

/// The sums of the teachers at all `orders`, as a shard keeps them, in `exact.orders` and
/// `exact.teachers`.
void fill_teacher_sums(TeacherVotes& votes, const ExactMechanism& mechanism,
                       std::span<const double> orders, unsigned threads, ExactPartials& exact);

/// Adds the exact costs of a run to its account: entries `exact` and, where the sums of teachers or
/// their `votes` (or null) are known, `exact_per_teacher` with every teacher's own epsilon, before
/// the data-independent entries; and their notices. The headline stays what it was.
///
/// Each direction is summed and converted on its own; the larger epsilon is reported with the order
/// it was found at. `exact` is minimised over the continuum of orders, `exact_per_teacher` over the
/// grid, so that parts of a run can be added up; with `search.grid_only` both over the account's
/// orders, and the RDP at them is filled in.
void add_exact_costs(const ExactPartials& partials, TeacherVotes* votes,
                     const ExactMechanism& mechanism, const OrderSearch& search, unsigned threads,
                     Account& account);

}  // namespace pate
