#include "pate/accounting/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pate/error.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/votes/selection_statistic.hpp"

namespace pate {

namespace {

template <class Values>
void check_length(const std::optional<Values>& values, std::int64_t rows, const char* what) {
  if (values && static_cast<std::int64_t>(values->size()) != rows) {
    throw input_error(fmt::format("{}: expected one per row of the votes, {}, got {}", what, rows,
                                  values->size()));
  }
}

// The i-th row of a table; none of an empty one.
template <class Value>
std::span<const Value> row_of(const std::vector<Value>& values, std::int64_t i,
                              std::int64_t columns) {
  if (values.empty()) return {};
  return std::span(values).subspan(static_cast<std::size_t>(i * columns),
                                   static_cast<std::size_t>(columns));
}

}  // namespace

void validate(const Run& run) {
  validate(run.aggregator);
  run.rows.check(run.votes.name(), run.votes.queries());
  if (run.aggregator.interactive != (run.student != nullptr)) {
    throw parameter_error("student scores go with the interactive aggregator, and it needs them");
  }
  if (run.decisions && !run.aggregator.selection) {
    throw parameter_error(
        "decisions go with a threshold: without a selection every query is answered");
  }
  check_length(run.decisions, run.votes.queries(), "decisions");
  check_length(run.labels, run.votes.queries(), "labels");
}

void QueryReader::read(std::int64_t first, std::int64_t count) {
  first_ = first;
  count_ = count;
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  const auto teachers =
      static_cast<std::size_t>(predictions_ != nullptr ? predictions_->teachers() : 0);
  const auto size = static_cast<std::size_t>(count);
  counts_.resize(size * classes);
  ids_.resize(size * teachers);
  if (run_.student != nullptr) scores_.resize(counts_.size());
  const std::span<std::int32_t> counts(counts_);
  run_.rows.for_each_range(first, count, [&](std::int64_t row, std::int64_t at, std::int64_t rows) {
    const auto offset = static_cast<std::size_t>(at);
    const auto queries = static_cast<std::size_t>(rows);
    if (predictions_ != nullptr) {
      predictions_->read_votes(row, rows,
                               std::span(ids_).subspan(offset * teachers, queries * teachers));
    } else {
      run_.votes.read(row, rows, counts.subspan(offset * classes, queries * classes));
    }
    if (run_.student != nullptr) {
      run_.student->read(row, rows,
                         std::span(scores_).subspan(offset * classes, queries * classes));
    }
  });
  if (predictions_ == nullptr) return;
  std::fill(counts_.begin(), counts_.end(), 0);
  for (std::size_t i = 0; i < size; ++i) {
    const auto histogram = counts.subspan(i * classes, classes);
    for (const std::int32_t id : ids(static_cast<std::int64_t>(i))) {
      ++histogram[static_cast<std::size_t>(id)];
    }
  }
}

std::span<const std::int32_t> QueryReader::histogram(std::int64_t i) const {
  return row_of(counts_, i, run_.votes.classes());
}

std::span<const std::int32_t> QueryReader::ids(std::int64_t i) const {
  return row_of(ids_, i, run_.votes.teachers());
}

std::span<const double> QueryReader::scores(std::int64_t i) const {
  return row_of(scores_, i, run_.votes.classes());
}

std::int64_t QueryReader::statistic(std::int64_t i) const {
  if (!run_.aggregator.selection) return 0;
  if (run_.aggregator.is_tested()) return stability(histogram(i));
  if (run_.student == nullptr) return top_count(histogram(i));
  return interactive_statistic(histogram(i), scores(i), run_.votes.teachers());
}

}  // namespace pate
