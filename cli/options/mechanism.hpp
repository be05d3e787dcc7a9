#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/command_line.hpp"
#include "cli/options/votes_input.hpp"
#include "pate/accounting/run.hpp"
#include "pate/aggregators/aggregator.hpp"

namespace pate::cli {

/// The aggregator as the command line describes it.
struct MechanismOptions {
  std::optional<double> laplace_scale;
  std::optional<double> sigma2;
  std::optional<double> sigma1;
  std::string threshold;  ///< votes, or a share of the teachers: "80%"
};

void add_mechanism_options(CommandLine& line, MechanismOptions& options);

/// Which of the options that describe an aggregator are there.
struct GivenNoise {
  bool laplace_scale, sigma2, threshold, sigma1, student;
};

/// Throws `usage_error` naming the option that is missing or contradicts; `choices` are the options
/// that give the noise.
void check_noise(const GivenNoise& given, const char* choices);

/// Throws `usage_error` unless `text` is a number of votes or a share of the teachers.
void check_threshold(const std::string& text);

/// Which aggregator the options describe, with everything but the threshold's share of the teachers
/// checked, so that a wrong command line fails before any file is read. Throws `usage_error` naming
/// the option that is missing or contradicts, and `parameter_error` for values out of range.
void check_mechanism_options(const MechanismOptions& options, bool has_student);

/// The aggregator for an ensemble of `teachers`.
[[nodiscard]] Aggregator make_aggregator(const MechanismOptions& options, std::int64_t teachers,
                                         bool has_student);

/// The part of a run that `shard` is, with the decisions and labels of the input, which it is left
/// without. The input must outlive it.
[[nodiscard]] Run make_run(VotesInput& input, const MechanismOptions& options, Shard shard = {});

}  // namespace pate::cli
