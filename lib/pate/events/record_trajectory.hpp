#pragma once

#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/events/record_entries.hpp"

namespace pate {

/// The headline of a record's account after each of its events; between the ends at orders of the
/// grid, which is never below. Empty for fewer than two events or more than 1,000, where numbers
/// were drawn, where queries come from answers of others, and for a headline that is neither RDP
/// for any votes or of the trade-off bound nor a composition of Gaussian steps.
[[nodiscard]] std::vector<TrajectoryPoint> record_trajectory(const RecordQuestion& asked,
                                                             const Record& record,
                                                             const CostEntry& headline);

}  // namespace pate
