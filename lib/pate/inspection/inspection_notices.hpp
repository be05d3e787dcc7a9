#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pate/inspection/findings.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate {

/// What looks wrong in a vote dump. None of it is an error: the votes can be accounted for as they
/// are, but may not be what their owner thinks they are. The codes:
///
/// * `no_queries`, `one_query`: of so few there is little to see, and nothing else is noticed
/// * `one_teacher`: every histogram has one vote: labels rather than votes
/// * `looks_like_predictions`: counts of at least 8 classes on which teachers never agree: all
/// below
///   the number of classes, and none above 3 times the average (or 1)
/// * `looks_transposed`: counts with more columns than rows that all have the same sum; predictions
///   by more teachers than the file has queries
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

/// The sum that all columns of a table share, where they share one: then a table of counts whose
/// rows do not add up lies transposed (classes x queries).
///
/// None where the sums differ, where there is but one row or column, more than 10 million columns,
/// or an element is negative or no integer. Reads the table piece by piece; never throws what
/// reading throws.
[[nodiscard]] std::optional<std::int64_t> common_column_sum(const NumericTable& table);

}  // namespace pate
