#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pate/io/table_elements.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate::io {

/// What stands between the fields of a line. `blanks`: any number of spaces and tabs, and those at
/// the ends of a line mean nothing.
enum class Separator : char { comma = ',', tab = '\t', semicolon = ';', blanks = ' ' };

/// The first of tab, comma and semicolon that occurs in the first line, otherwise blanks.
[[nodiscard]] Separator detect_separator(std::string_view text);

/// The numbers of a text table, row by row.
struct DelimitedNumbers {
  PackedNumbers numbers;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool has_header = false;
  std::vector<std::string> names;  ///< of the columns; none without a header
};

/// A table from text (CSV, TSV and their like), held in memory.
///
/// Integers take 1 to 8 bytes each as they need, other numbers 8: a table of votes takes less
/// memory than its text. A table with one column is one-dimensional. Errors name the line, too.
class DelimitedTable final : public NumericTable {
 public:
  /// Reads lines of numbers with a separator between them; the text is not needed afterwards.
  ///
  /// A first line without any number is a header; with nothing after it the table has no rows. Fine
  /// are also CR LF at the ends of lines, no newline at the end of the text, empty lines there,
  /// blanks around fields, double quotes around numbers, a sign +, a UTF-8 byte order mark. "nan"
  /// and "inf" are numbers here: who asks for the values refuses them. Integers beyond int64 become
  /// reals.
  ///
  /// Throws `input_error` naming `name`, data row (from 0), line (from 1) and column (from 0), what
  /// was expected and the text found: rows of different lengths, also than the header; empty
  /// fields; fields that are no numbers; numbers no double is near; an empty text; a header of
  /// empty or missing values (a row that would be lost).
  ///
  /// `done` is called now and then with how many bytes will not be looked at again.
  DelimitedTable(std::string name, std::string_view text, Separator separator,
                 const std::function<void(std::size_t)>& done = {});

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return table_.columns == 1 ? 1 : 2; }
  [[nodiscard]] std::int64_t rows() const override { return table_.rows; }
  [[nodiscard]] std::int64_t columns() const override { return table_.columns; }

  /// Format "csv", "tsv" or "text" after the separator, dtype "int64" or, where a number was
  /// written as a real, "float64".
  [[nodiscard]] TableDescription description() const override;
  [[nodiscard]] std::vector<std::string> column_names() const override { return table_.names; }

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
