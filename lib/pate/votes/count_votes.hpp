#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// Votes from a table of counts, queries x classes (`--layout counts`).
class CountVotes final : public VoteSource {
 public:
  /// Reads the first row, whose sum is the number of teachers.
  ///
  /// Throws `input_error` when the table has not two dimensions, or no columns, or more than
  /// 2^31 - 1 of them, and when its first row has a negative count, no vote at all or more than
  /// 2^31 - 1 votes. A table without rows is allowed: it has no teachers.
  explicit CountVotes(std::shared_ptr<const NumericTable> table);

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] std::int64_t queries() const override { return table_->rows(); }
  [[nodiscard]] std::int64_t classes() const override { return table_->columns(); }
  [[nodiscard]] std::int64_t teachers() const override { return teachers_; }

  /// Throws `input_error` at the first row with a count that is negative or no integer, or with
  /// another sum than `teachers()`. Queries outside the table are a bug: `std::out_of_range`.
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override;

 private:
  std::shared_ptr<const NumericTable> table_;
  std::int64_t teachers_ = 0;
};

}  // namespace pate
