#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// Returns what row numbers look like instead ("class ids" and their like), "" where they are what
/// they should be.
///
/// A heading says so ("label"); so do bool, and -1 among class ids. Else they are all below the
/// number of classes, at least four, and any of them is there twice. Of fewer than sixteen, and of
/// votes with no more queries than classes, row numbers may be so: then they are as many as the
/// rows, or each is there twice or more on average.
[[nodiscard]] std::string what_rows_look_like(std::span<const std::int64_t> rows,
                                              const NumericTable& table, const VoteSource& votes);

/// Returns a notice where true classes of the selected queries, `labels` (one for each row of the
/// votes), are the plurality's no more often than labels of other queries would be, sum_c
/// (pluralities c) (labels c) / Q and three standard deviations: they may be of other rows, or
/// number classes otherwise. Names `path` and --`option`-rows; "student" has no option.
///
/// None where there are fewer than 30 queries, or one class has 95 % of the pluralities. Throws
/// `input_error` as `VoteSource::read` does.
[[nodiscard]] std::optional<Notice> labels_at_chance(const VoteSource& votes,
                                                     const RowSelection& rows,
                                                     std::span<const std::int32_t> labels,
                                                     std::string_view option,
                                                     std::string_view path);

/// Returns what a student's scores betray: `labels_at_chance` of what it finds most likely.
///
/// Throws `input_error` where scores are the shares of the votes, in every row within 1e-6, of
/// which three are contested, or within the rounding to two decimals, of which ten are: all costs
/// take what the student says as known without the votes.
[[nodiscard]] std::optional<Notice> student_doubt(const VoteSource& votes, const RowSelection& rows,
                                                  const StudentScores& scores,
                                                  std::string_view path);

/// How often teachers, their plurality and the student are right. Private, as the votes are.
struct Accuracy {
  double plurality = 0.0;         ///< share of the queries; of tied classes the lowest counts
  double teachers_mean = 0.0;     ///< share of all votes that are for the true class
  std::vector<double> teachers;   ///< of each teacher, from predictions; else empty
  std::optional<double> student;  ///< of the class with the largest score, the lowest of several
};

/// Compares the selected votes with the true classes, `labels`, one for each row of the votes, as
/// `read_labels` gives them.
///
///     teachers_mean = sum_x n_(label_x)(x) / (M Q),    M teachers, Q queries; abstentions are
///     wrong.
///
/// `predictions` must be `votes` itself, or null where single teachers are not known; `student` may
/// be null. None without queries. Throws `parameter_error` unless there are votes.queries() labels,
/// and `input_error` as `VoteSource::read` does. Exact but for one division.
[[nodiscard]] std::optional<Accuracy> accuracy(const VoteSource& votes, const RowSelection& rows,
                                               std::span<const std::int32_t> labels,
                                               const PredictionVotes* predictions,
                                               const StudentScores* student);

}  // namespace pate
