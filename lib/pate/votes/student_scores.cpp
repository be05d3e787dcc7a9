#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/headings.hpp"
#include "pate/votes/query_columns.hpp"

// `StudentScores`: what a student says of every query, and what helps where a file says otherwise.

namespace pate {

namespace {

constexpr double kSumTolerance = 1e-4;   // scores are often stored as float
constexpr double kHalfTolerance = 1e-3;  // of float16 with its three digits
constexpr double kMostTolerance = 0.02;  // of scores that were rounded to few decimals
constexpr double kPercentSum = 2.0;
// Beyond them the sum is within `kSumTolerance`, or rounding is not why.
constexpr int kMostScoreDecimals = 4;

std::string shape_of(const NumericTable& table) {
  return table.dimensions() > 1 ? fmt::format("({})", fmt::join(table.description().shape, ", "))
                                : fmt::format("({},)", table.rows());
}

// By how much the sum of a row may be off 1: by what rounding its scores to the decimals that it
// has can do.
double sum_tolerance(std::span<const double> row, std::string_view dtype) {
  if (dtype.ends_with("f2")) return kHalfTolerance;
  double scale = 1.0;
  for (int decimals = 0; decimals <= kMostScoreDecimals; ++decimals, scale *= 10.0) {
    const bool has = std::ranges::all_of(row, [scale](double score) {
      return std::abs(score * scale - std::round(score * scale)) <= 1e-7 * scale;
    });
    if (!has) continue;
    const double rounding = 0.5 / scale * static_cast<double>(row.size()) + 1e-9;
    return std::clamp(rounding, kSumTolerance, kMostTolerance);
  }
  return kSumTolerance;
}

// The line that makes other scores, `made` of the array a.
std::string scores_line(const NumericTable& table, std::string_view made) {
  return values_line(table, made, ".astype(float)");
}

constexpr std::string_view kSumsToOne = "a / a.sum(1, keepdims=True)";

std::string help_with_score(const NumericTable& table, std::span<const double> row) {
  double sum = 0.0;
  bool negative = false;
  for (const double score : row) {
    sum += score;
    negative = negative || score < 0.0;
  }
  if (!negative && std::abs(sum - 100.0) <= kPercentSum) {
    return fmt::format("; what makes scores of percentages: {}", scores_line(table, kSumsToOne));
  }
  return fmt::format(
      "; if these are logits, or logarithms of scores, what makes scores of them: {}",
      scores_line(table,
                  "(lambda e: e / e.sum(1, keepdims=True))(n.exp(a - a.max(1, keepdims=True)))"));
}

}  // namespace

StudentScores::StudentScores(std::shared_ptr<const NumericTable> table, std::int64_t rows,
                             std::int64_t classes)
    : table_(std::move(table)) {
  if (table_->dimensions() == 2 && table_->rows() == rows && table_->columns() == classes) {
    check_class_headings(*table_, classes);
    return;
  }
  const bool transposed =
      table_->dimensions() == 2 && table_->rows() == classes && table_->columns() == rows;
  throw input_error(fmt::format(
      "{}: expected shape ({}, {}), one row of scores per row of the votes and one column per "
      "class, found {}{}",
      name(), rows, classes, shape_of(*table_), transposed ? ", which looks transposed" : ""));
}

void StudentScores::read(std::int64_t first, std::int64_t count, std::span<double> out) const {
  table_->read_reals(first, count, 0, classes(), out);
  const auto width = static_cast<std::size_t>(classes());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t row = first + static_cast<std::int64_t>(i);
    const std::span<const double> scores = out.subspan(i * width, width);
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const double score = scores[j];
      if (!(score >= 0 && score <= 1)) {
        throw input_error(
            fmt::format("{}: row {}, column {}: expected a score in [0, 1], found {}{}", name(),
                        row, j, score, help_with_score(*table_, scores)));
      }
      sum += score;
    }
    if (std::abs(sum - 1) <= kSumTolerance) continue;
    const double tolerance = sum_tolerance(scores, table_->description().dtype);
    if (!(std::abs(sum - 1) <= tolerance)) {
      throw input_error(
          fmt::format("{}: row {}: expected scores that sum to 1 within {:.2g}, found a sum of {}; "
                      "if they were rounded when they were saved, what makes each row sum to 1: {}",
                      name(), row, tolerance, sum, scores_line(*table_, kSumsToOne)));
    }
  }
}

}  // namespace pate
