#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/tables/table_elements.hpp"

namespace pate::io {

/// What stands between the fields of a line. `blanks`: any number of spaces and tabs, and those at
/// the ends of a line mean nothing.
enum class Separator : char { comma = ',', tab = '\t', semicolon = ';', blanks = ' ' };

/// Which of tab, comma and semicolon, in this order, are in the first line that is no comment,
/// outside quotes.
[[nodiscard]] std::vector<Separator> separators_in(std::string_view text);

/// The numbers of a text table, row by row.
struct DelimitedNumbers {
  PackedNumbers numbers;
  std::size_t skipped = 0;  ///< numbers before the first row
  std::size_t truths = 0;   ///< fields that are True or False
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool has_header = false;
  ColumnHeader header;
  std::vector<std::int64_t> comments;  ///< the row that follows, of every line that is a comment
};

/// A table from text (CSV, TSV and their like), held in memory.
///
/// Integers take 1 to 8 bytes each as they need, other numbers 8: a table of votes takes less
/// memory than its text. A table with one column is one-dimensional. Errors name the line, too.
class DelimitedTable final : public NumericTable {
 public:
  /// Reads lines of numbers with a separator between them; the text is not needed afterwards.
  ///
  /// A first line without any number is a header, or as `first_line` says; with nothing after it
  /// the table has no rows. A first column under an empty heading, "index" or "Unnamed: 0", with
  /// others beside it, is an index and left out; the other headings may be 0,1,...,n-1 then. Of
  /// votes it must be 0, 1, 2, ..., or `first_line` says what it is. With one heading less than
  /// fields the first column names the rows, as R writes it, and is left out. Lines that begin with
  /// # are comments and left out. Fine are also CR LF at the ends of lines, no newline at the end
  /// of the text, empty lines there, blanks around fields, double quotes around numbers, a sign +,
  /// a UTF-8 byte order mark, True and False for 1 and 0. Names of classes are their ids, and
  /// missing values one, where `first_line` says so; a first line of these is none of names. "nan"
  /// and "inf" are numbers here: who asks for the values refuses them. Integers beyond int64 become
  /// reals.
  ///
  /// Throws `input_error` naming `name`, data row (from 0), line (from 1) and column (from 0), what
  /// was expected, the text found and what may help: rows of different lengths, also than the
  /// header; empty fields; fields that are no numbers; numbers no double is near; an empty text; a
  /// header of empty or missing values (a row that would be lost) or of JSON; of votes one that has
  /// a name twice; a first line that may be a header or numbers, a first column that may be an
  /// index or votes, naming the option --header or
  /// --index-column that settles it; comments where they may be something else: beside an index,
  /// and in front a line of several fields of which the first is #.
  ///
  /// `done` is called now and then with how many bytes will not be looked at again.
  DelimitedTable(std::string name, std::string_view text, Separator separator,
                 const FirstLine& first_line = {},
                 const std::function<void(std::size_t)>& done = {});

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return table_.columns == 1 ? 1 : 2; }
  [[nodiscard]] std::int64_t rows() const override { return table_.rows; }
  [[nodiscard]] std::int64_t columns() const override { return table_.columns; }

  /// Format "csv", "tsv" or "text" after the separator, dtype "int64" or, where a number was
  /// written as a real, "float64"; "bool" where all are True or False.
  [[nodiscard]] TableDescription description() const override;
  [[nodiscard]] ColumnHeader header() const override { return table_.header; }

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
