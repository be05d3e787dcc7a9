#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/privacy.hpp"
#include "pate/tuning/private_search.hpp"
#include "pate/tuning/solve_parameter.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::cli {

/// The grid, what makes a point good, and how the work is done, as the command line says it.
struct TuningOptions {
  std::string sigma2, threshold, sigma1, laplace_scale, ptr_laplace, ptr_sigma,
      ptr_delta;           ///< axes
  bool one_noise = false;  ///< the noise of the maximum is one noise on one of two counts
  Neighbours neighbours;   ///< whose costs are tuned for
  TuneSettings settings;   ///< as `make_tune_settings` completes them
  bool any_delta = false;
  Bound bound = Bound::tradeoff;
  std::optional<GuaranteeKind> reading;
  std::optional<Objective> objective;
  std::optional<Conversion> conversion;
  std::optional<SolvedFor> solve;
  std::optional<double> declared_epsilon;
  std::optional<Certificate> certificate;
  std::optional<ReleaseMethod> method;
  std::optional<std::int64_t> top;
  std::string csv;
  std::string resume;
  std::string shard;
  /// Two rounds: the queries of the first, and axes of the second where they are others.
  std::optional<std::int64_t> rounds, first_queries;
  std::string second_sigma2, second_threshold, second_sigma1;

  [[nodiscard]] bool is_ptr() const {
    return !ptr_laplace.empty() || !ptr_sigma.empty() || !ptr_delta.empty();
  }
};

void add_tuning_options(CommandLine& line, TuningOptions& options);

/// The grid but for thresholds that are shares of the teachers: `make_grid` turns them into votes.
/// Throws `usage_error` naming the option that is missing or contradicts and `parameter_error`
/// naming the axis that is wrong, before any file is read.
struct GridOptions {
  TuningGrid grid;
  bool shares = false;
  bool search = false;  ///< there are no ranges: all parameters are looked for
};
[[nodiscard]] GridOptions check_grid_options(const TuningOptions& options, bool has_student);
[[nodiscard]] TuningGrid make_grid(const GridOptions& options, std::int64_t teachers);

/// Of a search for all parameters: unless a limit on the right answers says otherwise at least this
/// share of the answers must be the plurality, for without any the most right answers are often
/// those of guessing on very many queries.
inline constexpr double kSearchedAgreement = 0.9;
void ask_to_search(TuneSettings& settings);

/// The grids of both rounds. Throws like `check_grid_options`, and for options that are for one.
[[nodiscard]] std::array<GridOptions, 2> check_rounds(const TuningOptions& options,
                                                      bool has_student);

/// "geometric:10", "poisson:10" or "logarithmic:10": how many tries `--account` draws. Throws
/// `usage_error` for anything else.
[[nodiscard]] NumberOfTries parse_tries(const std::string& text);

/// What `--account` chooses by. Throws `usage_error` for options that it cannot go with: what
/// depends on the votes, and what a try does not have.
[[nodiscard]] TryScore check_private_search(const TuningOptions& options, bool has_labels);

/// The settings. Throws like `check_grid_options`.
[[nodiscard]] TuneSettings make_tune_settings(const TuningOptions& options, bool has_labels);

}  // namespace pate::cli
