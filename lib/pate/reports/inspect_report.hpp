#pragma once

#include <string>

#include "pate/inspection/inspection.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// The report `pate/inspect/v1` as JSON text, two spaces of indentation, ending in a newline.
/// Layout and dtype are those of the input "votes", which `context` must have. Numbers read back to
/// the same double.
[[nodiscard]] std::string inspect_report_json(const Inspection& inspection,
                                              const ReportContext& context);

}  // namespace pate
