#pragma once

#include <string>

#include "cli/commands/tune.hpp"

namespace pate::cli {

/// The command line that analyses one point; epsilon is its headline.
[[nodiscard]] std::string analyze_command(const TuneOptions& options, const VotesInput& input,
                                          const Aggregator& aggregator, const TuningPoint& point);

/// The command line that rehearses the release of one point with the parameters found. It draws
/// nothing: on these votes the parameters are not fixed in advance.
[[nodiscard]] std::string release_command(const TuneOptions& options, const VotesInput& input,
                                          const TuningGrid& grid, const TunedPoint& p);

}  // namespace pate::cli
