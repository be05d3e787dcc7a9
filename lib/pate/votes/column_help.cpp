#include "pate/votes/column_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "pate/votes/conversion_line.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

// Whether every value of a column that is not in least .. most is `found`.
bool others_are(const NumericTable& table, std::span<const std::int64_t> values, std::int64_t least,
                std::int64_t most, std::int64_t found) {
  return table.columns() == 1 && std::ranges::all_of(values, [&](std::int64_t value) {
           return value == found || (value >= least && value <= most);
         });
}

}  // namespace

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
      "rows (.csv), and these for --indices (.npy): {}",
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
                     column_line(table, fmt::format("n.isin(n.arange({}), a)", rows)));
}

}  // namespace pate
