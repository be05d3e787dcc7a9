#include "pate/votes/row_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxSum = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kAtOnce = 16384;           // numbers
constexpr std::int64_t kMaxColumns = 10'000'000;  // of which sums are kept
constexpr std::int64_t kWrap = 256;               // where bytes begin again
constexpr std::int64_t kPercent = 100;

// What the numbers of a table that are no counts of one ensemble have in common.
struct TableSums {
  std::vector<std::int64_t> columns;  // their sums, without the last row's
  std::vector<std::int64_t> last_row;
  std::vector<std::int64_t> without;  // per column what is left of row 0
  std::vector<bool> may_go;           // whether every row has that sum without the column
  std::int64_t least = kMaxSum;       // sum of a row
  std::int64_t most = 0;
  std::int64_t largest = 0;
  bool fixed_second = true;  // column 1 never changes and is at least column 0
  bool modulo_wrap = true;   // all sums of rows are one number modulo 256

  // False where a number is out of the range of counts.
  bool add(std::span<const std::int64_t> row);
};

bool TableSums::add(std::span<const std::int64_t> row) {
  std::int64_t sum = 0;
  for (const std::int64_t value : row) {
    if (value < 0 || value > kMaxSum) return false;
    largest = std::max(largest, value);
    sum = std::min(sum + value, kMaxSum + 1);
  }
  const bool first = last_row.empty();
  fixed_second =
      fixed_second && row.size() == 2 && row[1] >= row[0] && (first || last_row[1] == row[1]);
  if (first) {
    columns.assign(row.size(), 0);
    without.resize(row.size());
    may_go.assign(row.size(), true);
    for (std::size_t i = 0; i < row.size(); ++i) without[i] = sum - row[i];
  } else {
    for (std::size_t i = 0; i < row.size(); ++i) {
      // One sum beyond what a sum may be stays there.
      columns[i] = std::min(columns[i] + last_row[i], kMaxSum + 1);
      if (sum - row[i] != without[i]) may_go[i] = false;
    }
    modulo_wrap = modulo_wrap && sum % kWrap == most % kWrap;
  }
  last_row.assign(row.begin(), row.end());
  least = std::min(least, sum);
  most = std::max(most, sum);
  return true;
}

bool are_bytes(const NumericTable& table) {
  return table.description().dtype.ends_with("u1");
}

// The file less its last line.
std::string line_without_last_row(const NumericTable& table) {
  const TableDescription description = table.description();
  if (description.format.starts_with("np")) {
    return conversion_line(
        table.name(), R"(python3 -c 'import numpy as n; n.save("{1}.npy", n.load("{0}")[:-1])')");
  }
  const std::string ending = description.format == "text" ? "txt" : description.format;
  return conversion_line(table.name(), "head -n -1 {0} > {1}." + ending);
}

}  // namespace

std::string column_in_words(const NumericTable& table, std::int64_t column) {
  const std::vector<std::string> names = table.header().names;
  const auto index = static_cast<std::size_t>(column);
  return index < names.size() && !names[index].empty()
             ? fmt::format("column {} (\"{}\")", column, names[index])
             : fmt::format("column {}", column);
}

std::string line_without_column(const NumericTable& table, std::int64_t column) {
  const TableDescription description = table.description();
  if (description.format.starts_with("np")) {
    return conversion_line(
        table.name(),
        fmt::format(
            R"(python3 -c 'import numpy as n; n.save("{{1}}.npy", n.delete(n.load("{{0}}"), {}, 1))')",
            column));
  }
  const ColumnHeader header = table.header();
  const std::string separator =
      header.separator == '\t' ? "" : fmt::format("-d'{}' ", header.separator);
  return conversion_line(table.name(),
                         fmt::format("cut {}\1complement -f{} {{0}} > {{1}}.{}", separator,
                                     column + (header.left_out_index ? 2 : 1),
                                     description.format == "text" ? "txt" : description.format));
}

std::string line_without_array(const NumericTable& table, std::string_view array) {
  return conversion_line(
      table.name(),
      fmt::format(
          R"(python3 -c 'import numpy as n; a = n.load("{{0}}"); n.savez("{{1}}.npz", **{{{{k: a[k] for k in a.files if k != "{}"}}}})')",
          array));
}

std::string fitting_layout(const NumericTable& table) {
  const std::int64_t width = table.columns();
  if (table.rows() < 2 || width < 2 || width > kMaxColumns) return {};
  TableSums sums;
  std::vector<std::int64_t> values;
  const std::int64_t piece = std::max<std::int64_t>(1, kAtOnce / width);
  try {
    for (std::int64_t first = 0; first < table.rows(); first += piece) {
      const std::int64_t rows = std::min(piece, table.rows() - first);
      values.resize(static_cast<std::size_t>(rows * width));
      table.read_integers(first, rows, 0, width, values);
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>(row * width);
        if (!sums.add(std::span(values).subspan(at, static_cast<std::size_t>(width)))) return {};
      }
    }
  } catch (const input_error&) {
    return {};
  }
  if (table.rows() > 2 && sums.columns == sums.last_row) {
    return fmt::format(
        "; the last row is the sum of those above it, a margin; what leaves it out: {}",
        line_without_last_row(table));
  }
  const auto whole = [&](std::size_t i) { return sums.columns[i] + sums.last_row[i]; };
  bool same = whole(0) <= kMaxSum;
  for (std::size_t i = 1; i < sums.columns.size() && same; ++i) same = whole(i) == whole(0);
  if (same) {
    return fmt::format(
        "; but every column has a sum of {}: the file looks transposed (classes x queries)",
        whole(0));
  }
  if (width == 2 && sums.fixed_second) {
    return fmt::format(
        "; if column 0 has the votes for one of two classes and column 1 the number of teachers, "
        "what makes votes for both of them: {}",
        column_line(table, "n.c_[a[:, 1] - a[:, 0], a[:, 0]]"));
  }
  if (are_bytes(table) && sums.modulo_wrap) {
    return "; the counts are bytes, and the sums of rows differ by multiples of 256: those above "
           "255 have wrapped, store counts as int32 (numpy: astype(\"int32\") before adding up)";
  }
  if (table.header().first_counts) {
    return "; if the first column is an index of the rows, add \1index-column yes";
  }
  if (table.rows() > 2 && width > 2) {
    const auto column = std::ranges::find(sums.may_go, true);
    if (column != sums.may_go.end() && std::ranges::count(sums.may_go, true) == 1) {
      const auto index = column - sums.may_go.begin();
      return fmt::format(
          "; without {} every row has a sum of {}: is it no class (a label, an index)? What leaves "
          "it out: {}",
          column_in_words(table, index), sums.without[static_cast<std::size_t>(index)],
          line_without_column(table, index));
    }
  }
  if (2 * sums.least >= 2 * kPercent - width && 2 * sums.most <= 2 * kPercent + width) {
    return "; sums of about 100 are those of percentages that were rounded: votes are numbers of "
           "teachers, which percentages do not keep";
  }
  if (sums.largest >= width) {
    return "; if teachers abstained, add \1abstentions, where a command has that, and how many "
           "they are, \1teachers M";
  }
  return fmt::format("; if these are class ids and not counts, add \1layout predictions{}",
                     width < table.rows() ? "-by-query" : "");
}

}  // namespace pate
