#pragma once

#include <cstdint>
#include <string>

#include "pate/accounting/partials.hpp"
#include "pate/io/json_document.hpp"

namespace pate {

/// The member `exact` of the partials of a shard: its distinct queries as groups of classes with
/// equal counts, as columns, and with predictions the sums of the teachers in fixed point.
[[nodiscard]] std::string exact_partials_json(const ExactPartials& partials);

/// What the votes of a shard must fit.
struct ShardSize {
  std::int64_t teachers = 0, classes = 0, queries = 0;
};

/// Reads it back, exactly. Throws `input_error` where a member is missing or out of range, and
/// where groups or counts do not fit the size.
[[nodiscard]] ExactPartials read_exact_partials(const JsonValue& json, const ShardSize& size);

}  // namespace pate
