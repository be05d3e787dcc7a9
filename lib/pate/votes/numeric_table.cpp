#include "pate/votes/numeric_table.hpp"

#include <cstddef>
#include <stdexcept>

namespace pate {

namespace {

bool inside(std::int64_t first, std::int64_t count, std::int64_t total) {
  return first >= 0 && count >= 0 && count <= total && first <= total - count;
}

}  // namespace

template <typename Number>
void NumericTable::read(const Block& block, std::span<Number> out) const {
  if (!inside(block.first_row, block.row_count, rows()) ||
      !inside(block.first_column, block.column_count, columns()) ||
      out.size() != static_cast<std::size_t>(block.row_count * block.column_count)) {
    throw std::out_of_range(
        "NumericTable: block outside the table or of another size than its buffer");
  }
  if (!out.empty()) copy(block, out);
}

void NumericTable::read_integers(std::int64_t first_row, std::int64_t row_count,
                                 std::int64_t first_column, std::int64_t column_count,
                                 std::span<std::int64_t> out) const {
  read(Block{first_row, row_count, first_column, column_count}, out);
}

void NumericTable::read_reals(std::int64_t first_row, std::int64_t row_count,
                              std::int64_t first_column, std::int64_t column_count,
                              std::span<double> out) const {
  read(Block{first_row, row_count, first_column, column_count}, out);
}

}  // namespace pate
