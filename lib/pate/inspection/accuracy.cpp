#include "pate/inspection/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "pate/base/error.hpp"
#include "pate/inspection/row_blocks.hpp"

namespace pate {

namespace {

template <class Number>
bool is_first_largest(std::span<const Number> values, std::int32_t at) {
  return std::ranges::max_element(values) - values.begin() == at;
}

}  // namespace

std::optional<Accuracy> accuracy(const VoteSource& votes, const RowSelection& rows,
                                 std::span<const std::int32_t> labels,
                                 const PredictionVotes* predictions, const StudentScores* student) {
  if (static_cast<std::int64_t>(labels.size()) != votes.queries()) {
    throw parameter_error(
        fmt::format("{} rows need as many labels, got {}", votes.queries(), labels.size()));
  }
  if (rows.size() == 0) return std::nullopt;
  const auto queries = static_cast<double>(rows.size());
  std::int64_t right_votes = 0;
  std::int64_t right_pluralities = 0;
  for_each_histogram(votes, rows, [&](std::size_t row, std::span<const std::int32_t> counts) {
    right_votes += counts[static_cast<std::size_t>(labels[row])];
    right_pluralities += is_first_largest(counts, labels[row]) ? 1 : 0;
  });
  Accuracy result;
  result.plurality = static_cast<double>(right_pluralities) / queries;
  result.teachers_mean =
      static_cast<double>(right_votes) / (queries * static_cast<double>(votes.teachers()));
  if (predictions != nullptr) {
    std::vector<std::int64_t> right(static_cast<std::size_t>(votes.teachers()));
    for_each_row<std::int32_t>(
        rows, votes.teachers(), [&](auto... block) { predictions->read_votes(block...); },
        [&](std::size_t row, std::span<const std::int32_t> ids) {
          for (std::size_t i = 0; i < ids.size(); ++i) right[i] += ids[i] == labels[row] ? 1 : 0;
        });
    for (const std::int64_t times : right) {
      result.teachers.push_back(static_cast<double>(times) / queries);
    }
  }
  if (student != nullptr) {
    std::int64_t right = 0;
    for_each_row<double>(
        rows, votes.classes(), [&](auto... block) { student->read(block...); },
        [&](std::size_t row, std::span<const double> scores) {
          right += is_first_largest(scores, labels[row]) ? 1 : 0;
        });
    result.student = static_cast<double>(right) / queries;
  }
  return result;
}

}  // namespace pate
