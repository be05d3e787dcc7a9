#pragma once

#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "pate/reports/rounds_report.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::cli {

// Command lines for a shell that do with what was found what a person does next.

/// Analyses one point on the queries that it asks; epsilon is its headline.
[[nodiscard]] std::string analyze_command(const TuneOptions& options, const VotesInput& input,
                                          const Mechanism& mechanism, const TuningPoint& point);

/// What such a line goes on with to tell what groups of teachers pay: those of a file, or without
/// one teachers of each weight.
[[nodiscard]] std::string analyze_groups(const std::string& file);

/// Rehearses the release of a point that has a released epsilon. Parameters that were found on
/// these votes are not fixed in advance; those of a curve follow from public inputs. Points are
/// ranked by curves at Renyi orders.
[[nodiscard]] std::string release_command(const TuneOptions& options, const VotesInput& input,
                                          const TuningGrid& grid, const TunedPoint& p);

/// Rehearses the test of a budget that is declared beforehand.
[[nodiscard]] std::string rehearsal_command(const TuneOptions& options, const VotesInput& input,
                                            const OffGridPoint& found, double epsilon);

/// Analyse both rounds of a pair, and add them up.
[[nodiscard]] std::vector<std::string> rounds_commands(const TuneOptions& options,
                                                       const VotesInput& input,
                                                       const reports::RoundsContext& context,
                                                       const RoundsPoint& best);

}  // namespace pate::cli
