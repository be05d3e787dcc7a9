#include "pate/accounting/weighted_account.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"

namespace pate {

namespace {

// The noise in votes of so many of the units that it is told in, rounded down: less noise costs
// more.
NoisyMax per_vote(const NoisyMax& noisy_max, double units) {
  return noise_of(noisy_max.noise.index(),
                  noisy_max.parameter() / units * (1.0 - std::numeric_limits<double>::epsilon()));
}

void check(const Run& run, const AccountSettings& settings) {
  require_one_replaced(run.aggregator.neighbours(), "the cost of teachers with weights");
  if (settings.exact || settings.tilted || settings.complex) {
    throw parameter_error(
        "exact, tilted and complex costs know only what one vote that moves changes, not one with "
        "a weight: leave them out with weights of teachers");
  }
  if (run.aggregator.refuses() || run.aggregator.noisy().noisy_max.is_of_two_classes()) {
    throw parameter_error(
        "weights of teachers are for a noisy maximum alone, with noise on every count: its "
        "threshold check, PTR and one noise go by whole votes");
  }
  if (run.shard.of > 1) throw parameter_error("weights of teachers are for a whole run");
}

std::optional<double> smallest(const Account& account, Bound bound) {
  std::optional<double> least;
  for (const CostEntry& cost : account.costs) {
    if (cost.bound != bound || cost.promise != Promise::fixed) continue;
    if (!least || cost.epsilon < *least) least = cost.epsilon;
  }
  return least;
}

}  // namespace

WeightedAccount account_weighted(const Run& run, const PredictionVotes& predictions,
                                 const TeacherWeights& weights, const AccountSettings& settings) {
  check(run, settings);
  const WeightedVotes votes(predictions, weights);
  // q is that of counts and noise in units.
  const Aggregator in_units{.selection = {},
                            .noisy_max = per_vote(run.aggregator.noisy().noisy_max, weights.unit)};
  const Run counted_run{.votes = votes,
                        .rows = run.rows,
                        .aggregator = in_units,
                        .decisions = run.decisions,
                        .labels = run.labels};
  const CountedRun counted = count_run(counted_run, {settings.threads, settings.progress});
  if (settings.when_read) settings.when_read();
  std::map<std::int64_t, std::int64_t> teachers;
  for (const std::int64_t units : weights.units) ++teachers[units];
  WeightedAccount result;
  for (const auto& [units, count] : teachers) {
    const Aggregator of_teacher{
        .selection = {}, .noisy_max = per_vote(in_units.noisy_max, static_cast<double>(units))};
    Account account = pate::account(counted.partials, of_teacher, settings);
    result.weights.push_back({static_cast<double>(units) * weights.unit, count,
                              smallest(account, Bound::data_independent).value(),
                              smallest(account, Bound::tradeoff)});
    result.account = std::move(account);  // the last is the heaviest
  }
  result.account.teachers = predictions.teachers();
  return result;
}

}  // namespace pate
