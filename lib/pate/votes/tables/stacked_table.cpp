#include "pate/votes/tables/stacked_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate::io {

StackedTable::StackedTable(std::string name, std::vector<std::shared_ptr<const NpyTable>> arrays)
    : name_(std::move(name)), arrays_(std::move(arrays)) {
  for (const auto& array : arrays_) {
    if (array->columns() != 1) {
      throw input_error(fmt::format(
          "{}: expected one-dimensional arrays, one a teacher, of an archive of "
          "several; found shape "
          "({}, {}...): name the one that has the votes, {}{}",
          array->name(), array->rows(), array->columns(), array->name(), help_with_scores()));
    }
    if (array->rows() != arrays_.front()->rows()) {
      throw input_error(fmt::format("{}: expected {} numbers, as {} has, found {}", array->name(),
                                    arrays_.front()->rows(), arrays_.front()->name(),
                                    array->rows()));
    }
  }
}

std::string StackedTable::help_with_scores() const {
  const std::vector<std::int64_t> shape = arrays_.front()->description().shape;
  const bool one_shape = std::ranges::all_of(
      arrays_, [&](const auto& array) { return array->description().shape == shape; });
  if (shape.size() != 2 || !one_shape) return {};
  return fmt::format(
      "; if each has the scores of one teacher, queries x classes, it votes for its best class, to "
      "be read with --classes {}: {}",
      shape.back(),
      conversion_line(name_, R"(python3 -c 'import numpy as n; n.save("{1}.npy", )"
                             R"(n.stack([a.argmax(-1) for a in n.load("{0}").values()]))')"));
}

TableDescription StackedTable::description() const {
  return {"npz", arrays_.front()->description().dtype, {rows(), columns()}};
}

ColumnHeader StackedTable::header() const {
  ColumnHeader header;
  for (const auto& array : arrays_) {
    const std::string& name = array->name();  // FILE:ARRAY
    header.rows.push_back(name.substr(std::min(name.size(), name_.size() + 1)));
  }
  return header;
}

void StackedTable::copy(const Block& block, std::span<std::int64_t> out) const {
  const auto width = static_cast<std::size_t>(block.column_count);
  for (std::int64_t i = 0; i < block.row_count; ++i) {
    arrays_[static_cast<std::size_t>(block.first_row + i)]->read_integers(
        block.first_column, block.column_count, 0, 1,
        out.subspan(static_cast<std::size_t>(i) * width, width));
  }
}

void StackedTable::copy(const Block& block, std::span<double> out) const {
  const auto width = static_cast<std::size_t>(block.column_count);
  for (std::int64_t i = 0; i < block.row_count; ++i) {
    arrays_[static_cast<std::size_t>(block.first_row + i)]->read_reals(
        block.first_column, block.column_count, 0, 1,
        out.subspan(static_cast<std::size_t>(i) * width, width));
  }
}

}  // namespace pate::io
