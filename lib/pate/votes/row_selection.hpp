#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pate {

/// Which rows of the votes take part, in which order: all, a range, or a list that may repeat rows
/// (each repetition is a query of its own and is charged as one).
class RowSelection {
 public:
  /// Every row of a table of `rows` rows. Throws `parameter_error` unless rows >= 0.
  [[nodiscard]] static RowSelection all(std::int64_t rows);
  /// Rows 0 .. n - 1. Throws `parameter_error` unless n >= 0.
  [[nodiscard]] static RowSelection first(std::int64_t n);
  /// Rows begin .. end - 1. Throws `parameter_error` unless 0 <= begin <= end.
  [[nodiscard]] static RowSelection range(std::int64_t begin, std::int64_t end);
  /// These rows; `source` is what to call the list in messages, the file it is from.
  [[nodiscard]] static RowSelection list(std::vector<std::int64_t> rows,
                                         std::string source = "list of rows");

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// The row at position `i`, 0 <= i < size().
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return contiguous_ ? begin_ + i : rows_[static_cast<std::size_t>(i)];
  }
  /// Whether the rows are (*this)[0], (*this)[0] + 1, ... so that they can be read as one block.
  [[nodiscard]] bool is_contiguous() const { return contiguous_; }

  /// Calls read(row, offset, count) for ranges of consecutive rows that together are the positions
  /// first .. first + count - 1; offsets count from `first`.
  template <class Read>
  void for_each_range(std::int64_t first, std::int64_t count, const Read& read) const {
    for (std::int64_t begin = 0; begin < count;) {
      std::int64_t end = contiguous_ ? count : begin + 1;
      while (end < count && rows_[static_cast<std::size_t>(first + end)] ==
                                rows_[static_cast<std::size_t>(first + end - 1)] + 1) {
        ++end;
      }
      read((*this)[first + begin], begin, end - begin);
      begin = end;
    }
  }

  /// Throws `input_error` when the selection asks for a row that a table of `rows` rows, called
  /// `name`, does not have.
  void check(const std::string& name, std::int64_t rows) const;

 private:
  RowSelection(std::int64_t begin, std::int64_t size) : begin_(begin), size_(size) {}

  std::int64_t begin_;
  std::int64_t size_;
  bool contiguous_ = true;
  bool listed_ = false;
  std::vector<std::int64_t> rows_;  // of a list, else empty
  std::string source_;              // of a list, else empty
};

/// Reads the argument of `--queries`: "N", the first N rows, or "A:B", rows A .. B - 1.
///
/// Throws `parameter_error` quoting the text for anything else: signs, spaces, no rows at all
/// (N = 0, B <= A), numbers beyond int64.
[[nodiscard]] RowSelection parse_row_range(std::string_view text);

}  // namespace pate
