#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "pate/io/delimited_text.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate::io {

/// A table from text (CSV, TSV and their like), held in memory.
///
/// Integers take 1 to 8 bytes each as they need, other numbers 8: a table of votes takes less
/// memory than its text. A table with one column is one-dimensional. Errors name the line, too.
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

  /// Format "csv", "tsv" or "text" after the separator, dtype "int64" or, where a number was
  /// written as a real, "float64".
  [[nodiscard]] TableDescription description() const override;

 private:
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;
  template <typename Number>
  void copy_runs(const Block& block, std::span<Number> out) const;

  std::string name_;
  Separator separator_;
  DelimitedNumbers table_;
};

}  // namespace pate::io
