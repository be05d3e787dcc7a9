#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/privacy.hpp"
#include "pate/tuning/solve_parameter.hpp"
#include "pate/tuning/tune.hpp"

namespace pate {

/// Whose cost a budget limits.
enum class CostGoal {
  publishable,  ///< that of `pate label --declared-epsilon`, or for any votes
  own,          ///< that of these votes, which is private
};
template <>
inline constexpr std::array<Named<CostGoal>, 2> kNames<CostGoal>{{
    {CostGoal::publishable, "publishable"},
    {CostGoal::own, "private"},
}};

}  // namespace pate

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
  std::optional<CostGoal> goal;
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
  std::string teacher_weights;  ///< file with how much the vote of each teacher counts
  std::string groups;           ///< file with the group of each teacher
  std::string group_epsilon;    ///< what each group may pay: "NAME=E,..."

  [[nodiscard]] bool is_ptr() const {
    return !ptr_laplace.empty() || !ptr_sigma.empty() || !ptr_delta.empty();
  }
};

void add_tuning_options(CommandLine& line, TuningOptions& options);

/// What a budget limits where `goal` leaves it open: a test that passes, as of `declared_epsilon`,
/// unless other options speak of the cost for these votes. Throws `usage_error` where they exclude
/// the goal that was given.
void settle_goal(TuningOptions& options);

/// Of a search for all parameters: unless a limit on the right answers says otherwise at least this
/// share of the answers must be the plurality, for without any the most right answers are often
/// those of guessing on very many queries.
inline constexpr double kSearchedAgreement = 0.9;
void ask_to_search(TuneSettings& settings);

/// Reads "NAME=E,NAME=E": what each of these groups may pay, in their order. Throws `usage_error`
/// for another text, a name that is none of theirs or is there twice, a group that is left out, and
/// an epsilon that is not above 0 and finite.
[[nodiscard]] std::vector<double> parse_group_budgets(const std::string& text,
                                                      const std::vector<std::string>& names);

/// The settings. Throws like `check_grid_options`.
[[nodiscard]] TuneSettings make_tune_settings(const TuningOptions& options, bool has_labels);

}  // namespace pate::cli
