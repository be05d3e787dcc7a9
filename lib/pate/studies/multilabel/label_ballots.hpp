#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// No more labels than these have a class of its own for each of their sets.
inline constexpr std::int64_t kMaxSetLabels = 20;

/// Which labels each teacher gave each query: the ballots of an ensemble that may give a query
/// several labels, a 0 or 1 a label. One byte each.
class LabelBallots {
 public:
  /// Reads the selected queries of an array of three dimensions: teachers x queries x labels, or
  /// queries x teachers x labels. Throws `input_error` for other dimensions, an empty one, a row
  /// that is not there, and at the first element that is neither 0 nor 1.
  LabelBallots(const NumericTable& table, PredictionLayout layout, const RowSelection& rows);

  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t queries() const { return queries_; }
  [[nodiscard]] std::int64_t labels() const { return labels_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// What a teacher says of every label of a query.
  [[nodiscard]] std::span<const std::uint8_t> ballot(std::int64_t query,
                                                     std::int64_t teacher) const {
    return std::span(marks_).subspan(
        static_cast<std::size_t>((query * teachers_ + teacher) * labels_),
        static_cast<std::size_t>(labels_));
  }

 private:
  std::string name_;
  std::int64_t teachers_ = 0;
  std::int64_t queries_ = 0;
  std::int64_t labels_ = 0;
  std::vector<std::uint8_t> marks_;  // by query, teacher, label
};

/// What each teacher votes for, as votes of one class a query that all other accounting reads.
enum class BallotClasses {
  labels,  ///< a query for every label, of two classes: 0 without it, 1 with it
  sets,    ///< a class for every set of labels, by the binary number whose lowest digit is label 0
};

/// The votes that ballots are. Throws `parameter_error` for sets of more than kMaxSetLabels labels.
[[nodiscard]] std::unique_ptr<PredictionVotes> votes_of(std::shared_ptr<const LabelBallots> ballots,
                                                        BallotClasses classes);

/// How many teachers gave a label, where nobody knows who: from counts, queries x labels.
class LabelCounts {
 public:
  /// Throws `input_error` for another number of dimensions than two, no columns, a row that is not
  /// there, and a count that is not one of 0..teachers; `parameter_error` unless teachers >= 1.
  LabelCounts(const NumericTable& table, std::int64_t teachers, const RowSelection& rows);
  /// Those of ballots.
  explicit LabelCounts(const LabelBallots& ballots);

  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t queries() const { return queries_; }
  [[nodiscard]] std::int64_t labels() const { return labels_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// By query, then label.
  [[nodiscard]] std::span<const std::int32_t> positives() const { return positives_; }
  [[nodiscard]] std::span<const std::int32_t> positives(std::int64_t query) const {
    return positives().subspan(static_cast<std::size_t>(query * labels_),
                               static_cast<std::size_t>(labels_));
  }

 private:
  std::string name_;
  std::int64_t teachers_ = 0;
  std::int64_t queries_ = 0;
  std::int64_t labels_ = 0;
  std::vector<std::int32_t> positives_;
};

/// A query for every label, of two classes, from the counts alone.
[[nodiscard]] std::unique_ptr<VoteSource> votes_of(std::shared_ptr<const LabelCounts> counts);

}  // namespace pate
