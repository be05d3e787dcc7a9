#pragma once

#include <cstdint>

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

/// What the votes of a shard must fit.
struct ShardSize {
  std::int64_t teachers = 0, classes = 0, queries = 0;
};

/// The member `exact` of the partials: distinct queries as groups of classes with equal counts, as
/// columns, and with predictions the sums of the teachers in fixed point and, of few, who voted for
/// what. They read back exactly;
/// the reader throws `input_error` where groups or counts do not fit the size.
void fields(FieldWriter& a, const ExactPartials& partials, const ShardSize& size);
void fields(FieldReader& a, ExactPartials& partials, const ShardSize& size);

}  // namespace pate::reports
