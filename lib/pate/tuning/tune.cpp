#include "pate/tuning/tune.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/tuning/evaluate_grid.hpp"
#include "pate/tuning/vote_sums.hpp"

namespace pate {

namespace {

// Thrown inside when the watcher stops the refinement, and caught here.
struct Stopped {};

void check(const TuningVotes& votes, const TuningGrid& grid, const TuneSettings& settings) {
  require(Asked::tuning, circumstances_of(votes.votes));
  validate_delta(settings.grid.kind.delta);
  const CostKind& cost = settings.grid.kind.cost;
  if (grid.ptr &&
      (cost.bound != Bound::tradeoff || cost.reading != GuaranteeKind::joint ||
       settings.grid.max_answers || settings.continuum || settings.search || settings.release)) {
    throw parameter_error(
        "PTR is tuned by its joint cost under the tradeoff bound, on all queries and on the grid");
  }
  require(cost.bound != Bound::data_independent, "tuning is by a bound that depends on the votes");
  validate(settings.goal, cost, votes.labels.has_value());
  if (settings.grid.max_answers)
    require(*settings.grid.max_answers > 0.0, "max_answers must be > 0, got {}",
            *settings.grid.max_answers);
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

// What the points are compared with; a stop leaves some of them without.
void add_comparisons(const TuningTask& task, Tuning& tuning) {
  GridSettings settings = task.settings;
  settings.any_votes = false;
  for (TunedPoint& p : tuning.points) {
    p.published = p.point.epsilon;
    if (task.grid.ptr) p.published = kInfinity;  // nobody has published one of PTR
  }
  if (settings.kind.cost.bound == Bound::published || task.grid.ptr) return;
  settings.kind.cost = {Bound::published, GuaranteeKind::expected};
  settings.kind.as_headline = false;
  if (settings.kind.conversion == Conversion::optimal) {
    settings.kind.conversion = Conversion::improved;  // an expectation promises nothing
  }
  TuningPoint done;
  done.epsilon = 0.0;
  std::vector<TuningPoint> points(tuning.last - tuning.first, done);
  for (const TunedPoint& p : tuning.points) points[p.index - tuning.first] = {};
  const Watcher watcher{{}, task.watcher.stop};
  evaluate_grid({task.votes, task.grid, settings, watcher}, tuning.first, points);
  for (TunedPoint& p : tuning.points) p.published = points[p.index - tuning.first].epsilon;
}

// The point found on the continuum with parameters that people can write, where it is still better
// than the best of the grid.
std::optional<OffGridPoint> continuum_rounded(const TuningTask& task, const TuningGoal& goal,
                                              const TunedPoint& best) {
  const std::optional<OffGridPoint> found = search_continuum(task, goal, best);
  if (!found) return std::nullopt;
  std::optional<OffGridPoint> rounded = round_parameters(task, goal, *found);
  if (rounded && is_better(goal, rounded->point, best.point)) return rounded;
  return std::nullopt;
}

void check_release(const TuneSettings& settings, const Neighbours& neighbours) {
  require(Asked::release, neighbours);
  if (settings.method == ReleaseMethod::gnss) require(Asked::smooth_release, neighbours);
  const CostKind& cost = settings.grid.kind.cost;
  require(cost.bound == Bound::tradeoff && cost.reading == GuaranteeKind::joint,
          "a release is of the joint cost under the tradeoff bound");
  require(!settings.top || *settings.top != 0,
          "ranking by the released epsilon needs top >= 1, got 0");
}

// `threads`, and whether an estimate will do, are for curves.
std::optional<ReleasedEpsilon> released_of(const TuningVotes& votes, const TuneSettings& settings,
                                           const Aggregator& aggregator,
                                           const Neighbours& neighbours, std::int64_t queries,
                                           unsigned threads, bool coarse) {
  const VoteProfile profile = collect_votes(run_of(votes, aggregator, neighbours, queries));
  ReleaseSettings gnss;
  CurvePlanSettings curve;
  gnss.delta = curve.delta = settings.grid.kind.delta;
  gnss.threads = 1;
  curve.threads = threads;
  // Estimates for a person in several teachers are by the trade-off bound: too large where the
  // release is by a better one.
  const bool is_near =
      neighbours.teachers == 1 || default_cost(aggregator, neighbours, votes.votes.teachers(),
                                               votes.votes.classes()) == CurveCost::tradeoff;
  try {
    const ReleasedEpsilon result = settings.method == ReleaseMethod::curve
                                       ? mean_released_epsilon(profile, curve, coarse && is_near)
                                       : mean_released_epsilon(profile, gnss);
    if (std::isfinite(result.mean)) return result;
  } catch (const validity_error&) {  // no finite cost
  }
  return std::nullopt;
}

}  // namespace

Tuning tune(const TuningVotes& votes, const TuningGrid& grid, const TuneSettings& settings,
            const KnownPoints& known, const Watcher& watcher, const ChoosePoint& choose) {
  check(votes, grid, settings);
  validate(grid);
  Tuning tuning{grid, votes.votes.teachers(), votes.votes.classes(), votes.rows.size(),
                votes.labels.has_value()};
  std::tie(tuning.first, tuning.last) = points_of_shard(grid, settings.shard);

  std::vector<TuningPoint> points(tuning.last - tuning.first);
  for (const TunedPoint& before : known) {
    if (before.index < tuning.first || before.index >= tuning.last) continue;
    TuningPoint& point = points[before.index - tuning.first];
    point = before.point;
    point.epsilon = before.grid_epsilon;
    point.order = before.grid_order;
  }
  std::optional<KeptSums> kept;
  if (settings.search) kept.emplace(settings.grid.kind);
  const TuningTask task{votes, grid, settings.grid, watcher, kept ? &*kept : nullptr};
  evaluate_grid(task, tuning.first, points);
  tuning.points = evaluated_points(points, tuning.first, !grid.has_selection());
  tuning.evaluated = tuning.points.size();
  tuning.complete = tuning.evaluated == points.size();

  if (tuning.complete) {
    try {
      // A coarse grid is where a search begins: its own points are nothing that one would choose.
      const bool refines = !settings.search && !choose && !settings.grid.any_votes;
      const RefinePoints refine = [&](std::span<const std::size_t> positions) {
        std::vector<PointToRefine> wanted;
        for (const std::size_t position : positions) {
          const TunedPoint& p = tuning.points[position];
          wanted.push_back({p.index, p.point.queries, p.grid_order});
        }
        auto refined = refine_points(task, wanted);
        if (watcher.wants_stop()) throw Stopped();
        return refined;
      };
      tuning.choice = assemble(tuning.points, settings.goal, refines ? refine : RefinePoints());
      if (choose) {
        tuning.continuum = choose(task, tuning.points, tuning.choice, tuning.searched);
      } else if (settings.search) {
        tuning.continuum = search_parameters(task, settings.goal, tuning.points, tuning.choice.best,
                                             tuning.searched);
        if (tuning.continuum) tuning.choice.nearest_misses.clear();
      } else if (settings.continuum && tuning.choice.best) {
        tuning.continuum =
            continuum_rounded(task, settings.goal, tuning.points[*tuning.choice.best]);
      }
      keep(settings, tuning);
      add_comparisons(task, tuning);
      if (watcher.wants_stop()) throw Stopped();
    } catch (const Stopped&) {
      tuning.points = evaluated_points(points, tuning.first, !grid.has_selection());
      tuning.complete = false;
    }
  }
  if (!tuning.complete) {
    tuning.continuum.reset();
    tuning.choice = assemble(tuning.points, settings.goal, {});
  }
  return tuning;
}

Tuning join_shards(std::span<const Tuning> shards, const TuneSettings& settings) {
  if (shards.empty()) throw parameter_error("joining needs at least one shard, got none");
  require(!settings.continuum && !settings.search,
          "a search on the continuum needs the votes: run it on the whole grid");
  const Tuning& one = shards.front();
  Tuning result{one.grid, one.teachers, one.classes, one.queries, one.has_labels};
  std::map<std::size_t, AccountEpsilon> refined;
  for (const Tuning& shard : shards) {
    require(shard.complete && shard.first == result.last,
            "points {} to {} of the grid: expected a complete shard "
            "that begins with point {}",
            shard.first, shard.last, result.last);
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
  require(result.last == result.grid.size(), "the shards have {} of the {} points of the grid",
          result.last, result.grid.size());
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

std::vector<std::size_t> points_to_release(const std::vector<TunedPoint>& points,
                                           const TuningGoal& goal, ReleaseMethod method,
                                           std::optional<std::size_t> top) {
  std::vector<std::size_t> front;
  std::vector<std::size_t> within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TunedPoint& p = points[i];
    if (!p.pareto) continue;
    front.push_back(i);
    const bool keeps = method == ReleaseMethod::curve || goal.keeps_epsilon(p.point.epsilon);
    if (keeps && goal.keeps_answers(p.point)) within.push_back(i);
  }
  if (!top || front.size() <= *top) return front;
  std::vector<std::size_t>& candidates = within.empty() ? front : within;
  if (candidates.size() <= *top) return candidates;
  // The cheapest first, where the objective epsilon finds its best.
  std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(points[a].point.epsilon, a) < std::tuple(points[b].point.epsilon, b);
  });
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < *top; ++k) {
    result.push_back(candidates[*top == 1 ? 0 : k * (candidates.size() - 1) / (*top - 1)]);
  }
  std::sort(result.begin(), result.end());
  return result;
}

