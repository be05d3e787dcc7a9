#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/output.hpp"
#include "cli/options/privacy.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate compose REPORT...`: the report of a run from those of its shards, or the sum of rounds.
struct ComposeOptions {
  std::vector<std::string> reports;
  std::optional<double> delta;
  std::vector<double> orders;
  std::optional<Reading> reading;
  std::optional<ReportedConversion> conversion;
  bool same_teachers = false;
  Limits limits;
  unsigned threads = 0;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_compose(CommandLine& line, ComposeOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_compose(const ComposeOptions& options, const Streams& streams);

}  // namespace pate::cli
