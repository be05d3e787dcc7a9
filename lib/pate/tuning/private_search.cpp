#include "pate/tuning/private_search.hpp"

#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/labeling/privacy_filter.hpp"

namespace pate {

namespace {

// No limit ends a try, so that any order and delta will do.
constexpr double kAnyOrder = 2.0;
constexpr double kAnyDelta = 1e-9;

std::int64_t score_of(const LabelledQueries& labelled, TryScore score, const TuningVotes& votes) {
  if (score == TryScore::answered) return labelled.answered;
  std::int64_t correct = 0;
  for (std::size_t i = 0; i < labelled.labels.size(); ++i) {
    const auto row = static_cast<std::size_t>(votes.rows[static_cast<std::int64_t>(i)]);
    if (labelled.labels[i] >= 0 && labelled.labels[i] == (*votes.labels)[row]) ++correct;
  }
  return correct;
}

}  // namespace

MechanismCounts steps_of_one_try(const TuningGrid& grid, std::int64_t queries) {
  validate(grid);
  require(!grid.ptr, "the best of several tries: PTR has deltas that the theorems do not know");
  return steps_of(grid.aggregator(grid.index(0, 0, 0)), grid.neighbours, queries, queries);
}

std::optional<BestTry> best_of_tries(const TuningVotes& votes, const TuningGrid& grid,
                                     const NumberOfTries& tries, TryScore score, BitSource& source,
                                     unsigned threads, const std::function<bool()>& stop) {
  validate(grid);
  require(!grid.ptr, "the best of several tries: PTR has deltas that the theorems do not know");
  const std::int64_t queries = votes.rows.size();
  if (score == TryScore::correct &&
      (!votes.labels || std::ssize(*votes.labels) != votes.votes.queries())) {
    throw parameter_error("the score correct needs a public label for every row of the votes");
  }
  std::optional<BestTry> best;
  for (std::int64_t left = draw_number_of_tries(tries, source); left > 0; --left) {
    if (stop && stop()) return std::nullopt;
    BestTry its;
    its.index = static_cast<std::size_t>(source.below(grid.size()));
    const Run run = run_of(votes, grid.aggregator(its.index), grid.neighbours, queries);
    PrivacyFilter filter(run.aggregator, run.neighbours, {queries, {}, {}}, kAnyDelta, kAnyOrder);
    its.labelled = label_queries(run, filter, {}, source, threads);
    its.score = score_of(its.labelled, score, votes);
    if (!best || its.score > best->score) best = std::move(its);
  }
  return best;
}

}  // namespace pate
