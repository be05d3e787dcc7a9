#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pate/base/files.hpp"
#include "pate/votes/numeric_table.hpp"
#include "pate/votes/tables/npy_header.hpp"

namespace pate::io {

/// A .npy array as a table, C or Fortran order, read where it lies. Of three dimensions the last
/// two are the columns, element (j, k) of a row being column j * (the last dimension) + k.
///
/// Of a large file nothing becomes resident but what is being read.
class NpyTable final : public NumericTable {
 public:
  /// The table in a mapped file. Throws `input_error` for a malformed header (`parse_npy_header`)
  /// and for a file shorter or longer than its shape says.
  /// NaN is read as `missing` where integers are asked for.
  explicit NpyTable(MappedFile file, std::optional<std::int64_t> missing = {});
  /// The table in a .npy file that is already in memory (a member of an archive, standard input),
  /// called `name` in messages; throws the same errors. `format` is for its description.
  NpyTable(std::string name, std::vector<std::byte> contents, std::string format = "npy",
           std::optional<std::int64_t> missing = {});

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return static_cast<int>(header_.shape.size()); }
  [[nodiscard]] std::int64_t rows() const override { return header_.shape.front(); }
  [[nodiscard]] std::int64_t columns() const override {
    std::int64_t product = 1;
    for (std::size_t i = 1; i < header_.shape.size(); ++i) product *= header_.shape[i];
    return product;
  }

  [[nodiscard]] TableDescription description() const override;
  /// The whole file, header included.
  [[nodiscard]] std::span<const std::byte> contents() const;
  /// The mapped file; only for a table made from one (`std::bad_optional_access` otherwise).
  [[nodiscard]] const MappedFile& file() const { return file_.value(); }

 private:
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;
  template <typename Number>
  void copy_runs(const Block& block, std::span<Number> out) const;
  template <typename Number>
  void copy_singly(const Block& block, std::span<Number> out) const;
  [[nodiscard]] std::string place(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] std::size_t offset_of(std::int64_t row, std::int64_t column) const;
  void check_size() const;

  std::string name_;
  std::string format_ = "npy";
  std::optional<MappedFile> file_;
  std::vector<std::byte> buffer_;
  std::optional<std::int64_t> missing_;
  NpyHeader header_;
};

}  // namespace pate::io
