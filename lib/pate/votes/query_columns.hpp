#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/row_selection.hpp"

namespace pate {

// The one-dimensional files beside the votes: labels, decisions, row numbers. Each is an array of
// shape (N,) or (N, 1); of any other shape, (1, N) above all, is an `input_error` that says so.

/// True class ids, one per row of the votes (`--labels`).
///
/// Throws `input_error` when there are not `rows` of them, or naming row and value where one is not
/// an integer in 0 .. classes - 1. Domain: classes < 2^31.
[[nodiscard]] std::vector<std::int32_t> read_labels(const NumericTable& table, std::int64_t rows,
                                                    std::int64_t classes);

/// Which queries a run answered, one entry per row of the votes (`--decisions`): 1 answered, 0
/// refused.
///
/// The file may hold decisions or the labels the run released; its values tell which:
/// * only 0 and 1 (or bool): decisions, 1 means answered;
/// * -1 occurs: released labels, -1 means refused and every label >= 0 answered;
/// * no -1 but values above 1: released labels of a run that answered everything;
/// * anything below -1: an error.
///
/// So the labels of a run over two classes that answered everything cannot be told from decisions
/// and are taken as such; for such a run the file must hold decisions.
///
/// Throws `input_error` when there are not `rows` of them, or naming row and value.
[[nodiscard]] std::vector<std::uint8_t> read_decisions(const NumericTable& table,
                                                       std::int64_t rows);

/// The same from a file that may also have one row per query of the selection `queries`, as the
/// labels of `pate label` do; the result has one entry per row of the votes all the same, 0 for
/// those that were not selected. A file of `rows` rows is one of the votes. Throws `input_error`
/// also where a row was asked more than once and answered differently: that file cannot say it.
[[nodiscard]] std::vector<std::uint8_t> read_decisions(const NumericTable& table, std::int64_t rows,
                                                       const RowSelection& queries);

/// Row numbers, any number of them (`--indices`). Throws `input_error` naming the row where one is
/// no integer; whether the rows exist is for `RowSelection::check` to say.
[[nodiscard]] std::vector<std::int64_t> read_indices(const NumericTable& table);

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
