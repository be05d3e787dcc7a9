#include "pate/release/collect_votes.hpp"

#include "pate/accounting/count_distinct.hpp"
#include "pate/error.hpp"

namespace pate {

VoteProfile collect_votes(const Run& run) {
  validate(run);
  VoteProfile votes;
  votes.aggregator = run.aggregator;
  votes.teachers = run.votes.teachers();
  votes.classes = run.votes.classes();
  votes.queries = run.rows.size();
  votes.has_decisions = run.decisions.has_value();
  if (votes.classes < 2) {
    throw parameter_error("a release needs votes over at least two classes, got one");
  }
  const DistinctQueries counted = count_distinct(run, sorted_histogram(), {.threads = 1});
  const UnionBoundTable table(pair_term(run.aggregator.noisy_max), votes.teachers);
  for (std::size_t i = 0; i < counted.keys.size(); ++i) {
    const auto key = counted.keys[i];
    const auto histogram = key.subspan(1);
    const DistinctQueries::Times times = counted.times(i);
    votes.distinct.push_back({key.front(), table.log_q(histogram), times.count, times.answered});
    votes.counts.insert(votes.counts.end(), histogram.begin(), histogram.end());
    votes.answered += times.answered;
  }
  return votes;
}

}  // namespace pate
