#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/tuning/declared_search.hpp"
#include "pate/tuning/group_budgets.hpp"
#include "pate/tuning/solve_parameter.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::reports {

/// What a report of `pate tune` says beside what was found.
struct TuneContext {
  ReportContext report;
  TuneSettings settings;
  std::string best_command;  ///< the command line that analyses the best point; may be empty
  /// The one that releases its epsilon with the parameters found; empty without --release.
  std::string release_command;
  std::optional<DeclaredOutcome> declared;  ///< for which budget parameters were looked for
  std::string rehearsal_command;            ///< the one that rehearses the test of it; may be empty
  std::optional<SolvedParameter> solved;    ///< what the only point of the grid was solved for
  std::optional<GroupOutcome> groups;       ///< for which budgets of groups a point was looked for
  std::vector<Notice> notices;
};

/// The report `pate/tune/v1` as JSON text, one line for each point. Numbers read back to the same
/// double; an infinite epsilon is null.
///
/// What joining shards, or resuming, needs is in it: `shard`, `grid`, and of every point `index`
/// (canonical order), `grid_epsilon` and `grid_order` where it was refined (elsewhere `epsilon` and
/// `order` are those of the grid).
[[nodiscard]] std::string tune_report_json(const Tuning& tuning, const TuneContext& context);

/// The points of the report as a table: CSV with a header, in canonical order.
[[nodiscard]] std::string tune_points_csv(const Tuning& tuning, const TuneContext& context);

}  // namespace pate::reports
