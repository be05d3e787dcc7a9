#pragma once

#include <span>
#include <string>

#include "pate/composition/compose.hpp"
#include "pate/reports/report_json.hpp"

namespace pate::cli {

/// What a person wants to see of a sum of rounds at a glance, as text of at most 80 columns (longer
/// where a path is).
[[nodiscard]] std::string compose_summary(const Composition& sum, std::span<const ReportPart> parts,
                                          bool colour);

}  // namespace pate::cli
