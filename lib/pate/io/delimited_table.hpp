#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "pate/io/delimited_text.hpp"
#include "pate/io/table_description.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate {

/// A table from text (CSV, TSV and their like), held in memory.
///
/// Integers take 1 to 8 bytes each as they need, other numbers 8: a table of votes takes less
/// memory than its text. A table with one column is one-dimensional. Asking for a block outside the
/// table, or one of another size than `out`, is a bug: `std::out_of_range`.
class DelimitedTable final : public NumericTable {
 public:
  /// The table in a text, which is not needed afterwards; throws what `parse_delimited` throws and
  /// calls `done` as it does. `name` is for messages.
  DelimitedTable(std::string name, std::string_view text, Separator separator,
                 const std::function<void(std::size_t)>& done = {});

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return table_.columns == 1 ? 1 : 2; }
  [[nodiscard]] std::int64_t rows() const override { return table_.rows; }
  [[nodiscard]] std::int64_t columns() const override { return table_.columns; }

  /// Throws `input_error` naming row, line, column and value at the first element of the block, row
  /// by row, that is no integer in the range of int64.
  void read_integers(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                     std::int64_t column_count, std::span<std::int64_t> out) const override;
  /// Throws `input_error` at the first element of the block that is NaN or infinite. Integers
  /// beyond 2^53 are rounded to the nearest double.
  void read_reals(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                  std::int64_t column_count, std::span<double> out) const override;

  /// Format "csv", "tsv" or "text" after the separator, dtype "int64" or, where a number was
  /// written as a real, "float64".
  [[nodiscard]] TableDescription description() const;

 private:
  struct Block {
    std::int64_t first_row, row_count, first_column, column_count;
  };

  template <typename Number, typename Copy>
  void read(const Block& block, std::span<Number> out, Copy copy, std::string_view expected) const;

  std::string name_;
  Separator separator_;
  DelimitedNumbers table_;
};

}  // namespace pate
