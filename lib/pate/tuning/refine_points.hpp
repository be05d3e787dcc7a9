#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/tuning/evaluate_grid.hpp"

namespace pate {

/// A grid point whose epsilon is wanted as `account` gives it.
struct PointToRefine {
  std::size_t index;     ///< in the grid
  std::int64_t queries;  ///< asked
  double order;          ///< near the best
};

/// Their epsilons (exact_epsilon.hpp), the votes read once for each noise of the maximum and number
/// of queries. Nothing for those that were not reached when the watcher stops it.
[[nodiscard]] std::vector<std::optional<ExactEpsilon>> refine_points(
    const TuningVotes& votes, const TuningGrid& grid, const GridSettings& settings,
    std::span<const PointToRefine> points, const Watcher& watcher);

}  // namespace pate
