#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// No more labels than these have a class of its own for each of their sets.
inline constexpr std::int64_t kMaxSetLabels = 20;

/// What files of labels have in common: how large they are, and how messages call them.
class LabelsFile {
 public:
  [[nodiscard]] std::int64_t teachers() const { return size_.teachers; }
  [[nodiscard]] std::int64_t queries() const { return size_.queries; }
  [[nodiscard]] std::int64_t labels() const { return size_.labels; }
  [[nodiscard]] const std::string& name() const { return name_; }

 protected:
  struct Size {
    std::int64_t teachers = 0;
    std::int64_t queries = 0;
    std::int64_t labels = 0;
  };
  LabelsFile(std::string name, const Size& size) : name_(std::move(name)), size_(size) {}

 private:
  std::string name_;
  Size size_;
};

/// Which labels each teacher gave each query: the ballots of an ensemble that may give a query
/// several labels, a 0 or 1 a label. One byte each.
class LabelBallots : public LabelsFile {
 public:
  /// Reads the selected queries of an array of three dimensions: teachers x queries x labels, or
  /// queries x teachers x labels. Throws `input_error` for other dimensions, an empty one, a row
  /// that is not there, and at the first element that is neither 0 nor 1.
  LabelBallots(const NumericTable& table, PredictionLayout layout, const RowSelection& rows);

  /// What a teacher says of every label of a query.
  [[nodiscard]] std::span<const std::uint8_t> ballot(std::int64_t query,
                                                     std::int64_t teacher) const {
    return std::span(marks_).subspan(
        static_cast<std::size_t>((query * teachers() + teacher) * labels()),
        static_cast<std::size_t>(labels()));
  }

 private:
  static Size size_of(const NumericTable& table, PredictionLayout layout, const RowSelection& rows);

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
class LabelCounts : public LabelsFile {
 public:
  /// Throws `input_error` for another number of dimensions than two, no columns, a row that is not
  /// there, and a count that is not one of 0..teachers; `parameter_error` unless teachers >= 1.
  LabelCounts(const NumericTable& table, std::int64_t teachers, const RowSelection& rows);
  /// Those of ballots.
  explicit LabelCounts(const LabelBallots& ballots);

  /// By query, then label.
  [[nodiscard]] std::span<const std::int32_t> positives() const { return positives_; }
  [[nodiscard]] std::span<const std::int32_t> positives(std::int64_t query) const {
    return positives().subspan(static_cast<std::size_t>(query * labels()),
                               static_cast<std::size_t>(labels()));
  }

 private:
  static Size size_of(const NumericTable& table, std::int64_t teachers, const RowSelection& rows);

  std::vector<std::int32_t> positives_;
};

/// A query for every label, of two classes, from the counts alone.
[[nodiscard]] std::unique_ptr<VoteSource> votes_of(std::shared_ptr<const LabelCounts> counts);

}  // namespace pate
