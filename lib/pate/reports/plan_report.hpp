#pragma once

#include <string>

#include "pate/planning/plan.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// The report `pate/plan/v1` as JSON text, two spaces of indentation, ending in a newline. Numbers
/// read back to the same double; infinities become null.
[[nodiscard]] std::string plan_report_json(const Plan& plan, const ReportContext& context);

}  // namespace pate
