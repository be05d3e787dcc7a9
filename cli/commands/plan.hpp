#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

/// `pate plan`: what a run costs at most, or which noise or number of queries a target allows;
/// without votes.
struct PlanOptions {
  MechanismOptions mechanism;
  std::optional<std::int64_t> queries;
  std::optional<std::int64_t> max_answers;
  double delta = 0.0;
  std::optional<double> epsilon;
  std::string solve;
  std::string conversion;
  std::vector<double> orders;
  std::optional<double> max_epsilon;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_plan(CLI::App& command, PlanOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_plan(const PlanOptions& options, const Streams& streams);

}  // namespace pate::cli
