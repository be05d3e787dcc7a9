#include "pate/tuning/known_points.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "pate/tuning/evaluate_grid.hpp"

namespace pate {

namespace {

// The points first .. last - 1 of the grid that are evaluated one after the other with one of them.
std::pair<std::size_t, std::size_t> block_of(const TuningGrid& grid, std::size_t index) {
  const std::size_t threshold = grid.threshold_of(index);
  const std::size_t begin = threshold / kBlockThresholds * kBlockThresholds;
  const std::size_t end = std::min(begin + kBlockThresholds, grid.thresholds());
  return {index - threshold + begin, index - threshold + end};
}

// Positions among the points that are known.
std::vector<std::size_t> positions_again(const TuningGoal& goal, const KnownPoints& known,
                                         std::uint64_t seed) {
  std::vector<TunedPoint> judged = known;
  for (TunedPoint& p : judged) {
    p.point.epsilon = p.grid_epsilon;
    p.point.order = p.grid_order;
    p.refined = p.pareto = false;
  }
  const TuningChoice choice = assemble(judged, goal, {});
  std::vector<std::size_t> all;
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    all.push_back(i);
    if (judged[i].pareto) front.push_back(i);
  }
  std::mt19937_64 random(seed);
  std::vector<std::size_t> result;
  if (choice.best) result.push_back(*choice.best);
  for (const auto* positions : {&all, &front}) {
    std::ranges::sample(*positions, std::back_inserter(result), kPointsAgain, random);
  }
  return result;
}

bool is_near(double a, double b, double accuracy) {
  return a == b || std::abs(a - b) <= accuracy * std::max(std::abs(a), std::abs(b));
}

bool is_same(const TunedPoint& known, const TuningPoint& found, bool to_the_bit, bool has_labels) {
  constexpr double kCountsAccuracy = 1e-9;
  const double counts = to_the_bit ? 0.0 : kCountsAccuracy;
  const TuningPoint& its = known.point;
  return is_near(known.grid_epsilon, found.epsilon, to_the_bit ? 0.0 : kGridAccuracy) &&
         (!to_the_bit || known.grid_order == found.order) &&
         is_near(its.answered, found.answered, counts) &&
         is_near(its.agreeing, found.agreeing, counts) &&
         (!has_labels || is_near(its.right, found.right, counts)) && its.queries == found.queries;
}

}  // namespace

std::optional<std::size_t> differing_point(const TuningTask& task, const TuningGoal& goal,
                                           const KnownPoints& known, std::uint64_t seed) {
  if (known.empty()) return std::nullopt;
  const std::vector<std::size_t> again = positions_again(goal, known, seed);
  // What is not looked at counts as evaluated.
  const std::size_t first = block_of(task.grid, known.front().index).first;
  const std::size_t last = block_of(task.grid, known.back().index).second;
  TuningPoint done;
  done.epsilon = 0.0;
  std::vector<TuningPoint> points(last - first, done);
  for (const std::size_t position : again) {
    const auto [begin, end] = block_of(task.grid, known[position].index);
    for (std::size_t index = begin; index < end; ++index) points[index - first] = {};
  }
  evaluate_grid(task, first, points);
  for (const std::size_t position : again) {
    const TunedPoint& p = known[position];
    const TuningPoint& found = points[p.index - first];
    if (!found.evaluated()) continue;  // stopped
    const auto [begin, end] = block_of(task.grid, p.index);
    const auto by_index = [](const TunedPoint& point, std::size_t index) {
      return point.index < index;
    };
    const auto known_from = std::lower_bound(known.begin(), known.end(), begin, by_index);
    const auto known_to = std::lower_bound(known.begin(), known.end(), end, by_index);
    const bool whole = static_cast<std::size_t>(known_to - known_from) == end - begin;
    if (!is_same(p, found, whole, task.votes.labels.has_value())) return p.index;
  }
  return std::nullopt;
}

}  // namespace pate
