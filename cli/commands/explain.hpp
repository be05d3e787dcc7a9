#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/privacy.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate explain VOTES`: one query, or the most expensive ones, under the glass.
struct ExplainOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  PrivacyOptions privacy;  ///< no limits, and exact costs always
  std::vector<std::int64_t> queries;
  std::optional<std::int64_t> top;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_explain(CommandLine& line, ExplainOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_explain(const ExplainOptions& options, const Streams& streams);

}  // namespace pate::cli
