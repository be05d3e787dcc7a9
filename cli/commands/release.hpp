#pragma once

#include <optional>
#include <string>

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"
#include "pate/release/public_release.hpp"

namespace pate::cli {

/// `pate release VOTES`: an epsilon that may be published.
struct ReleaseOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  OutputOptions output;
  double delta = 0.0;
  ReleasedBound bound = ReleasedBound::tradeoff;
  std::optional<Reading> reading;  ///< none: joint; as published: expected
  std::optional<double> confidence;
  std::optional<double> order, beta, sigma_ss;
  std::string parameters_from;
  bool require_releasable = false;
  bool dry_run = false;
  bool public_only = false;
  std::string ledger;
  bool again = false;
  bool as_published = false;
  unsigned threads = 0;
};

/// Describes the command line; no I/O.
void add_release(CommandLine& line, ReleaseOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_release(const ReleaseOptions& options, const Streams& streams);

}  // namespace pate::cli
