#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/tuning/declared_search.hpp"
#include "pate/tuning/rounds.hpp"
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

/// What a report of two rounds says beside what was found.
struct RoundsContext {
  ReportContext report;
  EpsilonKind kind;
  TuningGoal goal;
  std::array<TuningGrid, 2> grids;
  std::array<std::int64_t, 2> queries{};
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  bool has_labels = false;
  std::vector<std::string> commands;  ///< that analyse the best pair and add it up
  std::vector<Notice> notices;
};

/// The report `pate/rounds/v1` as JSON text.
[[nodiscard]] std::string rounds_report_json(const RoundsTuning& found,
                                             const RoundsContext& context);

/// A report of `pate tune`, as far as going on from it, or joining it with others, needs it.
struct SavedTuning {
  Tuning tuning;          ///< without choice and continuum
  TuneSettings settings;  ///< without threads, top and continuum
  std::string votes_digest;
  std::string student_sha256, labels_sha256;  ///< empty without
  std::string labels_rows;                    ///< the setting; empty where it was left to the file
  std::vector<Notice> notices;
  bool continuum = false;    ///< whether it went on from the grid
  std::string best_command;  ///< of the best point; empty without
};

/// Reads a report `pate/tune/v1`. Throws `input_error` naming file and field for one that is none.
[[nodiscard]] SavedTuning read_tune_report(const io::JsonValue& report);

/// Throws `input_error`, calling the report `path`, unless its points are those that `now` would
/// find: the same votes, grid, shard and kind of epsilon.
void check_same_tuning(const std::string& path, const SavedTuning& saved, const SavedTuning& now);

}  // namespace pate::reports
