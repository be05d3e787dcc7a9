#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pate {

/// A rectangular table of numbers from some file, read block by block so that a dump larger than
/// memory can be analysed. Implemented by the file formats in `io`; one-dimensional arrays are
/// tables with one column.
///
/// Reading is thread safe and never changes the table. Row and column numbers in errors count
/// from 0, as in numpy.
class NumericTable {
 public:
  NumericTable() = default;
  NumericTable(const NumericTable&) = delete;
  NumericTable& operator=(const NumericTable&) = delete;
  virtual ~NumericTable() = default;

  /// How the table is called in messages: the path, or `file.npz:member`, or `<stdin>`.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// 1 or 2; a one-dimensional array has `columns() == 1`.
  [[nodiscard]] virtual int dimensions() const = 0;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t columns() const = 0;

  /// Copies the block of `row_count` rows from `first_row` on and `column_count` columns from
  /// `first_column` on into `out`, row-major. Throws `input_error` naming table, row, column and
  /// value where an element is not an integer in the range of int64 (fractions, NaN, infinities).
  virtual void read_integers(std::int64_t first_row, std::int64_t row_count,
                             std::int64_t first_column, std::int64_t column_count,
                             std::span<std::int64_t> out) const = 0;

  /// The same block as doubles; throws `input_error` where an element is NaN or infinite.
  virtual void read_reals(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                          std::int64_t column_count, std::span<double> out) const = 0;
};

}  // namespace pate
