#pragma once

#include "cli/options/output.hpp"
#include "cli/options/tuning.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// Options of `pate tune`.
struct TuneOptions {
  VotesInputOptions input;
  TuningOptions tuning;
  OutputOptions output;
};

void add_tune(CommandLine& line, TuneOptions& options);

/// Evaluates the grid and delivers the report. Returns the exit status; throws what the parts
/// throw.
[[nodiscard]] int run_tune(const TuneOptions& options, const Streams& streams);

}  // namespace pate::cli
