#pragma once

#include "pate/accounting/partials.hpp"
#include "pate/reports/fields.hpp"

namespace pate::reports {

/// The members `shard` and `partials` that a shard adds to its report: the distinct cost inputs and
/// how often they occur between the checkpoints of the trajectory, as columns. They tell no more
/// about the votes than the private costs of the report need.
void write_partials(FieldWriter& report, const Partials& partials);

/// Reads them back from the report of a shard, exactly. Throws `input_error` where a member is
/// missing or out of range, and where counts do not fit each other.
[[nodiscard]] Partials read_partials(const io::JsonValue& report);

}  // namespace pate::reports