TuningChoice choose_released(const std::vector<TunedPoint>& points, const TuningGoal& goal) {
  std::vector<std::size_t> positions;
  std::vector<TunedPoint> by_mean;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].released) continue;
    positions.push_back(i);
    TunedPoint p = points[i];
    p.point.epsilon = p.grid_epsilon = p.released->mean;
    by_mean.push_back(p);
  }
  TuningChoice choice = assemble(by_mean, goal, {});
  if (choice.best) choice.best = positions[*choice.best];
  for (NearestMiss& miss : choice.nearest_misses) miss.position = positions[miss.position];
  return choice;
}

void rank_by_release(const TuningVotes& votes, const TuneSettings& settings, Tuning& tuning,
                     const Watcher& watcher) {
  check_release(settings, tuning.grid.neighbours);
  const std::vector<std::size_t> positions =
      points_to_release(tuning.points, settings.goal, settings.method, settings.top);
  std::vector<std::optional<ReleasedEpsilon>> found(positions.size());
  ProgressCounter progress(watcher.progress, static_cast<std::int64_t>(positions.size()));
  parallel_for(positions.size(), settings.grid.threads, [&](std::size_t k) {
    if (watcher.wants_stop()) return;
    const TunedPoint& p = tuning.points[positions[k]];
    found[k] = released_of(votes, settings, tuning.grid.aggregator(p.index), tuning.grid.neighbours,
                           p.point.queries, 1, true);
    progress.add(1);
  });
  if (watcher.wants_stop()) {
    tuning.complete = false;
    return;
  }
  for (std::size_t k = 0; k < positions.size(); ++k) {
    TunedPoint& p = tuning.points[positions[k]];
    p.release_computed = true;
    p.released = found[k];
  }
  while (true) {
    tuning.choice = choose_released(tuning.points, settings.goal);
    if (!tuning.choice.best) break;
    TunedPoint& best = tuning.points[*tuning.choice.best];
    if (!best.released->is_estimate) break;
    if (watcher.wants_stop()) {
      tuning.complete = false;
      return;
    }
    best.released =
        released_of(votes, settings, tuning.grid.aggregator(best.index), tuning.grid.neighbours,
                    best.point.queries, settings.grid.threads, false);
  }
  tuning.ranked_by_release = true;
}

}  // namespace pate
