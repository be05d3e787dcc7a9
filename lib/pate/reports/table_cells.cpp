#include "pate/reports/table_cells.hpp"

namespace pate {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string markdown_cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("|\\<`*_").find(c) != std::string_view::npos) result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

}  // namespace pate
