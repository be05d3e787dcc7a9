#pragma once

#include <string>

#include "pate/accounting/report.hpp"
#include "pate/events/record_exports.hpp"

namespace pate::reports {

/// Privacy loss distributions as JSON, `pate/pld/v1` (cli/schemas/pld.schema.json): the grid, its
/// masses and the infinity mass, forward and reverse, with the bound they are of, whom they protect
/// and whether they may be published.
[[nodiscard]] std::string losses_json(const RecordLosses& losses, const CostEntry& entry,
                                      bool protects_records, const std::string& version);

}  // namespace pate::reports
