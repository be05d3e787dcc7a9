#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/tables/npy_table.hpp"

namespace pate::io {

/// Arrays of an archive as one table, in their order.
class StackedTable final : public NumericTable {
 public:
  enum class Each : std::uint8_t {
    is_a_row,  ///< one-dimensional arrays of one length: one a teacher
    has_rows,  ///< arrays of one shape, one after another: more queries
  };

  /// At least one array; of `has_rows` all of one shape. Throws `input_error`, naming the array, of
  /// `is_a_row` for one of more than one dimension (of more than one column) and for one of another
  /// length than the first.
  StackedTable(std::string name, std::vector<std::shared_ptr<const NpyTable>> arrays,
               Each each = Each::is_a_row);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int dimensions() const override {
    return each_ == Each::is_a_row ? 2 : arrays_.front()->dimensions();
  }
  [[nodiscard]] std::int64_t rows() const override { return std::ssize(arrays_) * height(); }
  [[nodiscard]] std::int64_t columns() const override {
    return each_ == Each::is_a_row ? arrays_.front()->rows() : arrays_.front()->columns();
  }
  /// Format "npz", the dtype of the first array.
  [[nodiscard]] TableDescription description() const override;
  /// With the names of the arrays where they are those of the rows.
  [[nodiscard]] ColumnHeader header() const override;

 private:
  [[nodiscard]] std::int64_t height() const {
    return each_ == Each::is_a_row ? 1 : arrays_.front()->rows();
  }
  // Arrays of one shape and more dimensions have some of the queries, or scores: lines for both.
  [[nodiscard]] std::string help_with_more() const;
  // Calls read(array, block, out) for each row of a block.
  template <typename Number, typename Read>
  void copy_rows(const Block& block, std::span<Number> out, const Read& read) const;
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;

  std::string name_;
  std::vector<std::shared_ptr<const NpyTable>> arrays_;
  Each each_;
};

}  // namespace pate::io
