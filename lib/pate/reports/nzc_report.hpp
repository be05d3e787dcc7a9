#pragma once

#include <string>

#include "pate/nzc/nzc_run.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// The JSON report (cli/schemas/nzc.schema.json).
[[nodiscard]] std::string nzc_report_json(const NzcAnalysis& analysis,
                                          const ReportContext& context);

}  // namespace pate::reports
