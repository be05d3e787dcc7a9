#pragma once

#include <string>

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/privacy.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate analyze VOTES`: the privacy cost of a vote dump.
struct AnalyzeOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  PrivacyOptions privacy;
  OutputOptions output;
  std::string shard;  ///< "i/n"; empty is the whole
};

/// Describes the command line; no I/O.
void add_analyze(CommandLine& line, AnalyzeOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_analyze(const AnalyzeOptions& options, const Streams& streams);

}  // namespace pate::cli
