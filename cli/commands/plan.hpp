#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/privacy.hpp"
#include "cli/streams.hpp"
#include "pate/planning/plan.hpp"

namespace pate::cli {

/// `pate plan`: what a run costs at most, or which noise or number of queries a target allows;
/// without votes.
struct PlanOptions {
  MechanismOptions mechanism;
  std::optional<std::int64_t> queries;
  std::optional<std::int64_t> max_answers;
  double delta = 0.0;
  std::optional<double> epsilon;
  std::optional<PlanParameter> solve;
  std::optional<ReportedConversion> conversion;
  std::vector<double> orders;
  Limits limits;  ///< of epsilon only
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_plan(CommandLine& line, PlanOptions& options);

/// Runs the command and returns its exit status. Errors are thrown.
[[nodiscard]] int run_plan(const PlanOptions& options, const Streams& streams);

}  // namespace pate::cli
