#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/tables/npy_table.hpp"

namespace pate::io {

/// The arrays of a sparse matrix in compressed rows, as `scipy.sparse.save_npz` writes them: of row
/// i, `data[k]` is in column `indices[k]` for k in indptr[i] .. indptr[i + 1] - 1.
struct SparseArrays {
  std::shared_ptr<const NpyTable> data, indices, indptr, shape;
};

/// A sparse matrix as a table: what is not stored is 0. Only the rows that are being read are ever
/// written out; the arrays stay in memory as they are stored.
class SparseTable final : public NumericTable {
 public:
  /// Looks at all indices. Throws `input_error` naming `name`, row and column where arrays have
  /// sizes that do not fit each other, offsets decrease, an index is outside the shape, or a column
  /// occurs twice in a row (scipy would add its values up); for more than 10^6 columns. Indices in
  /// a row may be in any order.
  SparseTable(std::string name, SparseArrays arrays);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return 2; }
  [[nodiscard]] std::int64_t rows() const override { return rows_; }
  [[nodiscard]] std::int64_t columns() const override { return columns_; }
  /// Format "npz", the dtype of the values.
  [[nodiscard]] TableDescription description() const override;

 private:
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;
  template <typename Number>
  void scatter(const Block& block, std::span<Number> out) const;
  template <typename Number>
  [[nodiscard]] std::vector<Number> values(std::int64_t first, std::int64_t count) const;
  void check_rows() const;

  std::string name_;
  SparseArrays arrays_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int64_t> begins_;  // of the rows, and the end
};

}  // namespace pate::io
