#pragma once

#include <string>
#include <vector>

#include "pate/as_published/release.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// The report `pate/release/v1` of S18's own procedure, as JSON text: `"valid": false`, the
/// conditions and the private numbers; there is nothing to publish.
[[nodiscard]] std::string as_published_report_json(const AsPublishedRelease& release,
                                                   Reading reading,
                                                   const std::vector<Notice>& notices,
                                                   const ReportContext& context);

}  // namespace pate
