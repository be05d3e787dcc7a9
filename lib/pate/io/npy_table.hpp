#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pate/io/mapped_file.hpp"
#include "pate/io/npy_header.hpp"
#include "pate/io/table_description.hpp"
#include "pate/votes/numeric_table.hpp"

namespace pate {

/// A .npy array as a table, C or Fortran order, read where it lies.
///
/// Of a large file only some tens of megabytes stay in resident memory however it is read.
/// Asking for a block outside the table, or one of another size than `out`, is a bug:
/// `std::out_of_range`.
class NpyTable final : public NumericTable {
 public:
  /// The table in a mapped file. Throws `input_error` for a malformed header (`parse_npy_header`)
  /// and for a file shorter or longer than its shape says.
  explicit NpyTable(MappedFile file);
  /// The table in a .npy file that is already in memory (a member of an archive, standard input),
  /// called `name` in messages; throws the same errors.
  NpyTable(std::string name, std::vector<std::byte> contents);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return static_cast<int>(header_.shape.size()); }
  [[nodiscard]] std::int64_t rows() const override { return header_.shape.front(); }
  [[nodiscard]] std::int64_t columns() const override {
    return header_.shape.size() == 2 ? header_.shape.back() : 1;
  }

  /// Throws `input_error` at the first element of the block, row by row, that is no integer in the
  /// range of int64.
  void read_integers(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                     std::int64_t column_count, std::span<std::int64_t> out) const override;
  /// Throws `input_error` at the first element of the block that is NaN or infinite. Integers
  /// beyond 2^53 are rounded to the nearest double.
  void read_reals(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                  std::int64_t column_count, std::span<double> out) const override;

  [[nodiscard]] TableDescription description() const;
  /// The whole file, header included.
  [[nodiscard]] std::span<const std::byte> contents() const;
  /// The mapped file; only for a table made from one (`std::bad_optional_access` otherwise).
  [[nodiscard]] const MappedFile& file() const { return file_.value(); }

 private:
  // What depends on the dtype. A copier converts `count` elements that lie one after the other to
  // `to[0], to[stride], ...` and returns whether all of them could be; it copies on past those
  // that could not.
  struct ElementFunctions {
    bool (*copy_integers)(const std::byte* from, std::size_t count, std::int64_t* to,
                          std::size_t stride);
    bool (*copy_reals)(const std::byte* from, std::size_t count, double* to, std::size_t stride);
    std::string (*show)(const std::byte* from);
  };
  struct Block {
    std::int64_t first_row, row_count, first_column, column_count;
  };

  template <typename T, bool swapped>
  static ElementFunctions functions_for();
  template <bool swapped>
  static ElementFunctions functions_for_kind(const NpyHeader& header);
  static ElementFunctions choose_functions(const NpyHeader& header);

  template <typename Number, typename Copy>
  void read(const Block& block, std::span<Number> out, Copy copy, const char* expected) const;
  template <typename Number, typename Copy>
  [[noreturn]] void report(const Block& block, Copy copy, const char* expected) const;
  [[nodiscard]] const std::byte* element(std::int64_t row, std::int64_t column) const;
  void check_size() const;
  void count_touched(std::int64_t runs, std::int64_t elements) const;

  std::string name_;
  std::optional<MappedFile> file_;
  std::vector<std::byte> buffer_;
  NpyHeader header_;
  ElementFunctions functions_;
  const std::byte* data_;
  // Bytes that may have become resident since pages were last dropped, estimated from above.
  mutable std::atomic<std::size_t> touched_ = 0;
};

/// Maps a .npy file. Throws `input_error` as `MappedFile` and `NpyTable` do.
[[nodiscard]] std::unique_ptr<NumericTable> open_npy(const std::filesystem::path& path);

}  // namespace pate
