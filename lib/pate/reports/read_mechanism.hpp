#pragma once

#include "pate/aggregators/aggregator.hpp"
#include "pate/io/json_document.hpp"

namespace pate {

/// The aggregator that the member `mechanism` of a report describes. Throws `input_error` for a
/// name it does not know and for parameters that are missing or out of range.
[[nodiscard]] Aggregator read_aggregator(const JsonValue& mechanism);

}  // namespace pate
