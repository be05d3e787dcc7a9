#include "pate/accounting/weighted_run.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "pate/accounting/circumstances.hpp"
#include "pate/base/error.hpp"

namespace pate {

namespace {

// The noise in votes of so many of the units that it is told in, rounded down: less noise costs
// more.
NoisyMax per_vote(const NoisyMax& noisy_max, double units) {
  return noise_of(noisy_max.noise.index(),
                  noisy_max.parameter() / units * (1.0 - std::numeric_limits<double>::epsilon()));
}

Run run_in_units(const Run& run, const WeightedVotes& votes) {
  require(Asked::weights, circumstances_of(run));
  const Mechanism& mechanism = run.aggregator;
  if (mechanism.refuses()) require_few_units(votes.weights());
  return {.votes = votes,
          .rows = run.rows,
          .aggregator = in_votes_of(mechanism.noisy(), votes.weights().unit),
          .neighbours = run.neighbours,
          .decisions = run.decisions,
          .labels = run.labels};
}

}  // namespace

Aggregator in_votes_of(const Aggregator& aggregator, double units) {
  Aggregator result = aggregator;
  result.noisy_max = per_vote(aggregator.noisy_max, units);
  if (result.selection) {
    result.selection->threshold /= units;
    result.selection->sigma1 *= (1.0 - std::numeric_limits<double>::epsilon()) / units;
  }
  return result;
}

CostedMechanism paid_by(const Aggregator& in_units, std::int64_t units) {
  if (in_units.selection) return {in_units, {Adjacency::replace, units}};
  return {in_votes_of(in_units, static_cast<double>(units)), {}};
}

void require_few_units(const TeacherWeights& weights) {
  if (weights.total() <= kMaxThresholdUnits) return;
  throw parameter_error(fmt::format(
      "with a threshold the weights may be at most {} of their common unit, {}, together, got {}: "
      "round them, or leave out the threshold",
      kMaxThresholdUnits, weights.unit, weights.total()));
}

WeightedRun::WeightedRun(const Run& run, const PredictionVotes& predictions,
                         const TeacherWeights& weights)
    : votes_(predictions, weights), run_(run_in_units(run, votes_)) {}

CostedMechanism WeightedRun::paid_by(std::int64_t units) const {
  return pate::paid_by(run_.aggregator.noisy(), units);
}

void WeightedRun::tell_in_votes_of(std::int64_t units, Account& account) const {
  if (!run_.aggregator.refuses()) return;
  account.aggregator = in_votes_of(run_.aggregator.noisy(), static_cast<double>(units));
  account.steps = steps_of(account.aggregator, run_.neighbours, account.queries, account.queries);
  account.table.clear();  // goes by units
}

std::map<std::int64_t, std::vector<std::uint32_t>> WeightedRun::teachers() const {
  std::map<std::int64_t, std::vector<std::uint32_t>> result;
  const std::vector<std::int64_t>& units = votes_.weights().units;
  for (std::size_t t = 0; t < units.size(); ++t) {
    result[units[t]].push_back(static_cast<std::uint32_t>(t));
  }
  return result;
}

std::optional<double> smallest_fixed(const Account& account, Bound bound) {
  return smallest_fixed(account.costs, bound);
}

std::optional<double> smallest_fixed(std::span<const CostEntry> costs, Bound bound) {
  std::optional<double> least;
  for (const CostEntry& cost : costs) {
    if (cost.bound != bound || cost.promise != Promise::fixed) continue;
    if (!least || cost.epsilon < *least) least = cost.epsilon;
  }
  return least;
}

}  // namespace pate
