#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/parallel/progress.hpp"
#include "pate/tuning/exact_epsilon.hpp"
#include "pate/tuning/noise_sums.hpp"
#include "pate/tuning/tuning_grid.hpp"
#include "pate/tuning/tuning_point.hpp"

namespace pate {

/// How a long computation talks to the one who waits; both may be empty. Called from any thread.
struct Watcher {
  ProgressCallback progress;   ///< told of points
  std::function<bool()> stop;  ///< whether to stop as soon as possible

  [[nodiscard]] bool wants_stop() const { return stop && stop(); }
};

/// Which epsilon the points have and how many answers are wanted.
struct GridSettings {
  EpsilonKind kind;
  /// Of every point only so many queries are asked, the first ones, as are expected to give this
  /// many answers (a multiple of a 64th of all queries); further answers do not count.
  std::optional<double> max_answers;
  unsigned threads = 0;  ///< 0: all processors; changes no bit
};

/// Evaluates the points first .. first + points.size() - 1 of a grid that are not yet evaluated.
///
/// Confident and Interactive points: one pass over the votes for each noise of the maximum, then
/// O(distinct v) operations for each order that is looked at, however many queries there are;
/// epsilon is at least that of `account` and at most `kGridAccuracy` above it. GNMax and LNMax: one
/// pass for each point; epsilon is that of `account`. Answers and accuracy to 1e-11.
///
/// Points are evaluated in blocks (`kBlockThresholds`), each on its own: neither threads nor where
/// `first` lies (at the start of a block) changes a bit. After a stop the blocks that were not
/// reached are left as they were.
void evaluate_grid(const TuningVotes& votes, const TuningGrid& grid, const GridSettings& settings,
                   std::size_t first, std::span<TuningPoint> points, const Watcher& watcher);

}  // namespace pate
