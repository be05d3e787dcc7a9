#include "pate/io/delimited_table.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "pate/error.hpp"

namespace pate {

DelimitedTable::DelimitedTable(std::string name, std::string_view text, Separator separator,
                               const std::function<void(std::size_t)>& done)
    : name_(std::move(name)),
      separator_(separator),
      table_(parse_delimited(text, separator, name_, done)) {}

template <typename Number, typename Copy>
void DelimitedTable::read(const Block& block, std::span<Number> out, Copy copy,
                          std::string_view expected) const {
  const auto inside = [](std::int64_t first, std::int64_t count, std::int64_t total) {
    return first >= 0 && count >= 0 && count <= total && first <= total - count;
  };
  if (!inside(block.first_row, block.row_count, rows()) ||
      !inside(block.first_column, block.column_count, columns()) ||
      out.size() != static_cast<std::size_t>(block.row_count * block.column_count)) {
    throw std::out_of_range(
        "DelimitedTable: block outside the table or of another size than its buffer");
  }
  if (out.empty()) return;
  // Whole rows lie one after the other: all of them are one run.
  const bool whole = block.column_count == columns();
  const std::size_t run = whole ? out.size() : static_cast<std::size_t>(block.column_count);
  for (std::size_t begin = 0; begin < out.size(); begin += run) {
    const auto row = block.first_row + static_cast<std::int64_t>(begin) / block.column_count;
    const auto first = static_cast<std::size_t>(row * columns() + block.first_column);
    const std::size_t copied = copy(first, out.subspan(begin, run));
    if (copied == run) continue;
    const auto bad = static_cast<std::int64_t>(first + copied);
    throw input_error(fmt::format("{}: row {} (line {}), column {}: expected {}, found {}", name_,
                                  bad / columns(), bad / columns() + (table_.has_header ? 2 : 1),
                                  bad % columns(), expected, table_.numbers.show(first + copied)));
  }
}

void DelimitedTable::read_integers(std::int64_t first_row, std::int64_t row_count,
                                   std::int64_t first_column, std::int64_t column_count,
                                   std::span<std::int64_t> out) const {
  read(
      {first_row, row_count, first_column, column_count}, out,
      [this](std::size_t first, std::span<std::int64_t> to) {
        return table_.numbers.copy_integers(first, to);
      },
      "an integer in the range of int64");
}

void DelimitedTable::read_reals(std::int64_t first_row, std::int64_t row_count,
                                std::int64_t first_column, std::int64_t column_count,
                                std::span<double> out) const {
  read(
      {first_row, row_count, first_column, column_count}, out,
      [this](std::size_t first, std::span<double> to) {
        return table_.numbers.copy_reals(first, to);
      },
      "a finite number");
}

TableDescription DelimitedTable::description() const {
  TableDescription result;
  result.format = separator_ == Separator::tab      ? "tsv"
                  : separator_ == Separator::blanks ? "text"
                                                    : "csv";
  result.dtype = table_.numbers.all_integers() ? "int64" : "float64";
  result.shape = {rows()};
  if (dimensions() == 2) result.shape.push_back(columns());
  return result;
}

}  // namespace pate
