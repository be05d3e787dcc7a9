#pragma once

#include <string>
#include <string_view>

namespace pate {

/// A text as a cell of CSV (RFC 4180): in quotes where it has a comma, a quote or a line break.
[[nodiscard]] std::string csv_cell(std::string_view text);

/// A text as a cell of a table of Markdown: what has a meaning there is escaped, and what cannot be
/// seen is a space.
[[nodiscard]] std::string markdown_cell(std::string_view text);

}  // namespace pate
