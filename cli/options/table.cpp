#include "cli/options/table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "pate/reports/table_cells.hpp"
#include "pate/reports/tex_text.hpp"

namespace pate::cli {

std::string TextTable::text(TableFormat format) const {
  std::string result;
  const auto add_row = [&](const std::vector<std::string>& cells) {
    if (format == TableFormat::markdown) result += "| ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      switch (format) {
        case TableFormat::csv:
          result += (i == 0 ? "" : ",") + csv_cell(cells[i]);
          break;
        case TableFormat::markdown:
          result += markdown_cell(cells[i]) + " |";
          break;
        case TableFormat::latex:
          result += (i == 0 ? "" : " & ") + tex_text(cells[i]);
          break;
      }
      if (format == TableFormat::markdown && i + 1 < cells.size()) result += ' ';
    }
    result += format == TableFormat::latex ? " \\\\\n" : "\n";
  };
  if (format == TableFormat::latex) {
    result += fmt::format("\\begin{{tabular}}{{{}}}\n\\hline\n", std::string(titles.size(), 'l'));
  }
  add_row(titles);
  if (format == TableFormat::markdown) {
    result += '|';
    for (std::size_t i = 0; i < titles.size(); ++i) result += " --- |";
    result += '\n';
  }
  if (format == TableFormat::latex) result += "\\hline\n";
  for (const auto& row : rows) add_row(row);
  if (format == TableFormat::latex) result += "\\hline\n\\end{tabular}\n";
  return result;
}

std::string table_number(double value, std::string rounded, TableFormat format) {
  if (format != TableFormat::csv) return rounded;
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

}  // namespace pate::cli
