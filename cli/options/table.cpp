#include "cli/options/table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string_view>

namespace pate::cli {

namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string markdown_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '_' || c == '*' || c == '`') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string latex_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      result += fmt::format("\\{}{{}}", c);
    } else {
      if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

}  // namespace

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
          result += (i == 0 ? "" : " & ") + latex_cell(cells[i]);
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
