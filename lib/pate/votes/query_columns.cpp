#include "pate/votes/query_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "pate/error.hpp"

namespace pate {

namespace {

std::vector<std::int64_t> read_column(const NumericTable& table) {
  if (table.columns() != 1) {
    const bool one_row = table.rows() == 1;
    throw input_error(
        fmt::format("{}: expected one row per query and one column, found shape ({}, {}){}",
                    table.name(), table.rows(), table.columns(), one_row ? ", a single row" : ""));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(table.rows()));
  table.read_integers(0, table.rows(), 0, 1, values);
  return values;
}

std::vector<std::int64_t> read_column(const NumericTable& table, std::int64_t rows) {
  std::vector<std::int64_t> values = read_column(table);
  if (table.rows() != rows) {
    throw input_error(fmt::format("{}: expected {} rows, one per row of the votes, found {}",
                                  table.name(), rows, table.rows()));
  }
  return values;
}

constexpr double kSumTolerance = 1e-4;  // scores are often stored as float

std::string shape_of(const NumericTable& table) {
  return table.dimensions() == 2 ? fmt::format("({}, {})", table.rows(), table.columns())
                                 : fmt::format("({},)", table.rows());
}

}  // namespace

std::vector<std::int32_t> read_labels(const NumericTable& table, std::int64_t rows,
                                      std::int64_t classes) {
  const std::vector<std::int64_t> values = read_column(table, rows);
  std::vector<std::int32_t> labels(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] >= classes) {
      throw input_error(fmt::format("{}: row {}: expected a class id in 0..{}, found {}",
                                    table.name(), i, classes - 1, values[i]));
    }
    labels[i] = static_cast<std::int32_t>(values[i]);
  }
  return labels;
}

std::vector<std::uint8_t> read_decisions(const NumericTable& table, std::int64_t rows) {
  const std::vector<std::int64_t> values = read_column(table, rows);
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < -1) {
      throw input_error(fmt::format(
          "{}: row {}: expected 0 or 1, or a released label with -1 for refused, found {}",
          table.name(), i, values[i]));
    }
    smallest = std::min(smallest, values[i]);
    largest = std::max(largest, values[i]);
  }
  // The smallest value that means answered.
  const std::int64_t answered = smallest < 0 || largest > 1 ? 0 : 1;
  std::vector<std::uint8_t> decisions(values.size());
  std::transform(values.begin(), values.end(), decisions.begin(), [answered](std::int64_t value) {
    return static_cast<std::uint8_t>(value >= answered ? 1 : 0);
  });
  return decisions;
}

std::vector<std::uint8_t> read_decisions(const NumericTable& table, std::int64_t rows,
                                         const RowSelection& queries) {
  if (table.rows() == rows || table.rows() != queries.size()) return read_decisions(table, rows);
  const std::vector<std::uint8_t> by_query = read_decisions(table, queries.size());
  std::vector<std::uint8_t> decisions(static_cast<std::size_t>(rows), 0);
  std::vector<bool> is_known(decisions.size(), false);
  for (std::size_t i = 0; i < by_query.size(); ++i) {
    const auto row = static_cast<std::size_t>(queries[static_cast<std::int64_t>(i)]);
    if (is_known[row] && decisions[row] != by_query[i]) {
      throw input_error(fmt::format(
          "{}: row {}: expected the decision of the query before on row {} of the votes, which was "
          "{}; found {}",
          table.name(), i, row, decisions[row] != 0 ? "answered" : "refused",
          by_query[i] != 0 ? "answered" : "refused"));
    }
    is_known[row] = true;
    decisions[row] = by_query[i];
  }
  return decisions;
}

std::vector<std::int64_t> read_indices(const NumericTable& table) {
  return read_column(table);
}

StudentScores::StudentScores(std::shared_ptr<const NumericTable> table, std::int64_t rows,
                             std::int64_t classes)
    : table_(std::move(table)) {
  if (table_->dimensions() == 2 && table_->rows() == rows && table_->columns() == classes) return;
  const bool transposed =
      table_->dimensions() == 2 && table_->rows() == classes && table_->columns() == rows;
  throw input_error(fmt::format(
      "{}: expected shape ({}, {}), one row of scores per row of the votes and one column per "
      "class, "
      "found {}{}",
      name(), rows, classes, shape_of(*table_), transposed ? ", which looks transposed" : ""));
}

void StudentScores::read(std::int64_t first, std::int64_t count, std::span<double> out) const {
  table_->read_reals(first, count, 0, classes(), out);
  const auto width = static_cast<std::size_t>(classes());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = first + static_cast<std::int64_t>(i);
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const double score = out[i * width + j];
      if (!(score >= 0 && score <= 1)) {
        throw input_error(fmt::format("{}: row {}, column {}: expected a score in [0, 1], found {}",
                                      name(), row, j, score));
      }
      sum += score;
    }
    if (!(std::abs(sum - 1) <= kSumTolerance)) {
      throw input_error(
          fmt::format("{}: row {}: expected scores that sum to 1 within {}, found a sum of {}",
                      name(), row, kSumTolerance, sum));
    }
  }
}

}  // namespace pate
