#include "pate/votes/query_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/helped_table.hpp"

namespace pate {

namespace {

std::vector<std::int64_t> read_column(const NumericTable& table) {
  if (table.columns() != 1 || table.dimensions() > 2) {
    const bool pairs = table.columns() == 2 && table.dimensions() == 2;
    throw input_error(fmt::format(
        "{}: expected one row per query and one column, found shape ({}){}", table.name(),
        fmt::join(table.description().shape, ", "),
        pairs ? "; if the first column says which rows these are, they are numbered under \"row\", "
                "from 0 on; if they lie in the order of the votes, what leaves it out: " +
                    line_without_column(table, 0)
              : ""));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(table.rows()));
  table.read_integers(0, table.rows(), 0, 1, values);
  return values;
}

// The values of a file beside the votes, and the rows of the votes they are of where it has them.
struct Column {
  std::vector<std::int64_t> values, rows;
  bool numbered = false;
};

Column read_column_beside(const NumericTable& table) {
  Column column;
  const std::vector<std::string> names = table.header().names;
  constexpr std::array<std::string_view, 3> kNumbered{"row", "row_id", "id"};
  column.numbered =
      names.size() == 2 && std::ranges::find(kNumbered, names.front()) != kNumbered.end();
  if (!column.numbered) {
    column.values = read_column(table);
    return column;
  }
  column.values.resize(static_cast<std::size_t>(table.rows()));
  column.rows.resize(column.values.size());
  table.read_integers(0, table.rows(), 0, 1, column.rows);
  table.read_integers(0, table.rows(), 1, 1, column.values);
  return column;
}

// What the entries of a file are called in messages.
struct Wording {
  const char* entry;
  const char* option;  // that says whose rows they are
  std::string (*show)(std::int64_t);
};

// Puts entry i of a file at row `row_of(i)` of the votes.
template <class Entry, class RowOf>
std::vector<Entry> scatter(const std::string& name, const std::vector<Entry>& entries,
                           const VotesShape& votes, const Wording& wording, const RowOf& row_of) {
  std::vector<Entry> result(static_cast<std::size_t>(votes.rows));
  std::vector<bool> is_known(result.size(), false);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto row = static_cast<std::size_t>(row_of(i));
    if (is_known[row] && result[row] != entries[i]) {
      throw input_error(fmt::format(
          "{}: row {}: expected the {} of the query before on row {} of the votes, which was {}; "
          "found {}",
          name, i, wording.entry, row, wording.show(result[row]), wording.show(entries[i])));
    }
    is_known[row] = true;
    result[row] = entries[i];
  }
  for (std::int64_t i = 0; i < votes.queries.size(); ++i) {
    if (is_known[static_cast<std::size_t>(votes.queries[i])]) continue;
    throw input_error(
        fmt::format("{}: expected the {} of row {} of the votes, which is selected; "
                    "found none",
                    name, wording.entry, votes.queries[i]));
  }
  return result;
}

// Whose rows the entries of a file without row numbers are, where the file itself must tell.
template <class Entry>
RowsOf rows_by_size(const std::string& name, const std::vector<Entry>& entries,
                    const VotesShape& votes, const Wording& wording) {
  const auto size = static_cast<std::int64_t>(entries.size());
  const RowSelection& queries = votes.queries;
  if (size != votes.rows && size != queries.size()) {
    throw input_error(
        fmt::format("{}: expected {} rows, one per row of the votes{}, found {}", name, votes.rows,
                    queries.size() == votes.rows
                        ? ""
                        : fmt::format(", or {}, one per selected query", queries.size()),
                    size));
  }
  if (size != votes.rows) return RowsOf::selected;
  if (size != queries.size()) return RowsOf::file;
  for (std::int64_t i = 0; i < size; ++i) {
    const Entry by_file = entries[static_cast<std::size_t>(queries[i])];
    const Entry by_query = entries[static_cast<std::size_t>(i)];
    if (by_file == by_query) continue;
    throw input_error(fmt::format(
        "{}: there are as many rows as rows of the votes and as selected queries, but query {} is "
        "row {} of the votes and would be {} by the one, {} by the other: say whose they are with "
        "{} file or {} selected",
        name, i, queries[i], wording.show(by_file), wording.show(by_query), wording.option,
        wording.option));
  }
  return RowsOf::file;
}

// The entries of a file by row of the votes.
template <class Entry>
std::vector<Entry> by_row(const NumericTable& table, const Column& column,
                          std::vector<Entry> entries, const VotesShape& votes,
                          std::optional<RowsOf> rows_of, const Wording& wording) {
  const std::string& name = table.name();
  if (column.numbered) {
    if (rows_of) {
      throw input_error(fmt::format(
          "{}: the column \"row\" says whose rows these are: leave {} out", name, wording.option));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (column.rows[i] >= 0 && column.rows[i] < votes.rows) continue;
      throw input_error(fmt::format(
          "{}: row {}, column 0: expected a row of the votes in 0..{}, found {}; if these "
          "are other numbers, and lie in the order of the votes, what leaves them out: {}",
          name, i, votes.rows - 1, column.rows[i], line_without_column(table, 0)));
    }
    return scatter(name, entries, votes, wording, [&](std::size_t i) { return column.rows[i]; });
  }
  if (!rows_of) {
    const ColumnHeader header = table.header();
    if (header.left_out_index && !header.index_counts) {
      throw input_error(fmt::format(
          "{}: the index of its rows, which is left out, is not 0, 1, 2, ...: where it holds rows "
          "of "
          "the votes, call it \"row\", else say whose rows these are with {} file or {} selected",
          name, wording.option, wording.option));
    }
    if (table.rows() == votes.rows + 1 && !entries.empty() && entries.front() == Entry{} &&
        header.names.empty() && !table.description().format.starts_with("np")) {
      throw input_error(fmt::format(
          "{}: expected {} rows, one per row of the votes, found {}, of which the first is 0, as "
          "pandas heads a column without a name; what leaves it out: {}",
          name, votes.rows, table.rows(), conversion_line(name, "tail -n +2 {0} > {1}.csv")));
    }
    rows_of = rows_by_size(name, entries, votes, wording);
  }
  const bool by_file = *rows_of == RowsOf::file;
  const std::int64_t expected = by_file ? votes.rows : votes.queries.size();
  if (table.rows() != expected) {
    throw input_error(fmt::format("{}: expected {} rows, one per {}, as {} {} says, found {}", name,
                                  expected, by_file ? "row of the votes" : "selected query",
                                  wording.option, by_file ? "file" : "selected", table.rows()));
  }
  if (by_file) return entries;
  return scatter(name, entries, votes, wording,
                 [&](std::size_t i) { return votes.queries[static_cast<std::int64_t>(i)]; });
}

bool is_bool(const NumericTable& table) {
  const std::string dtype = table.description().dtype;
  return dtype.ends_with("b1") || dtype == "bool";
}

// What a file of decisions holds, where it must tell itself.
DecisionsAre kind_of(const NumericTable& table, const std::vector<std::int64_t>& values) {
  if (values.empty() || is_bool(table)) return DecisionsAre::answered;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= -1) continue;
    throw input_error(fmt::format(
        "{}: row {}: expected 0 or 1, or a released label with -1 for refused, found {}",
        table.name(), i, values[i]));
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least < 0 || *most > 1) return DecisionsAre::labels;
  throw input_error(fmt::format(
      "{}: expected bool, or released labels of which one is -1 or above 1, found {}: say what "
      "they are with \1decisions-are answered (1 answered, 0 refused) or \1decisions-are labels "
      "(classes 0 and 1, all of them answered)",
      table.name(), *least == *most ? fmt::format("{} only", *least) : "0 and 1 only"));
}

}  // namespace

