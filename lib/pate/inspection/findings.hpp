#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/inspection/spread.hpp"
#include "pate/inspection/teacher_columns.hpp"
#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// How a number of votes, the top count or the gap, is spread over the queries.
struct VotesSpread {
  /// Percentiles 0, 10, ... 100 as numpy interpolates them; empty without queries.
  std::vector<double> deciles;
  /// Queries per bin of `Inspection::bins`.
  std::vector<std::int64_t> histogram;
};

/// The queries that pass the noisy threshold check.
struct AnsweredSpread {
  ThresholdCheck check;
  double answered = 0.0;  ///< expected number of them
  /// Expected number per bin of the top count: what is left of it after the check (S18, Figure 6).
  std::vector<double> histogram;
  /// The same per bin of the gap.
  std::vector<double> gap_histogram;
};

/// What is in a vote dump (math.md section 7: S17 Figure 3, S18 Figure 6).
struct Inspection {
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;  ///< of the selection, repeats counted

  /// Histograms that differ as vectors of counts by class: (3, 7) and (7, 3) are two. An estimate
  /// where `distinct_exact` is false, see `DistinctCounter`.
  std::int64_t distinct_histograms = 0;
  bool distinct_exact = true;
  std::int64_t ties = 0;       ///< queries on which several classes have the most votes
  std::int64_t unanimous = 0;  ///< queries on which all teachers vote for one class

  Bins bins;  ///< of all histograms here, over 0..teachers
  VotesSpread top_count;
  VotesSpread gap;                        ///< top count less second count; top count of one class
  std::vector<std::int64_t> class_votes;  ///< votes per class over all queries

  std::optional<AnsweredSpread> selection;
  std::optional<TeacherFindings> predictions;
  /// What looks wrong (inspection_notices.hpp).
  std::vector<Notice> notices;
};

}  // namespace pate
