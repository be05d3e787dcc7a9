#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// How many teachers voted for a class on a query.
struct ClassVotes {
  std::int64_t query;
  std::int64_t id;
  std::int64_t votes;
};

/// From so many classes on (a vocabulary's tokens) most have no vote: those that have some are
/// kept.
inline constexpr std::int64_t kClassesMostlyEmpty = 4096;

/// The votes of an ensemble, query by query: for every query the histogram of how many teachers
/// voted for each class. Where the votes come from (counts, predictions, a mapped file) does not
/// show here.
///
/// Every histogram is checked when it is read: no negative count and the same number of votes,
/// `teachers()`, in every row. Reading is thread safe.
class VoteSource {
 public:
  VoteSource() = default;
  VoteSource(const VoteSource&) = delete;
  VoteSource& operator=(const VoteSource&) = delete;
  virtual ~VoteSource() = default;

  /// The name of the underlying table, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::int64_t queries() const = 0;
  [[nodiscard]] virtual std::int64_t classes() const = 0;
  /// Votes per query, M; 0 when there are no queries.
  [[nodiscard]] virtual std::int64_t teachers() const = 0;

  /// Writes the histograms of queries `[first, first + count)` to `out`, row-major,
  /// `count * classes()` numbers. Throws `input_error` naming file, row, column and value.
  virtual void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const = 0;

  /// What is not zero in the histograms of these queries, by query, then class. Of predictions
  /// without the histograms, which may be far larger. Throws as `read` does.
  [[nodiscard]] virtual std::vector<ClassVotes> read_voted(std::int64_t first,
                                                           std::int64_t count) const;

  /// Whether histograms may have fewer votes than there are teachers. A neighbour's histogram then
  /// has one vote more, one less, or one moved.
  [[nodiscard]] virtual bool leaves_out_abstentions() const { return false; }
};

/// What teachers that abstain do.
enum class Abstentions {
  as_class,  ///< they vote for a class of its own, "none", after the others
  left_out,  ///< they do not vote
};

// A teacher that abstains votes for a class of its own, "none", the last one: every histogram has
// as many votes as there are teachers, and what a teacher can change by voting otherwise,
// abstaining or voting after all is one vote that moves. All costs hold as they are, for one class
// more. Where it is left out instead, votes may come and go; which costs hold then, and why, is in
// the README of `bounds`.

/// Votes from a table of counts, queries x classes (`--layout counts`).
class CountVotes final : public VoteSource {
 public:
  /// Reads the first row, whose sum is the number of teachers. With `all_teachers`, the number of
  /// them, teachers that are missing in a row abstained.
  ///
  /// Throws `input_error` when the table has not two dimensions, or no columns, or more than
  /// 2^31 - 1 of them, and when its first row has a negative count, no vote at all or more than
  /// 2^31 - 1 votes. A table without rows is allowed: it has no teachers. `parameter_error` unless
  /// 1 <= all_teachers <= 2^31 - 1.
  explicit CountVotes(std::shared_ptr<const NumericTable> table,
                      std::optional<std::int64_t> all_teachers = {},
                      Abstentions abstentions = Abstentions::as_class);

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] std::int64_t queries() const override { return table_->rows(); }
  [[nodiscard]] std::int64_t classes() const override {
    return table_->columns() + (has_none_ ? 1 : 0);
  }
  [[nodiscard]] std::int64_t teachers() const override { return teachers_; }

  /// Throws `input_error` at the first row with a count that is negative or no integer, or with
  /// another sum than `teachers()`; with abstentions, a larger one. Queries outside the table are a
  /// bug: `std::out_of_range`.
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override;
  [[nodiscard]] bool leaves_out_abstentions() const override { return may_abstain_ && !has_none_; }

 private:
  std::shared_ptr<const NumericTable> table_;
  bool may_abstain_ = false;
  bool has_none_ = false;
  std::int64_t teachers_ = 0;
};

/// One-hot predictions, an array of three dimensions (teachers x queries x classes, or queries x
/// teachers x classes), as the table of class ids that `PredictionVotes` takes.
///
/// A class id is where the one 1 is among zeros; -1 where there are only zeros.
class OneHotPredictions final : public NumericTable {
 public:
  /// by_query: the first axis is that of the queries. Throws `input_error` unless the table has
  /// three dimensions.
  explicit OneHotPredictions(std::shared_ptr<const NumericTable> table, bool by_query = false);

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] int dimensions() const override { return 2; }
  [[nodiscard]] std::int64_t rows() const override { return table_->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return columns_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }
  [[nodiscard]] TableDescription description() const override { return table_->description(); }

 private:
  // Throws `input_error` naming row, column and class for what is neither 0 nor 1, and for a second
  // 1.
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;

  std::shared_ptr<const NumericTable> table_;
  bool by_query_ = false;
  std::int64_t columns_ = 0;
  std::int64_t classes_ = 0;
};

/// Which way a table of predictions lies.
enum class PredictionLayout {
  teachers_by_queries,  ///< one row per teacher (`--layout predictions`)
  queries_by_teachers   ///< one row per query (`--layout predictions-by-query`)
};

/// Votes from a table of class ids: which class each teacher voted for on each query.
class PredictionVotes final : public VoteSource {
 public:
  /// `classes` is the number of classes, also of those nobody votes for. With `abstentions`, -1 is
  /// that of a teacher.
  ///
  /// Throws `parameter_error` unless 1 <= classes <= 2^31 - 1, and `input_error` when the table
  /// has not two dimensions, no teachers but queries, or more than 2^31 - 1 teachers. The class
  /// ids are looked at when they are read.
  PredictionVotes(std::shared_ptr<const NumericTable> table, PredictionLayout layout,
                  std::int64_t classes, std::optional<Abstentions> abstentions = {});

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] std::int64_t queries() const override;
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  [[nodiscard]] std::int64_t teachers() const override;

  /// Throws `input_error` naming row and column of the file where a class id is no integer or not
  /// one of `classes` or -1 of an abstention. Queries outside the table are a bug:
  /// `std::out_of_range`.
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override;
  [[nodiscard]] std::vector<ClassVotes> read_voted(std::int64_t first,
                                                   std::int64_t count) const override;

  /// Writes the class ids of queries `[first, first + count)` to `out`, one row of
  /// `teachers()` ids per query. Throws as `read` does, and `parameter_error` where abstentions are
  /// left out.
  void read_votes(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const;
  [[nodiscard]] bool leaves_out_abstentions() const override {
    return abstentions_ == Abstentions::left_out;
  }

 private:
  [[noreturn]] void refuse(std::int64_t row, std::int64_t column, std::int64_t id) const;
  // Calls take(query - first, teacher, class id) for every vote of the block.
  template <typename Take>
  void for_each_vote(std::int64_t first, std::int64_t count, std::int64_t piece_queries,
                     Take take) const;

  std::shared_ptr<const NumericTable> table_;
  PredictionLayout layout_;
  std::optional<Abstentions> abstentions_;
  std::int64_t named_;    // of the file
  std::int64_t classes_;  // with "none"
};

}  // namespace pate