std::vector<std::int32_t> read_labels(const NumericTable& table, const VotesShape& votes,
                                      std::optional<RowsOf> rows_of) {
  const Column column = read_column_beside(table);
  std::vector<std::int32_t> labels(column.values.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t value = column.values[i];
    if (value < 0 || value >= votes.classes) {
      throw input_error(fmt::format("{}: row {}: expected a class id in 0..{}, found {}{}",
                                    table.name(), i, votes.classes - 1, value,
                                    value == votes.classes ? kCountFromOne : ""));
    }
    labels[i] = static_cast<std::int32_t>(value);
  }
  return by_row(
      table, column, std::move(labels), votes, rows_of,
      {"class id", "\1labels-rows", [](std::int64_t label) { return std::to_string(label); }});
}

namespace {

// Of a query; two of the same row may have released different labels, by their noise.
struct Decision {
  bool is_answered = false;
  std::int32_t label = -1;

  bool operator==(const Decision& other) const { return is_answered == other.is_answered; }
  // NOLINTNEXTLINE(google-explicit-constructor): as an entry of a file it is 0 or 1.
  operator std::int64_t() const { return is_answered ? 1 : 0; }
};

}  // namespace

Decisions read_decisions(const NumericTable& table, const VotesShape& votes,
                         std::optional<DecisionsAre> are, std::optional<RowsOf> rows_of) {
  const Column column = read_column_beside(table);
  const auto as_many = static_cast<std::int64_t>(column.values.size());
  if (!column.numbered && !rows_of && as_many != votes.rows && as_many != votes.queries.size()) {
    if (const std::string help = help_with_row_numbers(table, column.values, votes.rows);
        !help.empty()) {
      throw input_error(fmt::format("{}: expected {} rows, one per row of the votes, found {}{}",
                                    table.name(), votes.rows, as_many, help));
    }
  }
  const bool labels = (are ? *are : kind_of(table, column.values)) == DecisionsAre::labels;
  // The smallest value that means answered.
  const std::int64_t answered = labels ? 0 : 1;
  const std::int64_t most = labels ? votes.classes - 1 : 1;
  std::vector<Decision> decisions(column.values.size());
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const std::int64_t value = column.values[i];
    if (value < answered - 1 || value > most) {
      throw input_error(
          fmt::format("{}: row {}: expected {}, found {}", table.name(), i,
                      labels ? fmt::format("a released label in 0..{}, or -1 for refused", most)
                             : "1 for answered or 0 for refused",
                      value));
    }
    decisions[i].is_answered = value >= answered;
    if (labels) decisions[i].label = static_cast<std::int32_t>(value);
  }
  const std::vector<Decision> by_row_of_votes = by_row(
      table, column, std::move(decisions), votes, rows_of,
      {"decision", "\1decisions-rows",
       [](std::int64_t decision) { return std::string(decision != 0 ? "answered" : "refused"); }});
  Decisions result;
  for (const Decision& decision : by_row_of_votes) {
    result.answered.push_back(decision.is_answered ? 1 : 0);
    if (labels) result.labels.push_back(decision.label);
  }
  return result;
}

std::vector<std::int64_t> read_indices(const NumericTable& table) {
  return read_column(table);
}

}  // namespace pate
