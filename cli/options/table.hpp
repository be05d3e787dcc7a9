#pragma once

#include <array>
#include <string>
#include <vector>

#include "pate/accounting/names.hpp"

namespace pate::cli {

/// How a table is written.
enum class TableFormat { csv, markdown, latex };

/// A table of a report, for papers, pages and spreadsheets.
struct TextTable {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the titles

  /// csv: RFC 4180 with newlines; markdown: as GitHub has it; latex: a tabular, of no package.
  [[nodiscard]] std::string text(TableFormat format) const;
};

/// A number as a cell: in csv it reads back to the same double, elsewhere `rounded` stands for it.
[[nodiscard]] std::string table_number(double value, std::string rounded, TableFormat format);

}  // namespace pate::cli

template <>
inline constexpr std::array<pate::Named<pate::cli::TableFormat>, 3>
    pate::kNames<pate::cli::TableFormat>{{
        {pate::cli::TableFormat::csv, "csv"},
        {pate::cli::TableFormat::markdown, "markdown"},
        {pate::cli::TableFormat::latex, "latex"},
    }};
