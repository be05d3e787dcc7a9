#pragma once

#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/report.hpp"

namespace pate {

/// Adds to the account of a PTR run its exact (epsilon, delta), an entry `exact` with the
/// conversion `profile`, and the privacy profile. A query of stability q has the neighbours' q - 1,
/// q and q + 1 with the same plurality, and with q = 0 another plurality of stability 0, whose
/// answer the votes never give: deltas are outcomes like the others, not added apart. Never above
/// the cost `tradeoff`; the lower end is that of the teacher who lowers every stability. The grid
/// is coarser the longer the run is.
void add_tested_profile(const QueryCounts& query_counts, const ExactSettings& settings,
                        Account& account);

}  // namespace pate
