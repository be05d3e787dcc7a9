#include "pate/io/delimited_table.hpp"

#include <fmt/format.h>

#include <utility>

#include "pate/error.hpp"
#include "pate/io/table_element.hpp"

namespace pate::io {

DelimitedTable::DelimitedTable(std::string name, std::string_view text, Separator separator,
                               const std::function<void(std::size_t)>& done)
    : name_(std::move(name)),
      separator_(separator),
      table_(parse_delimited(text, separator, name_, done)) {}

template <typename Number>
void DelimitedTable::copy_runs(const Block& block, std::span<Number> out) const {
  // Whole rows lie one after the other: all of them are one run.
  const bool whole = block.column_count == columns();
  const std::size_t run = whole ? out.size() : static_cast<std::size_t>(block.column_count);
  for (std::size_t begin = 0; begin < out.size(); begin += run) {
    const auto row = block.first_row + static_cast<std::int64_t>(begin) / block.column_count;
    const auto first = static_cast<std::size_t>(row * columns() + block.first_column);
    const std::size_t copied = table_.numbers.copy(first, out.subspan(begin, run));
    if (copied == run) continue;
    const auto bad = static_cast<std::int64_t>(first + copied);
    throw input_error(fmt::format("{}: row {} (line {}), column {}: expected {}, found {}", name_,
                                  bad / columns(), bad / columns() + (table_.has_header ? 2 : 1),
                                  bad % columns(), kExpectedElement<Number>,
                                  table_.numbers.show(first + copied)));
  }
}

void DelimitedTable::copy(const Block& block, std::span<std::int64_t> out) const {
  copy_runs(block, out);
}

void DelimitedTable::copy(const Block& block, std::span<double> out) const {
  copy_runs(block, out);
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

}  // namespace pate::io
