#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/tally.hpp"

namespace pate {

/// Which costs may be the headline; unset picks by the default order of reports.
struct HeadlineChoice {
  std::optional<Reading> reading;
  std::optional<ReportedConversion> conversion;
};

/// Position of the headline: the first cost, in the order of the entries, that the choice allows;
/// the smallest where all hold for any votes. Unless it is chosen, a realized reading is none, and
/// of private costs the conversion is the improved one. Throws `parameter_error` naming the costs
/// there are where none is allowed.
[[nodiscard]] std::size_t headline_of(std::span<const CostEntry> costs,
                                      const HeadlineChoice& choice);

/// What a reader must know of the headline, costs[headline]: that it must not be published, that a
/// cost that may be is no larger, that it is an expectation, holds at a fixed order or in one
/// direction only.
void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline,
                          std::vector<Notice>& notices);

/// The headline of an account after each of the tally's checkpoints. `by_checkpoint` is its RDP, by
/// order of the account and checkpoint (empty for a data-independent headline). Orders are those of
/// the grid, but for the last point, which is the headline itself; upper bounds all the same.
[[nodiscard]] std::vector<TrajectoryPoint> trajectory(
    const Tally& tally, const Account& account,
    const std::vector<std::vector<double>>& by_checkpoint);

}  // namespace pate
