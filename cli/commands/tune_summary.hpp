#pragma once

#include <string>

#include "pate/reports/tune_report.hpp"

namespace pate::cli {

/// What a person wants to see of a tuning at a glance: the best point, its command line, and the
/// Pareto front. `votes` is how to call the votes.
[[nodiscard]] std::string tune_summary(const Tuning& tuning, const TuneContext& context,
                                       const std::string& votes);

}  // namespace pate::cli
