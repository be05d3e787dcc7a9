#pragma once

#include <string>

#include "pate/reports/report_context.hpp"
#include "pate/studies/multilabel/multilabel_run.hpp"

namespace pate::reports {

/// The JSON report (cli/schemas/multilabel.schema.json).
[[nodiscard]] std::string multilabel_report_json(const MultilabelAnalysis& analysis,
                                                 const ReportContext& context);

}  // namespace pate::reports
