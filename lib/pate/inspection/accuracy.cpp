#include "pate/inspection/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "pate/base/error.hpp"
#include "pate/inspection/row_blocks.hpp"

namespace pate {

namespace {

// Counts right answers over the queries of a selection.
class RightAnswers {
 public:
  RightAnswers(const VoteSource& votes, const PredictionVotes* predictions,
               const StudentScores* student)
      : votes_(votes),
        predictions_(predictions),
        student_(student),
        of_teacher_(predictions != nullptr ? static_cast<std::size_t>(votes.teachers()) : 0) {}

  void add(std::int64_t row, std::int64_t count, std::span<const std::int32_t> labels) {
    const auto classes = static_cast<std::size_t>(votes_.classes());
    const auto queries = static_cast<std::size_t>(count);
    counts_.resize(queries * classes);
    votes_.read(row, count, counts_);
    for (std::size_t i = 0; i < queries; ++i) {
      const auto histogram = std::span(counts_).subspan(i * classes, classes);
      const auto label = static_cast<std::size_t>(labels[i]);
      right_votes_ += histogram[label];
      right_pluralities_ += is_first_largest(histogram, label) ? 1 : 0;
    }
    if (predictions_ != nullptr) add_teachers(row, count, labels);
    if (student_ == nullptr) return;
    scores_.resize(queries * classes);
    student_->read(row, count, scores_);
    for (std::size_t i = 0; i < queries; ++i) {
      const auto scores = std::span(scores_).subspan(i * classes, classes);
      right_student_ += is_first_largest(scores, static_cast<std::size_t>(labels[i])) ? 1 : 0;
    }
  }

  [[nodiscard]] Accuracy over(std::int64_t queries) const {
    const auto all = static_cast<double>(queries);
    Accuracy result;
    result.plurality = static_cast<double>(right_pluralities_) / all;
    result.teachers_mean =
        static_cast<double>(right_votes_) / (all * static_cast<double>(votes_.teachers()));
    for (const std::int64_t right : of_teacher_) {
      result.teachers.push_back(static_cast<double>(right) / all);
    }
    if (student_ != nullptr) result.student = static_cast<double>(right_student_) / all;
    return result;
  }

 private:
  template <class Number>
  static bool is_first_largest(std::span<Number> values, std::size_t at) {
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin()) == at;
  }

  void add_teachers(std::int64_t row, std::int64_t count, std::span<const std::int32_t> labels) {
    ids_.resize(static_cast<std::size_t>(count) * of_teacher_.size());
    predictions_->read_votes(row, count, ids_);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      of_teacher_[i % of_teacher_.size()] += ids_[i] == labels[i / of_teacher_.size()] ? 1 : 0;
    }
  }

  const VoteSource& votes_;
  const PredictionVotes* predictions_;
  const StudentScores* student_;
  std::int64_t right_votes_ = 0;
  std::int64_t right_pluralities_ = 0;
  std::int64_t right_student_ = 0;
  std::vector<std::int64_t> of_teacher_;
  std::vector<std::int32_t> counts_, ids_;  // of a block
  std::vector<double> scores_;
};

}  // namespace

std::optional<Accuracy> accuracy(const VoteSource& votes, const RowSelection& rows,
                                 std::span<const std::int32_t> labels,
                                 const PredictionVotes* predictions, const StudentScores* student) {
  if (static_cast<std::int64_t>(labels.size()) != votes.queries()) {
    throw parameter_error(
        fmt::format("{} rows need as many labels, got {}", votes.queries(), labels.size()));
  }
  if (rows.size() == 0) return std::nullopt;
  const std::int64_t width =
      std::max(votes.classes(), predictions != nullptr ? votes.teachers() : std::int64_t{1});
  RightAnswers right(votes, predictions, student);
  for_each_block(rows, width, [&](std::int64_t row, std::int64_t count) {
    right.add(row, count,
              labels.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(count)));
  });
  return right.over(rows.size());
}

}  // namespace pate
