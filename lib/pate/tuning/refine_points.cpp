#include "pate/tuning/refine_points.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "pate/parallel/parallel_for.hpp"

namespace pate {

std::vector<std::optional<ExactEpsilon>> refine_points(const TuningVotes& votes,
                                                       const TuningGrid& grid,
                                                       const GridSettings& settings,
                                                       std::span<const PointToRefine> points,
                                                       const Watcher& watcher) {
  std::vector<std::optional<ExactEpsilon>> result(points.size());
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    groups[{grid.noise_of(points[i].index), points[i].queries}].push_back(i);
  }
  for (const auto& group : groups) {
    const std::int64_t queries = group.first.second;
    const std::vector<std::size_t>& members = group.second;
    if (watcher.wants_stop()) break;
    const Aggregator any = grid.aggregator(points[members.front()].index);
    const Tally counted = tally(run_of(votes, any, queries), settings.threads);
    std::optional<QueryNodes> nodes;
    const bool joint =
        settings.kind.cost.bound == Bound::tradeoff && settings.kind.cost.reading == Reading::joint;
    if (joint && any.selection && any.is_gaussian()) {
      nodes.emplace(counted, Aggregator{std::nullopt, any.noisy_max, false});
    }
    parallel_for(members.size(), settings.threads, [&](std::size_t k) {
      if (watcher.wants_stop()) return;
      const PointToRefine& point = points[members[k]];
      const Aggregator aggregator = grid.aggregator(point.index);
      result[members[k]] =
          nodes ? exact_epsilon(*nodes, *aggregator.selection, settings.kind, point.order)
                : exact_epsilon(counted, aggregator, settings.kind, point.order, 1);
    });
  }
  return result;
}

}  // namespace pate
