#pragma once

#include <string>

#include "pate/reports/report_context.hpp"
#include "pate/studies/immutable_argmax/nzc_run.hpp"

namespace pate::reports {

/// The JSON report (cli/schemas/nzc.schema.json).
[[nodiscard]] std::string nzc_report_json(const NzcAnalysis& analysis,
                                          const ReportContext& context);

}  // namespace pate::reports
