#pragma once

#include <string>

#include "pate/composition/compose.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// What several parts cost together as a report `pate/analyze/v1` that names its parts: JSON text,
/// two spaces of indentation, ending in a newline. The mechanism is "composed". It can be composed
/// again.
[[nodiscard]] std::string composed_report_json(const Composition& sum,
                                               const ReportContext& context);

}  // namespace pate
