#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

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
