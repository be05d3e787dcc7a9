#pragma once

#include <optional>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/inspection/findings.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// Reads the selected votes once and tells what is in them; `check` adds `selection`, and
/// `predictions`, which must be `votes` itself or null, adds what is known of single teachers;
/// `student` (or null) adds the lead over its scores, which the check then looks at. `bins`: as
/// `Bins::over`.
///
/// Votes are read in blocks of some megabytes and dropped. All numbers but those of `selection` are
/// integers or exact functions of them, and `selection` is summed in the order of top counts:
/// nothing depends on `threads` (0: all processors). `selection` is accurate to 1e-13, relative.
///
/// `progress` counts queries.
///
/// Throws `parameter_error` for a check out of its domain, and `input_error` for rows that do not
/// exist and votes that are malformed.
[[nodiscard]] Inspection inspect(const VoteSource& votes, const RowSelection& rows,
                                 const std::optional<AnswerRule>& check,
                                 const PredictionVotes* predictions, unsigned threads,
                                 const ProgressCallback& progress = {},
                                 const StudentScores* student = nullptr,
                                 std::optional<std::int64_t> bins = {});

}  // namespace pate
