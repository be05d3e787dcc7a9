#pragma once

#include "pate/accounting/account.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// Adds what a run of PTR's sparse forms costs on these votes (`SparseOutcomes`): entries
/// `tradeoff` of all steps, before the data-independent ones, and their RDP at the account's
/// orders. Reads the votes once more.
void add_sparse_costs(const Run& run, const AccountSettings& settings, Account& account);

}  // namespace pate
