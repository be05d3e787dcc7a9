#pragma once

#include <string>

#include "pate/base/json.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/studies/multilabel/multilabel_run.hpp"

namespace pate::reports {

/// What adds such a report to a sum, for people, in place of the report: the zCDP that each of its
/// mechanisms has for any votes, rounded up, as an option of `pate compose`.
[[nodiscard]] std::string how_to_compose_multilabel(const io::JsonValue& report);

/// The JSON report (cli/schemas/multilabel.schema.json).
[[nodiscard]] std::string multilabel_report_json(const MultilabelAnalysis& analysis,
                                                 const ReportContext& context);

}  // namespace pate::reports
