#pragma once

#include "pate/accounting/account.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// Adds what a run of PTR's sparse form with Gaussian noise costs on these votes
/// (`SparseOutcomes`): entries `tradeoff` of all steps, before the data-independent ones, and their
/// RDP at the account's orders. Reads the votes once more. Of Laplace noise no such cost is known:
/// nothing is added.
void add_sparse_costs(const Run& run, const AccountSettings& settings, Account& account);

}  // namespace pate
