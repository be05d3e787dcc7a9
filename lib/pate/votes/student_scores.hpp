#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// A student's scores, queries x classes: for each query a probability per class. What the
/// Interactive aggregator compares the votes with.
class StudentScores {
 public:
  /// `rows` and `classes` are those of the votes. Throws `input_error` naming both shapes when the
  /// table has another one, and says so when it looks transposed.
  StudentScores(std::shared_ptr<const NumericTable> table, std::int64_t rows, std::int64_t classes);

  [[nodiscard]] const std::string& name() const { return table_->name(); }
  [[nodiscard]] std::int64_t rows() const { return table_->rows(); }
  [[nodiscard]] std::int64_t classes() const { return table_->columns(); }

  /// Writes the scores of rows `first .. first + count - 1` to `out`, row-major.
  ///
  /// Throws `input_error` naming row, column and value where a score is not in [0, 1], and naming
  /// row and sum where a row does not sum to 1 within 1e-4. Thread safe.
  void read(std::int64_t first, std::int64_t count, std::span<double> out) const;

 private:
  std::shared_ptr<const NumericTable> table_;
};

}  // namespace pate
