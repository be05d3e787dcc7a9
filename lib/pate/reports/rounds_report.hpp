#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/tuning/rounds.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate::reports {

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

}  // namespace pate::reports
