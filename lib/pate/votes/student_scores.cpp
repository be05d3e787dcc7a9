#include "pate/votes/student_scores.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr double kSumTolerance = 1e-4;  // scores are often stored as float

std::string shape_of(const NumericTable& table) {
  return table.dimensions() == 2 ? fmt::format("({}, {})", table.rows(), table.columns())
                                 : fmt::format("({},)", table.rows());
}

}  // namespace

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
