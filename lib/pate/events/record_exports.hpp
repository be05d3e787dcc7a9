#pragma once

#include <optional>
#include <vector>

#include "pate/divergence/pld/loss_distribution.hpp"
#include "pate/events/record_entries.hpp"

namespace pate {

// What other accountants can go on with: all events of a record as one mechanism.

/// RDP of a record at some orders.
struct RecordRdp {
  std::vector<double> orders, rdp;
};

/// RDP behind a cost entry of the record: for any votes, by the trade-off bound or exact (the
/// larger direction), at the orders of the settings and those that the record tells of. Throws
/// `input_error` where the entry is none of these, and where deltas are apart, which RDP does not
/// tell.
[[nodiscard]] RecordRdp record_rdp(const Record& record, const CostEntry& entry,
                                   const RecordSettings& settings);

/// Privacy loss distributions of a record: pessimistic estimates by direction.
struct RecordLosses {
  LossDistribution forward, reverse;
};

/// The privacy loss distributions behind a cost entry of the record: exact ones of exact entries,
/// of all others for any votes those of the Gaussian and pure steps that dominate the events, with
/// the deltas that are apart as infinite losses. Throws `input_error` where the entry is neither,
/// where an event is known by RDP alone, and where the distribution would be too much work.
[[nodiscard]] RecordLosses record_losses(const Record& record, const CostEntry& entry,
                                         const RecordSettings& settings);

}  // namespace pate
