#pragma once

#include "pate/composition/part.hpp"
#include "pate/io/json_document.hpp"
#include "pate/io/report_json.hpp"

namespace pate {

/// What a report says that is needed to add it to others: one of `pate analyze` (or of `compose`),
/// `pate plan` or `pate release`. Throws `input_error` naming the file and the field for another
/// schema, for a shard, and for fields that are missing, malformed or out of range.
[[nodiscard]] Part read_part(const JsonValue& report);

/// How a composed report names it.
[[nodiscard]] ReportPart report_part(const JsonValue& report, const Part& part);

}  // namespace pate
