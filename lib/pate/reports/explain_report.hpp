#pragma once

#include <string>

#include "pate/accounting/explanation.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// The report `pate/explain/v1` as JSON text, two spaces of indentation, ending in a newline.
/// Numbers read back to the same double; infinities and NaN become null.
[[nodiscard]] std::string explain_report_json(const Explanation& explanation,
                                              const ReportContext& context);

}  // namespace pate
