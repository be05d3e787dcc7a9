#include "pate/accounting/run.hpp"

#include <fmt/format.h>

#include "pate/error.hpp"
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
  counts_.resize(static_cast<std::size_t>(count) * classes);
  if (run_.student != nullptr) scores_.resize(counts_.size());
  const std::span<std::int32_t> counts(counts_);
  const std::span<double> scores(scores_);
  if (run_.rows.is_contiguous()) {
    if (count == 0) return;
    run_.votes.read(row(0), count, counts);
    if (run_.student != nullptr) run_.student->read(row(0), count, scores);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t offset = static_cast<std::size_t>(i) * classes;
    run_.votes.read(row(i), 1, counts.subspan(offset, classes));
    if (run_.student != nullptr) run_.student->read(row(i), 1, scores.subspan(offset, classes));
  }
}

std::span<const std::int32_t> QueryReader::histogram(std::int64_t i) const {
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  return std::span<const std::int32_t>(counts_).subspan(static_cast<std::size_t>(i) * classes,
                                                        classes);
}

std::span<const double> QueryReader::scores(std::int64_t i) const {
  if (run_.student == nullptr) return {};
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  return std::span<const double>(scores_).subspan(static_cast<std::size_t>(i) * classes, classes);
}

std::int64_t QueryReader::statistic(std::int64_t i) const {
  if (!run_.aggregator.selection) return 0;
  if (run_.student == nullptr) return top_count(histogram(i));
  return interactive_statistic(histogram(i), scores(i), run_.votes.teachers());
}

}  // namespace pate
