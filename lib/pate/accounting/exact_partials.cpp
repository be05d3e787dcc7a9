#include "pate/accounting/exact_partials.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "pate/error.hpp"
#include "pate/votes/prediction_votes.hpp"

namespace pate {

namespace {

// How many orders are evaluated at once for the teachers: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

void add_teachers(const ExactPartials& shard, ExactPartials& sum) {
  if (shard.orders != sum.orders || shard.teachers.size() != sum.teachers.size()) {
    throw parameter_error("the exact costs of the shards are at different orders");
  }
  for (std::size_t k = 0; k < sum.teachers.size(); ++k) {
    if (shard.teachers[k].size() != sum.teachers[k].size()) {
      throw parameter_error("the exact costs of the shards are those of different teachers");
    }
    for (std::size_t t = 0; t < sum.teachers[k].size(); ++t) {
      sum.teachers[k][t].add(shard.teachers[k][t]);
    }
  }
}

}  // namespace

ExactPartials exact_partials(const Run& run, std::span<const double> orders, unsigned threads) {
  const ExactMechanism mechanism(run.aggregator, run.votes.teachers());
  const auto* const predictions = dynamic_cast<const PredictionVotes*>(&run.votes);
  ExactTally tally = exact_tally(run, mechanism, threads, predictions != nullptr);
  ExactPartials result;
  if (predictions != nullptr) {
    result.orders.assign(orders.begin(), orders.end());
    ExactRun costs(mechanism, tally.distinct, threads);
    for (std::size_t k = 0; k < orders.size(); k += kOrdersAtOnce) {
      auto sums =
          teacher_sums(run, *predictions, tally.of_query, costs,
                       orders.subspan(k, std::min(kOrdersAtOnce, orders.size() - k)), threads);
      std::move(sums.begin(), sums.end(), std::back_inserter(result.teachers));
    }
  }
  result.distinct = std::move(tally.distinct);
  return result;
}

ExactPartials merge(std::span<const ExactPartials> shards) {
  if (shards.empty()) throw parameter_error("merging needs at least one shard, got none");
  ExactPartials result = shards.front();
  for (const ExactPartials& shard : shards.subspan(1)) {
    result.distinct.insert(result.distinct.end(), shard.distinct.begin(), shard.distinct.end());
    add_teachers(shard, result);
  }
  std::sort(result.distinct.begin(), result.distinct.end(),
            [](const ExactQuery& a, const ExactQuery& b) { return a.votes < b.votes; });
  std::vector<ExactQuery> distinct;
  for (ExactQuery& query : result.distinct) {
    if (!distinct.empty() && distinct.back().votes == query.votes) {
      distinct.back().count += query.count;
    } else {
      distinct.push_back(std::move(query));
    }
  }
  result.distinct = std::move(distinct);
  return result;
}

}  // namespace pate
