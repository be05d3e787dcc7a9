#pragma once

#include <string>

#include "pate/inspection/inspection.hpp"
#include "pate/reports/report_json.hpp"

namespace pate::cli {

/// The summary for people, at most 80 columns wide unless the path of the votes is longer: what is
/// in the dump, deciles, a histogram of the top count (with a threshold also of what is left of it)
/// and the notices.
[[nodiscard]] std::string inspect_summary(const Inspection& inspection, const InputFile& votes);

}  // namespace pate::cli
