#pragma once

#include <optional>

#include "pate/tuning/assemble.hpp"

namespace pate {

/// A point that need not be on the grid.
struct OffGridPoint {
  Aggregator aggregator;
  TuningPoint point;
};

/// Continues around the best point of a grid on the continuum: a pattern search in the logarithms
/// of the noises and in the threshold, along the axes and their diagonals, from steps of half the
/// grid's spacing down until the objective moves by less than 1e-4 relative. It stays between the
/// best point's neighbours on the grid, beyond an end as far as the nearest neighbour is: the grid
/// has looked at the rest, and without limits some objectives have no optimum (epsilon falls with
/// the noise for ever). Axes with a single value stay as they are.
///
/// Every point is judged by the epsilon of `account`; limits are kept. Returns the best point found
/// where it is better than `best`, and nothing where none is.
[[nodiscard]] std::optional<OffGridPoint> search_continuum(const TuningTask& task,
                                                           const TuningGoal& goal,
                                                           const TunedPoint& best);

}  // namespace pate
