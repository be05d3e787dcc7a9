#pragma once

#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/report.hpp"

namespace pate {

/// Returns the headline of an account after each checkpoint of its query counts. `by_checkpoint` is
/// its RDP, by order of the account and checkpoint (empty for a data-independent headline). Orders
/// are those of the grid, but for the last point, which is the headline itself; upper bounds all
/// the same.
[[nodiscard]] std::vector<TrajectoryPoint> trajectory(
    const QueryCounts& query_counts, const Account& account,
    const std::vector<std::vector<double>>& by_checkpoint);

}  // namespace pate
