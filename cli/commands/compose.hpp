#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options/output.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate compose REPORT...`: the report of a run from those of its shards, or of several rounds.
struct ComposeOptions {
  std::vector<std::string> reports;
  unsigned threads = 0;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_compose(CLI::App& command, ComposeOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_compose(const ComposeOptions& options, const Streams& streams);

}  // namespace pate::cli
