#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/reports/report_json.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::cli {

/// The grid, what makes a point good, and how the work is done, as the command line says it.
struct TuningOptions {
  std::string sigma2, threshold, sigma1, laplace_scale;  ///< axes
  double delta = 0.0;
  std::string bound = "tradeoff";
  std::string reading;
  std::string conversion = "improved";
  std::vector<double> orders;
  std::string objective;
  std::optional<double> max_epsilon, min_answered, max_answers;
  bool refine = false;
  bool release = false;
  std::optional<std::uint64_t> top;
  std::string csv;
  std::string resume;
  std::string shard;
  unsigned threads = 0;
};

void add_tuning_options(CLI::App& command, TuningOptions& options);

void append_settings(const TuningOptions& options, Settings& settings);

/// The grid but for thresholds that are shares of the teachers: `make_grid` turns them into votes.
/// Throws `usage_error` naming the option that is missing or contradicts and `parameter_error`
/// naming the axis that is wrong, before any file is read.
struct GridOptions {
  TuningGrid grid;
  bool shares = false;
};
[[nodiscard]] GridOptions check_grid_options(const TuningOptions& options, bool has_student);
[[nodiscard]] TuningGrid make_grid(const GridOptions& options, std::int64_t teachers);

/// The settings. Throws like `check_grid_options`.
[[nodiscard]] TuneSettings make_tune_settings(const TuningOptions& options, bool has_labels);

}  // namespace pate::cli
