#pragma once

#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/tally.hpp"

namespace pate {

/// The headline of an account after each of the tally's checkpoints. `by_checkpoint` is its RDP, by
/// order of the account and checkpoint (empty for a data-independent headline). Orders are those of
/// the grid, but for the last point, which is the headline itself; upper bounds all the same.
[[nodiscard]] std::vector<TrajectoryPoint> trajectory(
    const Tally& tally, const Account& account,
    const std::vector<std::vector<double>>& by_checkpoint);

}  // namespace pate
