#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pate/inspection/findings.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// What looks wrong in a vote dump, beside `content_doubts`. None of it is an error: the votes can
/// be accounted for as they are, but may not be what their owner thinks they are. The codes:
///
/// * `no_queries`, `one_query`: of so few there is little to see, and nothing else is noticed
/// * `looks_like_predictions`: counts of at least 8 classes on which teachers never agree: all
/// below
///   the number of classes, and none above 3 times the average (or 1)
/// * `looks_transposed`: counts with more columns than rows that all have the same sum
/// * `class_without_votes`: nobody ever votes for a class
/// * `ties`: queries tied at the top: the plurality is the lowest of the tied classes
/// * `identical_teachers`: fewer distinct teachers than teachers
/// * `constant_teachers`: teachers that vote for one class throughout
/// * `distinct_estimated`: the number of distinct histograms is an estimate
///
/// `file_queries` is the number of queries of the file, before selection.
[[nodiscard]] std::vector<Notice> inspection_notices(const Inspection& inspection,
                                                     std::int64_t file_queries);

/// The notice `float_votes` where a dtype ("<f8", ">f4", "float64") is one of floating-point
/// numbers: votes are integers, so these were perhaps averaged, weighted or rounded before.
[[nodiscard]] std::optional<Notice> dtype_notice(std::string_view dtype);

/// Those of these notices that put every number in doubt, for who does not inspect the votes:
/// `looks_like_predictions` and `looks_transposed`. Reads the selected votes only as far as one of
/// them can still be true, and throws what reading throws.
[[nodiscard]] std::vector<Notice> layout_notices(const VoteSource& votes, const RowSelection& rows,
                                                 bool predictions);

}  // namespace pate
