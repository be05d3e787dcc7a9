#pragma once

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate inspect VOTES`: what is in a vote dump, and what looks wrong with it.
struct InspectOptions {
  VotesInputOptions input;     ///< the votes and `--indices`; of the other files none
  MechanismOptions mechanism;  ///< `--threshold` and `--sigma1` only
  unsigned threads = 0;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_inspect(CommandLine& line, InspectOptions& options);

/// Runs the command and returns its exit status. Errors are thrown; that counts do not add up to
/// the same number of teachers says so when the columns do.
[[nodiscard]] int run_inspect(const InspectOptions& options, const Streams& streams);

}  // namespace pate::cli
