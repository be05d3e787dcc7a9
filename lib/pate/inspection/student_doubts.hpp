#pragma once

#include <optional>
#include <string_view>

#include "pate/accounting/report.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// What a student's scores betray, of the selected rows. path: what messages call them.
///
/// Throws `input_error` where they are the shares of the votes: in every row within 1e-6, of which
/// three are contested, or within the rounding to two decimals, of which ten are. All costs take
/// what the student says as known without the votes. A notice `labels_at_chance` where what it
/// finds most likely is the plurality no more often than labels of other queries would be.
[[nodiscard]] std::optional<Notice> student_doubt(const VoteSource& votes, const RowSelection& rows,
                                                  const StudentScores& scores,
                                                  std::string_view path);

}  // namespace pate
