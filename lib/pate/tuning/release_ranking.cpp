#include "pate/tuning/release_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "pate/error.hpp"
#include "pate/parallel/parallel_for.hpp"
#include "pate/release/release_cost.hpp"

namespace pate {

namespace {

void check(const TuneSettings& settings) {
  const CostKind& cost = settings.grid.kind.cost;
  if (cost.bound != Bound::tradeoff || cost.reading != Reading::joint) {
    throw parameter_error("a release is of the joint cost under the tradeoff bound");
  }
  if (settings.top && *settings.top == 0) {
    throw parameter_error("ranking by the published epsilon needs top >= 1, got 0");
  }
}

std::optional<ReleasedEpsilon> published(const TuningVotes& votes, const Aggregator& aggregator,
                                         std::int64_t queries, double delta) {
  ReleaseSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  try {
    const ReleasedEpsilon result =
        mean_released_epsilon(collect_votes(run_of(votes, aggregator, queries)), settings);
    if (std::isfinite(result.mean)) return result;
  } catch (const validity_error&) {  // no finite cost
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> points_to_release(const std::vector<TunedPoint>& points,
                                           const TuningGoal& goal, std::optional<std::size_t> top) {
  std::vector<std::size_t> front;
  std::vector<std::size_t> within;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TunedPoint& p = points[i];
    if (!p.pareto) continue;
    front.push_back(i);
    if (goal.keeps_epsilon(p.point.epsilon) && goal.keeps_answers(p.point)) within.push_back(i);
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
  check(settings);
  const std::vector<std::size_t> positions =
      points_to_release(tuning.points, settings.goal, settings.top);
  std::vector<std::optional<ReleasedEpsilon>> found(positions.size());
  ProgressCounter progress(watcher.progress, static_cast<std::int64_t>(positions.size()));
  parallel_for(positions.size(), settings.grid.threads, [&](std::size_t k) {
    if (watcher.wants_stop()) return;
    const TunedPoint& p = tuning.points[positions[k]];
    found[k] = published(votes, tuning.grid.aggregator(p.index), p.point.queries,
                         settings.grid.kind.delta);
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
  tuning.choice = choose_released(tuning.points, settings.goal);
  tuning.ranked_by_release = true;
}

}  // namespace pate
