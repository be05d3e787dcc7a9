#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/tables/npy_table.hpp"

namespace pate::io {

/// One-dimensional arrays of one length as the rows of a table, in their order: an archive with one
/// array a teacher.
class StackedTable final : public NumericTable {
 public:
  /// At least one array. Throws `input_error`, naming the array, for one of more than one dimension
  /// (of more than one column) and for one of another length than the first.
  StackedTable(std::string name, std::vector<std::shared_ptr<const NpyTable>> arrays);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override { return 2; }
  [[nodiscard]] std::int64_t rows() const override { return std::ssize(arrays_); }
  [[nodiscard]] std::int64_t columns() const override { return arrays_.front()->rows(); }
  /// Format "npz", the dtype of the first array.
  [[nodiscard]] TableDescription description() const override;
  /// With the names of the arrays, which are those of the rows.
  [[nodiscard]] ColumnHeader header() const override;

 private:
  // Arrays of two dimensions and one shape may be scores: the line that makes class ids of them.
  [[nodiscard]] std::string help_with_scores() const;
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;

  std::string name_;
  std::vector<std::shared_ptr<const NpyTable>> arrays_;
};

}  // namespace pate::io
