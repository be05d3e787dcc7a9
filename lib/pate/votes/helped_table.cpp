#include "pate/votes/helped_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate {

namespace {

// A part of the table.
struct Corner {
  std::vector<double> values;
  std::vector<double> sums;  // of numbers that belong together: a row, of three dimensions one axis
  bool has_nan = false;

  template <class Test>
  [[nodiscard]] bool all(const Test& test) const {
    return std::ranges::all_of(values, test);
  }
  [[nodiscard]] bool all_sum_to(double whole) const {
    constexpr double kShareSum = 1e-3;
    return std::ranges::all_of(
        sums, [&](double sum) { return std::abs(sum / whole - 1.0) <= kShareSum; });
  }
};

Corner corner_of(const NumericTable& table) {
  constexpr std::int64_t kRows = 200;
  constexpr std::int64_t kNumbers = 1 << 18;
  Corner corner;
  const std::int64_t columns = table.columns();
  if (columns == 0 || columns > kNumbers) return corner;
  const std::int64_t rows = std::min({table.rows(), kRows, kNumbers / columns});
  const auto width = static_cast<std::size_t>(
      table.dimensions() == 3 ? table.description().shape.back() : columns);
  corner.values.resize(static_cast<std::size_t>(rows * columns));
  try {
    table.read_reals(0, rows, 0, columns, corner.values);
  } catch (const input_error&) {
    corner.has_nan = true;
  }
  corner.sums.resize(corner.values.size() / width);
  for (std::size_t i = 0; i < corner.values.size(); ++i) {
    corner.sums[i / width] += corner.values[i];
  }
  return corner;
}

// Rows that sum to `whole`. Which number of teachers made them is a fact of the experiment: of
// rounded shares several fit. The line looks at all of them, while this looks at some.
std::string help_with_shares(const NumericTable& table, const Corner& corner, double whole,
                             std::optional<std::int64_t> teachers) {
  constexpr double kNearCount = 1e-6;  // of a share, as text and float32 have it
  const std::string no_votes = fmt::format(
      "; rows that sum to {} are shares, or scores of one model, which are no votes", whole);
  constexpr std::string_view kDump = "ump the counts, or what each teacher voted for";
  if (!teachers) {
    return fmt::format(
        "{}; for shares of a known number of teachers that were not rounded, add \1teachers M, and "
        "a line is shown that makes counts of them; else d{}",
        no_votes, kDump);
  }
  const double m = static_cast<double>(*teachers) / whole;
  if (!corner.all([&](double value) {
        return std::abs(value - std::round(value * m) / m) <= kNearCount;
      })) {
    return fmt::format(
        "{}; nor are these counts of {} teachers divided by {}: means of scores, and rounded "
        "shares, do not tell the votes. D{}",
        no_votes, *teachers, m, kDump);
  }
  return fmt::format(
      "{}. If these are the shares of {} teachers, what makes votes of them: {}", no_votes,
      *teachers,
      values_line(table, "b.astype(int)",
                  fmt::format("; b = n.rint(a * {0}); assert abs(a - b / {0}).max() < 2e-6 and "
                              "(b.sum(1) == {1}).all()",
                              m, *teachers)));
}

// Teachers that have several votes or none, of ones and zeros.
std::string help_with_ones(const NumericTable& table, const Corner& corner, bool by_query) {
  const auto unlike = std::ranges::count_if(corner.sums, [](double sum) { return sum != 1.0; });
  if (10 * unlike < std::ssize(corner.sums)) {
    return fmt::format(
        "; a teacher has one vote a query. What gives it to the first of those that "
        "are tied, and -1 to who has none, to be read with \1classes {}: {}",
        table.description().shape.back(),
        array_line(table.name(), "n.where(a.any(-1), a.argmax(-1), -1)"));
  }
  return fmt::format(
      "; several labels a query are for pate multilabel (teachers x queries x labels), or as many "
      "queries of two classes, each of which costs. What makes them, to be read with \1classes 2: "
      "{}",
      array_line(table.name(),
                 by_query ? "a.swapaxes(1, 2).reshape(-1, a.shape[1])" : "a.reshape(len(a), -1)"));
}

}  // namespace

std::string help_with_values(const NumericTable& table, const VotesWanted& wanted) {
  const Corner corner = corner_of(table);
  if (corner.values.empty()) return {};
  if (corner.has_nan) {
    if (wanted.class_ids) {
      return "; where NaN is a teacher that did not vote it needs \1abstentions, where a command "
             "has that";
    }
    return fmt::format("; where NaN is a class without a vote it has {}{}", kMissingCounts,
                       values_line(table, "n.nan_to_num(a).astype(int)"));
  }
  if (table.dimensions() == 3 &&
      corner.all([](double value) { return value == 0.0 || value == 1.0; })) {
    return help_with_ones(table, corner, wanted.by_query);
  }
  if (corner.all([](double value) { return std::trunc(value) == value; })) return {};
  if (table.dimensions() == 3) {
    return fmt::format(
        "; scores are no votes: every teacher votes for its best class. What makes "
        "class ids of them, to be read with \1classes {}: {}",
        table.description().shape.back(), array_line(table.name(), "a.argmax(-1)"));
  }
  if (!wanted.class_ids && table.columns() > 1 && corner.all([](double x) { return x >= 0.0; })) {
    for (const double whole : {1.0, 100.0}) {
      if (corner.all_sum_to(whole)) return help_with_shares(table, corner, whole, wanted.teachers);
    }
  }
  return fmt::format(
      "; votes are whole numbers{}; of scores (logits, means) every teacher votes for its best "
      "class (numpy: scores.argmax(-1) of teachers x queries x classes, to be read with "
      "\1layout predictions)",
      wanted.class_ids ? ", the ids of classes" : kNoisyCounts);
}

