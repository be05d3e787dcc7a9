#include "pate/votes/tables/sparse_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pate/base/error.hpp"

namespace pate::io {

namespace {

// A row is written out as a whole, and a file of a few bytes can have very long ones.
constexpr std::int64_t kMaxColumns = 1'000'000;
constexpr std::int64_t kIndicesAtOnce = 1 << 16;

std::vector<std::int64_t> read_all(const NpyTable& array, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  array.read_integers(first, count, 0, 1, values);
  return values;
}

// What a message says after the place that it names.
std::string after_place(const std::string& message) {
  const std::size_t at = message.find(": expected ");
  return at == std::string::npos ? message : message.substr(at);
}

}  // namespace

SparseTable::SparseTable(std::string name, SparseArrays arrays)
    : name_(std::move(name)), arrays_(std::move(arrays)) {
  for (const auto* array : {&arrays_.data, &arrays_.indices, &arrays_.indptr, &arrays_.shape}) {
    if ((*array)->dimensions() == 1) continue;
    throw input_error(fmt::format("{}: expected a one-dimensional array, found {} dimensions",
                                  (*array)->name(), (*array)->dimensions()));
  }
  if (arrays_.shape->rows() != 2) {
    throw input_error(fmt::format("{}: expected a sparse matrix of 2 dimensions, found {}", name_,
                                  arrays_.shape->rows()));
  }
  const std::vector<std::int64_t> shape = read_all(*arrays_.shape, 0, 2);
  rows_ = shape[0];
  columns_ = shape[1];
  const std::int64_t offsets = arrays_.indptr->rows();
  if (rows_ < 0 || columns_ < 0 || columns_ > kMaxColumns || offsets < 1 || rows_ != offsets - 1) {
    throw input_error(fmt::format(
        "{}: expected a sparse matrix of as many rows as offsets in indptr less one, {}, and at "
        "most {} columns, found shape ({}, {})",
        name_, offsets - 1, kMaxColumns, rows_, columns_));
  }
  begins_ = read_all(*arrays_.indptr, 0, offsets);
  const std::int64_t stored = arrays_.indices->rows();
  if (begins_.front() != 0 || begins_.back() != stored || arrays_.data->rows() != stored) {
    throw input_error(fmt::format(
        "{}: expected offsets in indptr from 0 to the number of indices and of data, found {} to "
        "{}, {} indices, {} data",
        name_, begins_.front(), begins_.back(), stored, arrays_.data->rows()));
  }
  for (std::size_t i = 1; i < begins_.size(); ++i) {
    if (begins_[i] >= begins_[i - 1]) continue;
    throw input_error(
        fmt::format("{}: row {}: expected offsets in indptr that do not decrease, "
                    "found {} after {}",
                    name_, i - 1, begins_[i], begins_[i - 1]));
  }
  check_rows();
}

void SparseTable::check_rows() const {
  std::vector<std::int64_t> indices;
  for (std::int64_t first = 0; first < rows_;) {
    // Rows together, at least one.
    std::int64_t last = first + 1;
    const auto begin = [&](std::int64_t row) { return begins_[static_cast<std::size_t>(row)]; };
    while (last < rows_ && begin(last + 1) - begin(first) <= kIndicesAtOnce) ++last;
    indices = read_all(*arrays_.indices, begin(first), begin(last) - begin(first));
    for (std::int64_t row = first; row < last; ++row) {
      const auto of_row =
          std::span(indices).subspan(static_cast<std::size_t>(begin(row) - begin(first)),
                                     static_cast<std::size_t>(begin(row + 1) - begin(row)));
      std::int64_t previous = -1;
      bool ascending = true;
      for (const std::int64_t index : of_row) {
        if (index < 0 || index >= columns_) {
          throw input_error(fmt::format("{}: row {}: expected columns in 0..{}, found {}", name_,
                                        row, columns_ - 1, index));
        }
        ascending = ascending && index > previous;
        previous = index;
      }
      if (ascending) continue;
      std::ranges::sort(of_row);
      const auto twice = std::ranges::adjacent_find(of_row);
      if (twice == of_row.end()) continue;
      throw input_error(fmt::format(
          "{}: row {}, column {}: expected one value, found two; sum_duplicates() of scipy adds "
          "them up",
          name_, row, *twice));
    }
    first = last;
  }
}

TableDescription SparseTable::description() const {
  TableDescription result = arrays_.data->description();
  result.shape = {rows_, columns_};
  return result;
}

template <typename Number>
std::vector<Number> SparseTable::values(std::int64_t first, std::int64_t count) const {
  std::vector<Number> out(static_cast<std::size_t>(count));
  if constexpr (std::is_floating_point_v<Number>) {
    arrays_.data->read_reals(first, count, 0, 1, out);
  } else {
    arrays_.data->read_integers(first, count, 0, 1, out);
  }
  return out;
}

template <typename Number>
void SparseTable::scatter(const Block& block, std::span<Number> out) const {
  std::fill(out.begin(), out.end(), Number{});
  for (std::int64_t i = 0; i < block.row_count; ++i) {
    const std::int64_t row = block.first_row + i;
    const std::int64_t begin = begins_[static_cast<std::size_t>(row)];
    const std::int64_t count = begins_[static_cast<std::size_t>(row) + 1] - begin;
    if (count == 0) continue;
    const std::vector<std::int64_t> indices = read_all(*arrays_.indices, begin, count);
    std::vector<Number> found;
    try {
      found = values<Number>(begin, count);
    } catch (const input_error&) {
      // Once more, one by one, for the place in the matrix.
      for (std::int64_t k = 0; k < count; ++k) {
        try {
          static_cast<void>(values<Number>(begin + k, 1));
        } catch (const input_error& error) {
          throw input_error(fmt::format("{}: row {}, column {}{}", name_, row,
                                        indices[static_cast<std::size_t>(k)],
                                        after_place(error.what())));
        }
      }
      throw;
    }
    const auto to = out.subspan(static_cast<std::size_t>(i * block.column_count),
                                static_cast<std::size_t>(block.column_count));
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const std::int64_t column = indices[k] - block.first_column;
      if (column >= 0 && column < block.column_count) {
        to[static_cast<std::size_t>(column)] = found[k];
      }
    }
  }
}

void SparseTable::copy(const Block& block, std::span<std::int64_t> out) const {
  scatter(block, out);
}

void SparseTable::copy(const Block& block, std::span<double> out) const {
  scatter(block, out);
}

}  // namespace pate::io
