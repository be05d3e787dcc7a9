#pragma once

#include <string>

#include "pate/accounting/partials.hpp"
#include "pate/accounting/report.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// The report `pate/analyze/v1` as JSON text, two spaces of indentation, ending in a newline.
/// Numbers read back to the same double; infinities and NaN become null. Of a shard, `partials` is
/// what the report adds so that all shards can be put together.
[[nodiscard]] std::string analyze_report_json(const Account& account, const ReportContext& context,
                                              const Partials* partials = nullptr);

}  // namespace pate
