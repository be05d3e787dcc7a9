#include "pate/tuning/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "pate/error.hpp"
#include "pate/tuning/evaluate_grid.hpp"

namespace pate {

namespace {

// Thrown inside when the watcher stops the refinement, and caught here.
struct Stopped {};

void check(const TuningVotes& votes, const TuneSettings& settings) {
  validate_delta(settings.grid.kind.delta);
  const CostKind& cost = settings.grid.kind.cost;
  if (cost.bound == Bound::data_independent) {
    throw parameter_error("tuning is by a bound that depends on the votes");
  }
  const bool joint = cost.reading == Reading::joint && cost.bound == Bound::tradeoff;
  if (!joint && cost.reading != Reading::expected) {
    throw parameter_error(fmt::format("the bound {} has no reading {} before a run",
                                      name(cost.bound), name(cost.reading)));
  }
  if (settings.goal.objective == Objective::correct && !votes.labels) {
    throw parameter_error("the objective correct needs true labels");
  }
  if (settings.grid.max_answers && !(*settings.grid.max_answers > 0.0)) {
    throw parameter_error(
        fmt::format("max_answers must be > 0, got {}", *settings.grid.max_answers));
  }
}

std::vector<TunedPoint> evaluated_points(const std::vector<TuningPoint>& points, std::size_t first,
                                         bool exact) {
  std::vector<TunedPoint> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].evaluated()) continue;
    result.push_back({first + i, points[i], points[i].epsilon, points[i].order, exact, false});
  }
  return result;
}

// Keeps what a report lists; positions follow.
void keep(const TuneSettings& settings, Tuning& tuning) {
  const auto kept = kept_points(tuning.points, settings.goal, tuning.choice, settings.top);
  if (kept.size() == tuning.points.size()) return;
  const auto moved = [&](std::size_t position) {
    return static_cast<std::size_t>(std::lower_bound(kept.begin(), kept.end(), position) -
                                    kept.begin());
  };
  if (tuning.choice.best) tuning.choice.best = moved(*tuning.choice.best);
  for (NearestMiss& miss : tuning.choice.nearest_misses) miss.position = moved(miss.position);
  std::vector<TunedPoint> points;
  points.reserve(kept.size());
  for (const std::size_t position : kept) points.push_back(tuning.points[position]);
  tuning.points = std::move(points);
}

}  // namespace

Tuning tune(const TuningVotes& votes, const TuningGrid& grid, const TuneSettings& settings,
            const KnownPoints& known, const Watcher& watcher) {
  check(votes, settings);
  validate(grid);
  Tuning tuning;
  tuning.grid = grid;
  tuning.teachers = votes.votes.teachers();
  tuning.classes = votes.votes.classes();
  tuning.queries = votes.rows.size();
  tuning.has_labels = votes.labels.has_value();
  std::tie(tuning.first, tuning.last) = points_of_shard(grid, settings.shard);

  std::vector<TuningPoint> points(tuning.last - tuning.first);
  for (const TunedPoint& before : known) {
    if (before.index < tuning.first || before.index >= tuning.last) continue;
    TuningPoint& point = points[before.index - tuning.first];
    point = before.point;
    point.epsilon = before.grid_epsilon;
    point.order = before.grid_order;
  }
  evaluate_grid(votes, grid, settings.grid, tuning.first, points, watcher);
  tuning.points = evaluated_points(points, tuning.first, !grid.has_selection());
  tuning.evaluated = tuning.points.size();
  tuning.complete = tuning.evaluated == points.size();

  if (tuning.complete) {
    const std::vector<TunedPoint> before_refinement =
        grid.has_selection() ? tuning.points : std::vector<TunedPoint>();
    try {
      tuning.choice =
          assemble(tuning.points, settings.goal, [&](std::span<const std::size_t> positions) {
            std::vector<PointToRefine> wanted;
            for (const std::size_t position : positions) {
              const TunedPoint& p = tuning.points[position];
              wanted.push_back({p.index, p.point.queries, p.grid_order});
            }
            auto refined = refine_points(votes, grid, settings.grid, wanted, watcher);
            if (watcher.wants_stop()) throw Stopped();
            return refined;
          });
      if (settings.continuum && tuning.choice.best) {
        tuning.continuum = search_continuum(votes, grid, settings.grid, settings.goal,
                                            tuning.points[*tuning.choice.best], watcher);
      }
      if (watcher.wants_stop()) tuning.complete = false;
    } catch (const Stopped&) {
      tuning.points = before_refinement;
      tuning.complete = false;
    }
  }
  if (!tuning.complete) {
    tuning.choice = assemble(tuning.points, settings.goal, {});
    return tuning;
  }
  keep(settings, tuning);
  return tuning;
}

Tuning join_shards(std::span<const Tuning> shards, const TuneSettings& settings) {
  if (shards.empty()) throw parameter_error("joining needs at least one shard, got none");
  if (settings.continuum) {
    throw parameter_error("a search on the continuum needs the votes: run it on the whole grid");
  }
  Tuning result;
  result.grid = shards.front().grid;
  result.teachers = shards.front().teachers;
  result.classes = shards.front().classes;
  result.queries = shards.front().queries;
  result.has_labels = shards.front().has_labels;
  std::map<std::size_t, AccountEpsilon> refined;
  for (const Tuning& shard : shards) {
    if (!shard.complete || shard.first != result.last) {
      throw parameter_error(
          fmt::format("points {} to {} of the grid: expected a complete shard "
                      "that begins with point {}",
                      shard.first, shard.last, result.last));
    }
    result.last = shard.last;
    result.evaluated += shard.evaluated;
    for (TunedPoint point : shard.points) {
      if (point.refined) refined[point.index] = {point.point.epsilon, point.point.order};
      point.point.epsilon = point.grid_epsilon;
      point.point.order = point.grid_order;
      point.refined = !result.grid.has_selection();
      point.pareto = false;
      result.points.push_back(point);
    }
  }
  if (result.last != result.grid.size()) {
    throw parameter_error(fmt::format("the shards have {} of the {} points of the grid",
                                      result.last, result.grid.size()));
  }
  result.complete = true;
  result.choice =
      assemble(result.points, settings.goal, [&](std::span<const std::size_t> positions) {
        std::vector<std::optional<AccountEpsilon>> known;
        for (const std::size_t position : positions) {
          const auto found = refined.find(result.points[position].index);
          known.push_back(found == refined.end() ? std::nullopt : std::optional(found->second));
        }
        return known;
      });
  keep(settings, result);
  return result;
}

}  // namespace pate
