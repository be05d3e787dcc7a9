#include "pate/accounting/weighted_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "pate/accounting/exact_by_weight.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_mechanism.hpp"

namespace pate {

namespace {

// The noise in votes of so many of the units that it is told in, rounded down: less noise costs
// more.
NoisyMax per_vote(const NoisyMax& noisy_max, double units) {
  return noise_of(noisy_max.noise.index(),
                  noisy_max.parameter() / units * (1.0 - std::numeric_limits<double>::epsilon()));
}

// The mechanism in votes of so many units. A threshold is what it is, within a rounding.
Aggregator in_votes_of(const Aggregator& aggregator, double units) {
  Aggregator result = aggregator;
  result.noisy_max = per_vote(aggregator.noisy_max, units);
  if (result.selection) {
    result.selection->threshold /= units;
    result.selection->sigma1 *= (1.0 - std::numeric_limits<double>::epsilon()) / units;
  }
  return result;
}

// What a teacher of so many units pays: by the noise in its votes, or, where a count in units is
// compared with a threshold, as so many votes that move.
Aggregator for_teacher(const Aggregator& in_units, std::int64_t units) {
  return in_units.selection ? protecting(in_units, {Adjacency::replace, units})
                            : in_votes_of(in_units, static_cast<double>(units));
}

// The account in votes of the heaviest teacher, where its costs were those of so many units that
// move.
void tell_by_votes(const Aggregator& in_units, std::int64_t units, Account& account) {
  if (!in_units.selection) return;
  account.aggregator = in_votes_of(in_units, static_cast<double>(units));
  account.steps = steps_of(account.aggregator, account.queries, account.queries);
  account.table.clear();  // goes by units
}

void check(const Run& run, const TeacherWeights& weights, const AccountSettings& settings) {
  require_one_replaced(run.aggregator.neighbours(), "the cost of teachers with weights");
  if (settings.tilted || settings.complex) {
    throw parameter_error(
        "tilted and complex costs know only what one vote that moves changes, not one with a "
        "weight: exact costs are there with weights of teachers");
  }
  const Mechanism& mechanism = run.aggregator;
  const bool goes_by_votes = mechanism.ptr() != nullptr || mechanism.interactive() ||
                             mechanism.noisy().noisy_max.is_of_two_classes();
  require_weighable(goes_by_votes, !goes_by_votes && mechanism.refuses(), weights);
  if (run.shard.of > 1) throw parameter_error("weights of teachers are for a whole run");
}

void check_weights(std::size_t weights) {
  if (weights <= kMaxExactWeights) return;
  throw parameter_error(fmt::format(
      "exact costs take as long for every weight as for all teachers of one: at most {} different "
      "weights, got {}; round them, or take the bound tradeoff (pate analyze without --exact)",
      kMaxExactWeights, weights));
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

void require_weighable(bool goes_by_votes, bool has_threshold, const TeacherWeights& weights) {
  if (goes_by_votes) {
    throw parameter_error(
        "weights of teachers are for a noisy maximum with noise on every count, with or without a "
        "threshold: PTR, a student and one noise go by whole votes");
  }
  if (has_threshold && weights.total() > kMaxThresholdUnits) {
    throw parameter_error(fmt::format(
        "with a threshold the weights may be at most {} of their common unit, {}, together, got "
        "{}: round them, or leave out the threshold",
        kMaxThresholdUnits, weights.unit, weights.total()));
  }
}

WeightedAccount account_weighted(const Run& run, const PredictionVotes& predictions,
                                 const TeacherWeights& weights, const AccountSettings& settings,
                                 bool with_profiles) {
  check(run, weights, settings);
  const WeightedVotes votes(predictions, weights);
  // q is that of counts and noise in units.
  const Aggregator in_units = in_votes_of(run.aggregator.noisy(), weights.unit);
  const Run counted_run{.votes = votes,
                        .rows = run.rows,
                        .aggregator = in_units,
                        .decisions = run.decisions,
                        .labels = run.labels};
  std::map<std::int64_t, std::vector<std::uint32_t>> teachers;
  for (std::size_t t = 0; t < weights.units.size(); ++t) {
    teachers[weights.units[t]].push_back(static_cast<std::uint32_t>(t));
  }
  std::optional<ExactMechanism> mechanism;
  if (settings.exact) {
    check_weights(teachers.size());
    mechanism.emplace(in_units, weights.total());
  }
  CountedRun counted = count_run(
      counted_run, {settings.threads, settings.progress, mechanism ? &*mechanism : nullptr});
  if (settings.when_read) settings.when_read();
  // The bounds go by what is left of the partials.
  const std::optional<ExactPartials> exact =
      std::exchange(counted.partials.exact, std::optional<ExactPartials>{});
  std::optional<ExactByWeight> exact_costs;
  if (exact) {
    exact_costs.emplace(*exact, *counted.teachers, in_units, weights.total(), weights.units.size(),
                        exact_settings(settings, /*is_part=*/!with_profiles));
  }

  WeightedAccount result;
  for (const auto& of_weight : teachers) {
    const auto& units = of_weight.first;
    const auto& its = of_weight.second;
    const bool is_heaviest = units == teachers.rbegin()->first;
    const Aggregator of_teacher = for_teacher(in_units, units);
    std::optional<double> most;
    const auto add_exact = [&](Account& account) {
      if (!exact_costs) return;
      most = exact_costs->add(units, its, account);
      if (is_heaviest) exact_costs->fill(account);
    };
    // Of a lighter teacher nothing is told that a choice of the headline would restrict.
    AccountSettings own = settings;
    own.exact = false;
    if (!is_heaviest) own.reading.reset();
    if (!is_heaviest) own.conversion.reset();
    Account account = pate::account(counted.partials, of_teacher, own, add_exact);
    result.weights.push_back({static_cast<double>(units) * weights.unit,
                              static_cast<std::int64_t>(its.size()),
                              smallest(account, Bound::data_independent).value(),
                              smallest(account, Bound::tradeoff), most});
    result.account = std::move(account);  // the last is the heaviest
  }
  tell_by_votes(in_units, weights.heaviest(), result.account);
  result.account.teachers = predictions.teachers();
  return result;
}

}  // namespace pate
