#pragma once

#include <string>

#include "pate/accounting/report.hpp"
#include "pate/io/report_json.hpp"

namespace pate {

/// The report `pate/analyze/v1` as JSON text, two spaces of indentation, ending in a newline.
/// Numbers read back to the same double; infinities and NaN become null.
[[nodiscard]] std::string analyze_report_json(const Account& account, const ReportContext& context);

}  // namespace pate
