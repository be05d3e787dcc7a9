#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/output.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate compose REPORT...`: the report of a run from those of its shards, or the sum of rounds.
struct ComposeOptions {
  std::vector<std::string> reports;
  std::optional<double> delta;
  std::vector<double> orders;
  std::string reading;
  std::string conversion;
  bool same_teachers = false;
  std::optional<double> max_epsilon;
  std::optional<double> min_answered;
  bool require_releasable = false;
  unsigned threads = 0;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_compose(CLI::App& command, ComposeOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_compose(const ComposeOptions& options, const Streams& streams);

}  // namespace pate::cli
