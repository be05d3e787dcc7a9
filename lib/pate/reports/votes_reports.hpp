#pragma once

#include <optional>
#include <string>

#include "pate/accounting/explanation.hpp"
#include "pate/inspection/inspection.hpp"
#include "pate/reports/published_sensitivity.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

// Reports of what is in the votes, as JSON text: two spaces of indentation, ending in a newline.
// Numbers read back to the same double.

/// The report `pate/inspect/v1`. Layout and dtype are those of the input "votes", which `context`
/// must have.
[[nodiscard]] std::string inspect_report_json(const Inspection& inspection,
                                              const ReportContext& context);

/// The report `pate/explain/v1`; with `sensitivities`, if they were asked for.
[[nodiscard]] std::string explain_report_json(
    const Explanation& explanation, const ReportContext& context,
    const std::optional<QuerySensitivities>& sensitivities = {});

}  // namespace pate::reports
