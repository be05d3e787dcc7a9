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

/// Returns what row numbers look like instead, "" where they are what they should be: by a heading
/// ("label"), as bool, by -1; or all below the number of classes, at least four, some of them
/// twice.
[[nodiscard]] std::string what_rows_look_like(std::span<const std::int64_t> rows,
                                              const NumericTable& table, const VoteSource& votes);

/// Returns a notice where true classes of at least 30 selected queries, `labels` (one for each row
/// of the votes, -1: none), are the plurality's no more often than labels of other queries would
/// be, sum_c (pluralities c) (labels c) / Q and three standard deviations. Names `path` and
/// --`option`-rows; "student" has no option. None where one class has 95 % of the pluralities.
[[nodiscard]] std::optional<Notice> labels_at_chance(const VoteSource& votes,
                                                     const RowSelection& rows,
                                                     std::span<const std::int32_t> labels,
                                                     std::string_view option,
                                                     std::string_view path);

/// Returns `labels_at_chance` of what a student finds most likely. Throws `input_error` where its
/// scores are the shares of the votes: all costs take what it says as known without the votes.
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

/// Compares the selected votes with the true classes, `labels`, one for each row of the votes:
///
///     teachers_mean = sum_x n_(label_x)(x) / (M Q),    M teachers, Q queries; abstentions are
///     wrong.
///
/// `predictions` must be `votes` itself, or null where single teachers are not known; `student` may
/// be null. None without queries. Throws `parameter_error` unless there are votes.queries() labels.
[[nodiscard]] std::optional<Accuracy> accuracy(const VoteSource& votes, const RowSelection& rows,
                                               std::span<const std::int32_t> labels,
                                               const PredictionVotes* predictions,
                                               const StudentScores* student);

}  // namespace pate
