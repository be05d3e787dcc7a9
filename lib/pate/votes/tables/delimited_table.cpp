#include "pate/votes/tables/delimited_table.hpp"

#include <string_view>
#include <utility>

#include "pate/votes/tables/delimited_parser.hpp"
#include "pate/votes/tables/table_elements.hpp"
#include "pate/votes/tables/text_field.hpp"

namespace pate::io {

std::vector<Separator> separators_in(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view line;
  do {
    const std::size_t end = text.find('\n');
    line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  } while (trim(line).starts_with('#') && !text.empty());
  std::string plain;  // without what is in quotes
  bool quoted = false;
  for (const char c : line) {
    quoted = quoted != (c == '"');
    if (!quoted) plain += c;
  }
  std::vector<Separator> found;
  for (const Separator separator : {Separator::tab, Separator::comma, Separator::semicolon}) {
    if (plain.find(static_cast<char>(separator)) != std::string::npos) found.push_back(separator);
  }
  return found;
}

DelimitedTable::DelimitedTable(std::string name, std::string_view text, Separator separator,
                               const FirstLine& first_line,
                               const std::function<void(std::size_t)>& done)
    : name_(std::move(name)),
      separator_(separator),
      table_(DelimitedParser(text, separator, first_line, name_, done).parse()) {}

template <typename Number>
void DelimitedTable::copy_runs(const Block& block, std::span<Number> out) const {
  // Whole rows lie one after the other: all of them are one run.
  const bool whole = block.column_count == columns();
  const std::size_t run = whole ? out.size() : static_cast<std::size_t>(block.column_count);
  for (std::size_t begin = 0; begin < out.size(); begin += run) {
    const auto row = block.first_row + static_cast<std::int64_t>(begin) / block.column_count;
    const auto first = static_cast<std::size_t>(row * columns() + block.first_column);
    const std::size_t copied = table_.numbers.copy(table_.skipped + first, out.subspan(begin, run));
    if (copied == run) continue;
    const auto bad = static_cast<std::int64_t>(first + copied);
    fail_field(name_, table_, bad / columns(), bad % columns(), kExpectedElement<Number>,
               table_.numbers.show(table_.skipped + first + copied));
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
  const auto cells = static_cast<std::size_t>(rows() * columns());
  result.dtype = table_.truths == cells && cells > 0 ? "bool"
                 : table_.numbers.all_integers()     ? "int64"
                                                     : "float64";
  result.shape = {rows()};
  if (dimensions() == 2) result.shape.push_back(columns());
  return result;
}

}  // namespace pate::io
