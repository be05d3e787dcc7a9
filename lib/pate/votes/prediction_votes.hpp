#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// Which way a table of predictions lies.
enum class PredictionLayout {
  teachers_by_queries,  ///< one row per teacher (`--layout predictions`)
  queries_by_teachers   ///< one row per query (`--layout predictions-by-query`)
};

/// Votes from a table of class ids: which class each teacher voted for on each query.
class PredictionVotes final : public VoteSource {
 public:
  /// `classes` is the number of classes, also of those nobody votes for.
  ///
  /// Throws `parameter_error` unless 1 <= classes <= 2^31 - 1, and `input_error` when the table
  /// has not two dimensions, no teachers but queries, or more than 2^31 - 1 teachers. The class
  /// ids are looked at when they are read.
  PredictionVotes(std::shared_ptr<const NumericTable> table, PredictionLayout layout,
                  std::int64_t classes);

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] std::int64_t queries() const override;
  [[nodiscard]] std::int64_t classes() const override { return classes_; }
  [[nodiscard]] std::int64_t teachers() const override;

  /// Throws `input_error` naming row and column of the file where a class id is no integer or not
  /// in 0 .. classes() - 1. Queries outside the table are a bug: `std::out_of_range`.
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override;

  /// Writes the class ids of queries `first .. first + count - 1` to `out`, one row of
  /// `teachers()` ids per query. Throws as `read` does.
  void read_votes(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const;

 private:
  // Calls take(query - first, teacher, class id) for every vote of the block.
  template <typename Take>
  void for_each_vote(std::int64_t first, std::int64_t count, std::int64_t piece_queries,
                     Take take) const;
  void check_block(std::int64_t first, std::int64_t count, std::int64_t width,
                   std::span<const std::int32_t> out) const;
  [[noreturn]] void report(std::int64_t row, std::int64_t column, std::int64_t id) const;

  std::shared_ptr<const NumericTable> table_;
  PredictionLayout layout_;
  std::int64_t classes_;
};

}  // namespace pate