std::string fitting_layout(const NumericTable& table) {
  constexpr std::int64_t kNumbers = 1 << 24;
  constexpr std::int64_t kMostVotes = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kWrap = 256;  // where bytes begin again
  const std::int64_t width = table.columns();
  const std::int64_t height = width < 2 ? 0 : std::min(table.rows(), kNumbers / width);
  if (height < 2) return {};
  std::vector<std::int64_t> values(static_cast<std::size_t>(height * width));
  try {
    table.read_integers(0, height, 0, width, values);
  } catch (const input_error&) {
    return {};
  }
  std::vector<std::int64_t> rows(static_cast<std::size_t>(height));
  std::vector<std::int64_t> columns(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] > kMostVotes) return {};
    rows[i / columns.size()] += values[i];
    columns[i % columns.size()] += values[i];
  }
  // Whether all rows have the same of something.
  const auto alike = [&](const auto& of) {
    for (std::size_t row = 1; row < rows.size(); ++row) {
      if (of(row) != of(0)) return false;
    }
    return true;
  };
  const auto at = [&](std::size_t row, std::size_t column) {
    return values[row * columns.size() + column];
  };
  bool is_margin = height > 2 && height == table.rows();
  for (std::size_t i = 0; i < columns.size() && is_margin; ++i) {
    is_margin = 2 * at(rows.size() - 1, i) == columns[i];
  }
  if (is_margin) {
    return "; the last row is the sum of those above it, a margin; what leaves it out: " +
           values_line(table, "a[:-1]");
  }
  if (std::ranges::adjacent_find(columns, std::not_equal_to<>()) == columns.end()) {
    return fmt::format(
        "; but every column has a sum of {}: the file looks transposed (classes x queries)",
        columns[0]);
  }
  if (width == 2 && alike([&](std::size_t row) { return at(row, 1); }) &&
      columns[0] <= columns[1]) {
    return fmt::format(
        "; if column 0 has the votes for one of two classes and column 1 the number of teachers, "
        "what makes votes for both of them: {}",
        column_line(table, "n.c_[a[:, 1] - a[:, 0], a[:, 0]]"));
  }
  if (table.description().dtype.ends_with("u1") &&
      alike([&](std::size_t row) { return rows[row] % kWrap; })) {
    return "; the counts are bytes, and the sums of rows differ by multiples of 256: those above "
           "255 have wrapped, store counts as int32 (numpy: astype(\"int32\") before adding up)";
  }
  if (table.header().first_counts) {
    return "; if the first column is an index of the rows, add \1index-column yes";
  }
  std::vector<std::size_t> may_go;  // columns without which every row has one sum
  for (std::size_t column = 0; column < columns.size() && height > 2 && width > 2; ++column) {
    if (alike([&](std::size_t row) { return rows[row] - at(row, column); })) {
      may_go.push_back(column);
    }
  }
  if (may_go.size() == 1) {
    const auto column = static_cast<std::int64_t>(may_go[0]);
    return fmt::format(
        "; without {} every row has a sum of {}: is it no class (a label, an index)? What leaves "
        "it out: {}",
        column_in_words(table, column), rows[0] - at(0, may_go[0]),
        line_without_column(table, column));
  }
  if (std::ranges::all_of(rows,
                          [&](std::int64_t sum) { return std::abs(2 * sum - 200) <= width; })) {
    return "; sums of about 100 are those of percentages that were rounded: votes are numbers of "
           "teachers, which percentages do not keep";
  }
  if (std::ranges::max(values) >= width) {
    return "; if teachers abstained, add \1abstentions, where a command has that, and how many "
           "they are, \1teachers M";
  }
  return fmt::format("; if these are class ids and not counts, add \1layout predictions{}",
                     width < table.rows() ? "-by-query" : "");
}

void refuse_ones_only(const NumericTable& table, std::optional<std::int64_t> teachers) {
  if (table.dimensions() != 1 || !teachers) return;
  throw input_error(fmt::format(
      "{}: expected counts with one row per query and one column per class (queries x classes), "
      "found a one-dimensional array of {} numbers; if these are the votes for class 1 of two, "
      "what makes votes for both: {}",
      table.name(), table.rows(), column_line(table, fmt::format("n.c_[{} - a, a]", *teachers))));
}

HelpedTable::HelpedTable(std::shared_ptr<const NumericTable> table, const VotesWanted& wanted)
    : table_(std::move(table)), wanted_(wanted) {}

void HelpedTable::copy(const Block& block, std::span<std::int64_t> out) const {
  try {
    table_->read_integers(block.first_row, block.row_count, block.first_column, block.column_count,
                          out);
  } catch (const input_error& error) {
    throw input_error(error.what() + help_with_values(*table_, wanted_));
  }
}

void HelpedTable::copy(const Block& block, std::span<double> out) const {
  table_->read_reals(block.first_row, block.row_count, block.first_column, block.column_count, out);
}

std::string help_with_row_numbers(const NumericTable& table, std::span<const std::int64_t> values,
                                  std::int64_t rows) {
  const bool increase = std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
  if (values.size() < 2 || !increase || values.front() < 0 || values.back() >= rows) return {};
  return "; if these are the rows that were answered, what makes decisions of them: " +
         answered_line(table, rows);
}

std::string answered_line(const NumericTable& table, std::int64_t rows) {
  return column_line(table, fmt::format("n.isin(n.arange({}), a)", rows));
}

}  // namespace pate
