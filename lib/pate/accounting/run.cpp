#include "pate/accounting/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pate/accounting/circumstances.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/votes/selection_statistic.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate {

namespace {

constexpr std::int64_t kValuesPerPiece = 1 << 16;
constexpr std::int64_t kVotesPerPiece = 1 << 21;  // of who voted for what

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
  validate(run.neighbours);
  require_teachers(run.neighbours, run.votes.teachers());
  if (const Aggregator* const aggregator = run.aggregator.aggregator()) {
    require_classes(aggregator->noisy_max, run.votes.classes());
  }
  const Circumstances circumstances = circumstances_of(run);
  if (circumstances.has(Given::ptr)) require(Asked::ptr, circumstances);
  if (circumstances.has(Given::one_noise)) require(Asked::one_noise, circumstances);
  run.rows.check(run.votes.name(), run.votes.queries());
  require(run.aggregator.interactive() == (run.student != nullptr),
          "student scores go with the interactive aggregator, and it needs them");
  require(!run.decisions || run.aggregator.refuses(),
          "decisions go with a threshold: without a selection every query is answered");
  check_length(run.decisions, run.votes.queries(), "decisions");
  check_length(run.labels, run.votes.queries(), "labels");
}

QueryReader::QueryReader(const Run& run, const PredictionVotes* predictions)
    : run_(run),
      predictions_(predictions),
      is_sparse_(run.student == nullptr && run.votes.classes() >= kClassesMostlyEmpty) {
  const auto* const weighted = dynamic_cast<const WeightedVotes*>(&run.votes);
  if (predictions != nullptr && weighted != nullptr) weights_ = weighted->weights().units;
}

void QueryReader::read(std::int64_t first, std::int64_t count) {
  first_ = first;
  count_ = count;
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  const auto teachers =
      static_cast<std::size_t>(predictions_ != nullptr ? predictions_->teachers() : 0);
  const auto size = static_cast<std::size_t>(count);
  counts_.resize(is_sparse_ ? 0 : size * classes);
  voted_.clear();
  ends_.assign(is_sparse_ ? size : 0, 0);
  ids_.resize(size * teachers);
  if (run_.student != nullptr) scores_.resize(counts_.size());
  const std::span<std::int32_t> counts(counts_);
  run_.rows.for_each_range(first, count, [&](std::int64_t row, std::int64_t at, std::int64_t rows) {
    const auto offset = static_cast<std::size_t>(at);
    const auto queries = static_cast<std::size_t>(rows);
    if (predictions_ != nullptr) {
      predictions_->read_votes(row, rows,
                               std::span(ids_).subspan(offset * teachers, queries * teachers));
    } else if (is_sparse_) {
      for (const ClassVotes& votes : run_.votes.read_voted(row, rows)) {
        take(offset + static_cast<std::size_t>(votes.query - row), votes.id, votes.votes);
      }
    } else {
      run_.votes.read(row, rows, counts.subspan(offset * classes, queries * classes));
    }
    if (run_.student != nullptr) {
      run_.student->read(row, rows,
                         std::span(scores_).subspan(offset * classes, queries * classes));
    }
  });
  if (predictions_ != nullptr) count_ids();
  // Of a query without any vote too.
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] = std::max(ends_[i], ends_[i - 1]);
}

void QueryReader::take(std::size_t query, std::int64_t id, std::int64_t votes) {
  counts_.push_back(static_cast<std::int32_t>(votes));
  voted_.push_back(static_cast<std::int32_t>(id));
  ends_[query] = counts_.size();
}

void QueryReader::count_ids() {
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  std::ranges::fill(counts_, 0);
  std::vector<std::int32_t> sorted;
  for (std::int64_t i = 0; i < count_; ++i) {
    const auto query = static_cast<std::size_t>(i);
    if (!is_sparse_) {
      const auto histogram = std::span(counts_).subspan(query * classes, classes);
      if (weights_.empty()) {
        for (const std::int32_t id : ids(i)) ++histogram[static_cast<std::size_t>(id)];
      } else {
        add_votes(ids(i), weights_, histogram);
      }
      continue;
    }
    if (!weights_.empty()) {
      std::map<std::int32_t, std::int64_t> votes;
      for (std::size_t t = 0; t < weights_.size(); ++t) votes[ids(i)[t]] += weights_[t];
      for (const auto& [id, count] : votes) take(query, id, count);
      continue;
    }
    sorted.assign(ids(i).begin(), ids(i).end());
    std::ranges::sort(sorted);
    for (auto id = sorted.begin(); id != sorted.end();) {
      const auto end = std::upper_bound(id, sorted.end(), *id);
      take(query, *id, end - id);
      id = end;
    }
  }
}

std::int64_t QueryReader::piece() const {
  const std::int64_t classes = run_.votes.classes();
  const std::int64_t teachers =
      predictions_ != nullptr ? predictions_->teachers() : run_.votes.teachers();
  const std::int64_t counts = is_sparse_ ? std::min(classes, teachers) : classes;
  std::int64_t queries = kValuesPerPiece / std::max<std::int64_t>(1, counts);
  if (predictions_ != nullptr) {
    queries = std::min(queries, kVotesPerPiece / std::max<std::int64_t>(1, teachers));
  }
  return std::max<std::int64_t>(1, queries);
}

std::span<const std::int32_t> QueryReader::counts(std::int64_t i) const {
  if (!is_sparse_) return row_of(counts_, i, run_.votes.classes());
  return listed(counts_, i);
}

std::span<const std::int32_t> QueryReader::voted(std::int64_t i) const {
  return is_sparse_ ? listed(voted_, i) : std::span<const std::int32_t>();
}

std::span<const std::int32_t> QueryReader::listed(std::span<const std::int32_t> of_all,
                                                  std::int64_t i) const {
  const auto query = static_cast<std::size_t>(i);
  const std::size_t begin = query == 0 ? 0 : ends_[query - 1];
  return of_all.subspan(begin, ends_[query] - begin);
}

std::span<const std::int32_t> QueryReader::histogram(std::int64_t i) const {
  if (!is_sparse_) return counts(i);
  histogram_.assign(static_cast<std::size_t>(run_.votes.classes()), 0);
  const auto its = counts(i);
  for (std::size_t k = 0; k < its.size(); ++k) {
    histogram_[static_cast<std::size_t>(voted(i)[k])] = its[k];
  }
  return histogram_;
}

std::span<const std::int32_t> QueryReader::ids(std::int64_t i) const {
  return row_of(ids_, i, predictions_ != nullptr ? predictions_->teachers() : 0);
}

std::span<const double> QueryReader::scores(std::int64_t i) const {
  return row_of(scores_, i, run_.votes.classes());
}

std::int64_t QueryReader::statistic(std::int64_t i) const {
  if (!run_.aggregator.refuses()) return 0;
  if (run_.aggregator.ptr() != nullptr) return stability(histogram(i));
  if (run_.student == nullptr) return top_count(counts(i));
  return interactive_statistic(histogram(i), scores(i), run_.votes.teachers());
}

}  // namespace pate
