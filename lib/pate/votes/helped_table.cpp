#include "pate/votes/helped_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

constexpr double kShareSum = 1e-3;
constexpr double kNearCount = 1e-6;  // of a share, as text and float32 have it
constexpr std::int64_t kLookedRows = 200;
constexpr std::int64_t kLookedNumbers = 1 << 18;

// A part of the table.
struct Corner {
  std::vector<double> values;
  std::vector<double> sums;  // of numbers that belong together: a row, of three dimensions one axis
  bool has_nan = false;

  template <class Test>
  [[nodiscard]] bool all(const Test& test) const {
    return std::ranges::all_of(values, test);
  }
  [[nodiscard]] bool is_whole() const {
    return all([](double value) { return std::trunc(value) == value; });
  }
};

Corner corner_of(const NumericTable& table) {
  Corner corner;
  const std::int64_t columns = table.columns();
  if (columns == 0 || columns > kLookedNumbers) return corner;
  const std::int64_t rows =
      std::min({table.rows(), kLookedRows, std::max<std::int64_t>(1, kLookedNumbers / columns)});
  const std::int64_t width = table.dimensions() == 3 ? table.description().shape.back() : columns;
  corner.values.resize(static_cast<std::size_t>(rows * columns));
  try {
    table.read_reals(0, rows, 0, columns, corner.values);
  } catch (const input_error&) {
    corner.has_nan = true;
  }
  corner.sums.resize(corner.values.size() / static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < corner.values.size(); ++i) {
    corner.sums[i / static_cast<std::size_t>(width)] += corner.values[i];
  }
  return corner;
}

// Rows that sum to `whole`. Which number of teachers made them is a fact of the experiment: of
// rounded shares several fit. The line looks at all of them, while this looks at some.
std::string help_with_shares(const NumericTable& table, const Corner& corner, double whole,
                             std::optional<std::int64_t> teachers) {
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

// Whether every value of a column that is not in least .. most is `found`.
bool others_are(const NumericTable& table, std::span<const std::int64_t> values, std::int64_t least,
                std::int64_t most, std::int64_t found) {
  return table.columns() == 1 && std::ranges::all_of(values, [&](std::int64_t value) {
           return value == found || (value >= least && value <= most);
         });
}

}  // namespace

std::string help_with_axes(const NumericTable& table) {
  const std::vector<std::int64_t> shape = table.description().shape;
  if (shape.size() != 3) return {};
  const bool one_first = shape.front() == 1 && shape.back() != 1;
  return fmt::format(
      "; if these are class ids with an axis of length 1, or several of each teacher and query, "
      "the best first, what takes one of them, to be read with \1classes K: {}",
      array_line(table.name(), one_first ? "a[0]" : "a[..., 0]"));
}

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
  if (table.dimensions() == 3) {
    if (corner.all([](double value) { return value == 0.0 || value == 1.0; })) {
      return help_with_ones(table, corner, wanted.by_query);
    }
    if (corner.is_whole()) return help_with_axes(table);
    return fmt::format(
        "; scores are no votes: every teacher votes for its best class. What makes "
        "class ids of them, to be read with \1classes {}: {}",
        table.description().shape.back(), array_line(table.name(), "a.argmax(-1)"));
  }
  if (corner.is_whole()) return {};
  if (!wanted.class_ids && table.columns() > 1 && corner.all([](double x) { return x >= 0.0; })) {
    for (const double whole : {1.0, 100.0}) {
      if (std::ranges::all_of(
              corner.sums, [&](double sum) { return std::abs(sum / whole - 1.0) <= kShareSum; })) {
        return help_with_shares(table, corner, whole, wanted.teachers);
      }
    }
  }
  return fmt::format(
      "; votes are whole numbers{}; of scores (logits, means) every teacher votes for its best "
      "class (numpy: scores.argmax(-1) of teachers x queries x classes, to be read with "
      "\1layout predictions)",
      wanted.class_ids ? ", the ids of classes" : kNoisyCounts);
}

void refuse_ones_only(const NumericTable& table, std::optional<std::int64_t> teachers) {
  if (table.dimensions() != 1 || !teachers) return;
  throw input_error(fmt::format(
      "{}: expected counts with one row per query and one column per class (queries x classes), "
      "found a one-dimensional array of {} numbers; if these are the votes for class 1 of two, "
      "what "
      "makes votes for both: {}",
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

std::string help_with_columns(const NumericTable& table, std::int64_t rows, std::int64_t classes) {
  if (table.dimensions() > 2) return {};
  if (table.rows() == 1) {
    return ", a single row; what makes a column of it: " + column_line(table, "a.ravel()");
  }
  const bool by_row = table.columns() == classes;
  if (by_row || (table.rows() == classes && table.columns() == rows)) {
    return fmt::format(
        "; if these are one-hot labels or scores{}, what makes class ids of them: {}",
        by_row ? "" : ", a row for each class",
        column_line(table, by_row ? "a.argmax(1)" : "a.argmax(0)"));
  }
  if (table.columns() != 2) return {};
  return fmt::format(
      "; if the first column says which rows these are, they are numbered under \"row\", from 0 "
      "on; if they lie in the order of the votes, what leaves it out: {}",
      line_without_column(table, 0));
}

std::string help_with_unlabelled(const NumericTable& table, std::span<const std::int64_t> ids,
                                 std::int64_t classes, std::int64_t found) {
  if (found == classes) return "; ids count from 0: subtract 1 where these count from 1";
  if (!others_are(table, ids, 0, classes - 1, found)) return {};
  return fmt::format(
      "; if that says that a row has no label, what writes the labels with the numbers of their "
      "rows (.csv), and these for \1indices (.npy): {}",
      column_line(table, "k",
                  fmt::format(R"(.ravel(); k = n.flatnonzero(a != {}); n.savetxt("{{1}}.csv", )"
                              R"(n.c_[k, a[k]], "%d", ",", header="row,label", comments=""))",
                              found)));
}

std::string help_with_refusals(const NumericTable& table, std::span<const std::int64_t> labels,
                               std::int64_t classes, std::int64_t found) {
  if (!others_are(table, labels, -1, classes - 1, found)) return {};
  return fmt::format("; if that stands for refused, which is -1, what writes it so: {}",
                     column_line(table, fmt::format("n.where(a == {}, -1, a.astype(int))", found)));
}

std::string help_with_row_numbers(const NumericTable& table, std::span<const std::int64_t> values,
                                  std::int64_t rows) {
  const bool increase = std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
  if (values.size() < 2 || !increase || values.front() < 0 || values.back() >= rows) return {};
  return fmt::format("; if these are the rows that were answered, what makes decisions of them: {}",
                     answered_line(table, rows));
}

std::string answered_line(const NumericTable& table, std::int64_t rows) {
  return column_line(table, fmt::format("n.isin(n.arange({}), a)", rows));
}

}  // namespace pate
