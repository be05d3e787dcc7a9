#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace pate {

/// How a table is stored, for the `inputs` of a report.
struct TableDescription {
  /// "npy", "npz", "csv" (also with semicolons), "tsv" or "text" (columns apart by spaces); what is
  /// inside where the file is compressed.
  std::string format;
  std::string dtype;                ///< as the file spells it: "<i8"; of text "int64" or "float64"
  std::vector<std::int64_t> shape;  ///< as the file has it
};

/// How a file is read where its bytes leave it open: the first line and the first column of text,
/// and what is no number.
struct FirstLine {
  /// What a first line 0,1,...,n-1 (n >= 2) may be, which pandas writes as names of columns.
  enum class Counting : std::uint8_t {
    numbers,    ///< numbers
    counts,     ///< a header where no other row has its sum; refused elsewhere
    class_ids,  ///< a header where it goes beyond the classes; refused elsewhere
  };
  Counting counting = Counting::numbers;
  std::int64_t classes = 0;  ///< of `class_ids`
  /// A header or not, whatever it holds.
  std::optional<bool> is_header = {};
  /// An index of the rows, which is left out, or not.
  std::optional<bool> index_column = {};
  /// What a missing value is read as, where integers are asked for: NaN, of text also an empty
  /// field and how missing values are written ("NA").
  std::optional<std::int64_t> missing = {};
  /// Words of text that are read as their place here: what classes are called.
  std::vector<std::string> class_names = {};
  /// Whether numbers are class ids, and words may be names of classes that nobody said.
  bool takes_class_names = false;
  /// Whether an archive of several one-dimensional arrays of one length is a table of them as rows.
  bool stack_members = false;
};

/// What is around the numbers of a text: the first line where it names the columns, and what is
/// left out.
struct ColumnHeader {
  std::vector<std::string> names;  ///< none without a header; without that of an index column
  bool counted = false;         ///< it is 0, 1, 2, ..., as pandas names columns that have no names
  bool left_out_index = false;  ///< a first column is an index of the rows, and left out
  bool index_counts = true;     ///< that column is 0, 1, 2, ...
  bool first_counts = false;    ///< one that is not left out is 0, 1, 2, ..., of three rows or more
  std::int64_t comments = 0;    ///< lines that begin with #, which are left out
  char separator = ',';         ///< of text, between fields
  std::vector<std::string> rows = {};  ///< what rows are called: arrays of an archive
};

/// A rectangular table of numbers from some file, read block by block so that a dump larger than
/// memory can be analysed. Implemented by the file formats in `io`; one-dimensional arrays are
/// tables with one column, of three dimensions the last two lie one after the other in a row.
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
  /// 1 to 3; a one-dimensional array has `columns() == 1`.
  [[nodiscard]] virtual int dimensions() const = 0;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t columns() const = 0;

  [[nodiscard]] virtual TableDescription description() const = 0;
  [[nodiscard]] virtual ColumnHeader header() const { return {}; }

  /// Copies the block of `row_count` rows from `first_row` on and `column_count` columns from
  /// `first_column` on into `out`, row-major. Throws `input_error` naming table, row, column and
  /// value at the first element, row by row, that is not an integer in the range of int64
  /// (fractions, NaN, infinities). A block outside the table, or of another size than `out`, is a
  /// bug: `std::out_of_range`.
  void read_integers(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                     std::int64_t column_count, std::span<std::int64_t> out) const {
    read(Block{first_row, row_count, first_column, column_count}, out);
  }

  /// The same block as doubles; throws `input_error` at the first element that is NaN or infinite.
  /// Integers beyond 2^53 are rounded to the nearest double.
  void read_reals(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                  std::int64_t column_count, std::span<double> out) const {
    read(Block{first_row, row_count, first_column, column_count}, out);
  }

 protected:
  /// Rows and columns within the table.
  struct Block {
    std::int64_t first_row, row_count, first_column, column_count;
  };

 private:
  /// Copy a block that is not empty into a buffer of its size.
  virtual void copy(const Block& block, std::span<std::int64_t> out) const = 0;
  virtual void copy(const Block& block, std::span<double> out) const = 0;

  template <typename Number>
  void read(const Block& block, std::span<Number> out) const {
    const auto inside = [](std::int64_t first, std::int64_t count, std::int64_t total) {
      return first >= 0 && count >= 0 && count <= total && first <= total - count;
    };
    if (!inside(block.first_row, block.row_count, rows()) ||
        !inside(block.first_column, block.column_count, columns()) ||
        out.size() != static_cast<std::size_t>(block.row_count * block.column_count)) {
      throw std::out_of_range(
          "NumericTable: block outside the table or of another size than its buffer");
    }
    if (!out.empty()) copy(block, out);
  }
};

}  // namespace pate
