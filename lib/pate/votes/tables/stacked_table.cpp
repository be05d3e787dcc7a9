#include "pate/votes/tables/stacked_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate::io {

StackedTable::StackedTable(std::string name, std::vector<std::shared_ptr<const NpyTable>> arrays,
                           Each each)
    : name_(std::move(name)), arrays_(std::move(arrays)), each_(each) {
  if (each_ == Each::has_rows) return;
  for (const auto& array : arrays_) {
    if (array->columns() != 1) {
      throw input_error(fmt::format(
          "{}: expected one-dimensional arrays, one a teacher, of an archive of "
          "several; found shape "
          "({}, {}...): name the one that has the votes, {}{}",
          array->name(), array->rows(), array->columns(), array->name(), help_with_more()));
    }
    if (array->rows() != arrays_.front()->rows()) {
      throw input_error(fmt::format("{}: expected {} numbers, as {} has, found {}", array->name(),
                                    arrays_.front()->rows(), arrays_.front()->name(),
                                    array->rows()));
    }
  }
}

std::string StackedTable::help_with_more() const {
  const std::vector<std::int64_t> shape = arrays_.front()->description().shape;
  const bool one_shape = std::ranges::all_of(
      arrays_, [&](const auto& array) { return array->description().shape == shape; });
  if (shape.size() < 2 || !one_shape) return {};
  const bool scores = shape.size() == 2 && arrays_.front()->description().dtype.find('f') == 1;
  return fmt::format(
      "; if each has {}: {}",
      scores ? fmt::format("the scores of one teacher, queries x classes, it votes for its best "
                           "class, to be read with \1classes {}",
                           shape.back())
             : "some of the queries of all teachers, what makes one array of them",
      conversion_line(
          name_,
          fmt::format(
              R"(python3 -c 'import numpy as n; a = n.load("{{0}}").values(); n.save("{{1}}.npy", {})')",
              scores ? "n.stack([x.argmax(-1) for x in a])" : "n.concatenate([*a], 1)")));
}

TableDescription StackedTable::description() const {
  TableDescription first = arrays_.front()->description();
  if (each_ == Each::is_a_row) return {"npz", first.dtype, {rows(), columns()}};
  first.shape.front() = rows();
  return first;
}

ColumnHeader StackedTable::header() const {
  ColumnHeader header;
  if (each_ == Each::has_rows) return header;
  for (const auto& array : arrays_) {
    const std::string& name = array->name();  // FILE:ARRAY
    header.rows.push_back(name.substr(std::min(name.size(), name_.size() + 1)));
  }
  return header;
}

template <typename Number, typename Read>
void StackedTable::copy_rows(const Block& block, std::span<Number> out, const Read& read) const {
  const auto width = static_cast<std::size_t>(block.column_count);
  for (std::int64_t i = 0; i < block.row_count; ++i) {
    const std::int64_t row = block.first_row + i;
    const NpyTable& array = *arrays_[static_cast<std::size_t>(row / height())];
    const auto to = out.subspan(static_cast<std::size_t>(i) * width, width);
    if (each_ == Each::is_a_row) {
      read(array, Block{block.first_column, block.column_count, 0, 1}, to);
    } else {
      read(array, Block{row % height(), 1, block.first_column, block.column_count}, to);
    }
  }
}

void StackedTable::copy(const Block& block, std::span<std::int64_t> out) const {
  copy_rows(block, out, [](const NpyTable& array, const Block& part, auto to) {
    array.read_integers(part.first_row, part.row_count, part.first_column, part.column_count, to);
  });
}

void StackedTable::copy(const Block& block, std::span<double> out) const {
  copy_rows(block, out, [](const NpyTable& array, const Block& part, auto to) {
    array.read_reals(part.first_row, part.row_count, part.first_column, part.column_count, to);
  });
}

}  // namespace pate::io
