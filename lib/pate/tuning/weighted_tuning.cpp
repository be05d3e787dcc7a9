#include "pate/tuning/weighted_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/tuning/parameter_search.hpp"

namespace pate {

namespace {

const PredictionVotes& predictions_of(const TuningVotes& votes) {
  const auto* const predictions = dynamic_cast<const PredictionVotes*>(&votes.votes);
  require(Asked::weights, circumstances_of(votes.votes)
                              .with(Given::counts, predictions == nullptr)
                              .with(Given::student, votes.student != nullptr));
  return *predictions;
}

void check(const TuningGrid& grid, const TuneSettings& settings, const TeacherWeights& weights) {
  require(Asked::weights, Circumstances(grid.neighbours)
                              .with(Given::ptr, grid.ptr.has_value())
                              .with(Given::one_noise, grid.one_noise)
                              .with(Given::student, grid.interactive)
                              .with(Given::shard, settings.shard.of > 1));
  if (grid.has_selection() || settings.search) require_few_units(weights);
  require(settings.grid.kind.cost.bound != Bound::published,
          "the published bounds are not for votes that count by weights");
  if (settings.release) throw parameter_error("tuning for teachers with weights has no releases");
}

TuningGrid scaled(TuningGrid grid, double factor) {
  for (std::vector<double>* axis : {&grid.noise, &grid.sigma1, &grid.threshold}) {
    for (double& value : *axis) value = to_12_digits(value * factor);
  }
  return grid;
}

// A vote of weight 1 is 1 / unit of what is counted.
TuningGrid in_units(TuningGrid grid, double unit, std::int64_t heaviest) {
  for (std::vector<double>* axis : {&grid.noise, &grid.sigma1, &grid.threshold}) {
    for (double& value : *axis) value /= unit;
  }
  grid.neighbours = {Adjacency::replace, heaviest};
  return grid;
}

Aggregator in_votes(const Aggregator& in_units, double unit) {
  Aggregator result = in_units;
  result.noisy_max = noise_of(in_units.noisy_max.noise.index(),
                              to_12_digits(in_units.noisy_max.parameter() * unit));
  if (result.selection) {
    result.selection->threshold = to_12_digits(result.selection->threshold * unit);
    result.selection->sigma1 = to_12_digits(result.selection->sigma1 * unit);
  }
  return result;
}

}  // namespace

WeightedTuning::WeightedTuning(const TuningVotes& votes, const TeacherWeights& weights)
    : unit_(weights.unit),
      heaviest_(weights.heaviest()),
      counted_(predictions_of(votes), weights),
      votes_{counted_, votes.rows, nullptr, votes.labels} {}

TuningGrid WeightedTuning::search_grid(unsigned threads) const {
  return scaled(pate::search_grid(votes_, threads), unit_);
}

Tuning WeightedTuning::run(const TuningGrid& grid, const TuneSettings& settings,
                           const Watcher& watcher) const {
  check(grid, settings, counted_.weights());
  validate(grid);
  Tuning tuning = tune(votes_, in_units(grid, unit_, heaviest_), settings, {}, watcher);
  tuning.grid = grid;
  tuning.teachers = counted_.predictions().teachers();
  if (tuning.continuum) {
    tuning.continuum->aggregator = in_votes(tuning.continuum->aggregator, unit_);
  }
  return tuning;
}

TeacherGroups groups_by_weight(const TeacherWeights& weights) {
  std::vector<std::int64_t> different = weights.units;
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  TeacherGroups groups;
  for (const std::int64_t units : different) {
    groups.names.push_back(fmt::format("{:.15g}", weights.weight_of(units)));
  }
  for (const std::int64_t units : weights.units) {
    const auto place = std::ranges::lower_bound(different, units);
    groups.of_teacher.push_back(static_cast<std::size_t>(place - different.begin()));
  }
  return groups;
}

}  // namespace pate
