#pragma once

#include <string>

#include "pate/reports/label_report.hpp"

namespace pate::cli {

/// What a person wants to know of a run of the aggregator; `votes` is how to call the votes; in
/// `colour` the headline is bold.
[[nodiscard]] std::string label_summary(const LabelReport& report, const std::string& votes,
                                        bool colour);

}  // namespace pate::cli
