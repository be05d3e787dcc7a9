#pragma once

#include <CLI/CLI.hpp>

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

void add_tune(CLI::App& command, TuneOptions& options);

/// Evaluates the grid and delivers the report. Returns the exit status; throws what the parts
/// throw.
[[nodiscard]] int run_tune(const TuneOptions& options, const Streams& streams);

/// What a reader must know to read a tuning right.
[[nodiscard]] std::vector<Notice> tune_notices(const Tuning& tuning, const TuneSettings& settings);

/// Tells which points come nearest where none keeps the limits; the exit status.
[[nodiscard]] int report_tune_misses(const Tuning& tuning, const Streams& streams);

}  // namespace pate::cli
