#pragma once

#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/json.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::reports {

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
