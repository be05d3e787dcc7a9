#pragma once

#include <functional>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/report.hpp"

namespace pate {

/// The headline of an account after each checkpoint of its query counts. `by_checkpoint` is its
/// RDP, by order of the account and checkpoint, to find the orders with (empty for a
/// data-independent headline); `settled` what it is by checkpoint at one of these, which is what
/// counts, unless it is unset. Orders are those of the grid, but for the last point, which is the
/// headline itself; upper bounds all the same.
[[nodiscard]] std::vector<TrajectoryPoint> trajectory(
    const QueryCounts& query_counts, const Account& account,
    const std::vector<std::vector<double>>& by_checkpoint,
    const std::function<std::vector<double>(double)>& settled);

}  // namespace pate
