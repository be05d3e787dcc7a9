#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/base/parallel/shard.hpp"
#include "pate/tuning/assemble.hpp"
#include "pate/tuning/off_grid_search.hpp"
#include "pate/tuning/parameter_search.hpp"

namespace pate {

/// What `tune` is to do.
struct TuneSettings {
  GridSettings grid;
  TuningGoal goal;
  Shard shard;
  /// Keep only the front, what was refined and this many of the best points.
  std::optional<std::size_t> top;
  /// After the grid, continue on the continuum around the best point (continuum.hpp), and round
  /// what was found.
  bool continuum = false;
  /// The grid is that of `search_grid`: after it, look for the best parameters anywhere
  /// (parameter_search.hpp).
  bool search = false;
  /// The best point is wanted by the mean released epsilon: `rank_by_release` after `tune`. Until
  /// then this changes nothing.
  bool release = false;
  ReleaseMethod method = ReleaseMethod::curve;  ///< of that release
};

/// What `tune` finds.
struct Tuning {
  TuningGrid grid;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;
  bool has_labels = false;
  std::size_t first = 0, last = 0;  ///< the points of the shard
  std::size_t evaluated = 0;
  bool complete = false;  ///< whether every point of the shard was evaluated and refined
  std::vector<TunedPoint> points = {};  ///< those that are kept, in canonical order
  TuningChoice choice = {};             ///< positions among `points`
  /// Whether `choice` is by the mean released epsilon.
  bool ranked_by_release = false;
  std::optional<OffGridPoint> continuum = {};  ///< where it is better than the best of the grid
  SearchTrace searched = {};                   ///< where all parameters were looked for

  [[nodiscard]] bool has_best() const { return choice.best || continuum; }
};

/// The points of a grid that were evaluated before, by an earlier, interrupted `tune`.
using KnownPoints = std::vector<TunedPoint>;

/// Chooses among the points of a grid that are evaluated, or finds one off it, which is returned.
using ChoosePoint = std::function<std::optional<OffGridPoint>(
    const TuningTask&, const std::vector<TunedPoint>&, TuningChoice&, SearchTrace&)>;

/// Bytes that so many points take at least while they are refined.
[[nodiscard]] constexpr double tuning_memory(std::size_t points) {
  return static_cast<double>(points) *
         static_cast<double>(sizeof(TuningPoint) + 2 * sizeof(TunedPoint));
}

/// The points of a grid (of one shard of it), evaluated, refined where that matters, with their
/// Pareto front and the best of them.
///
/// The best point and the front have the epsilon of `account` to 1e-9; all others an upper bound at
/// most `kGridAccuracy` above it. Neither threads nor the number of shards change a bit. When the
/// watcher stops it, what was evaluated is returned as it is, all of it, marked incomplete.
/// With `choose` its choice is that of the tuning, among points as the grid has them.
/// Throws `parameter_error` for settings out of range and what reading the votes throws.
[[nodiscard]] Tuning tune(const TuningVotes& votes, const TuningGrid& grid,
                          const TuneSettings& settings, const KnownPoints& known,
                          const Watcher& watcher, const ChoosePoint& choose = {});

/// The tuning of a whole grid from those of all its shards, in order: the same, to the last bit, as
/// `tune` without shards. Of every shard `points` holds what it lists. Throws `parameter_error`
/// unless the shards are complete and follow each other from the first point to the last, and where
/// the settings ask for the continuum, which needs the votes.
[[nodiscard]] Tuning join_shards(std::span<const Tuning> shards, const TuneSettings& settings);

/// Positions of the Pareto points whose release is computed: all of them, or with `top` so many,
/// evenly spread over those that keep the limits (over the whole front if none does), both ends
/// among them. By gnss no point whose epsilon is above max_epsilon can keep it: such a release
/// publishes more than epsilon on average. Through a curve it may publish less, as its bound is a
/// better one, and only min_answered is a limit here. Domain: top >= 1.
[[nodiscard]] std::vector<std::size_t> points_to_release(const std::vector<TunedPoint>& points,
                                                         const TuningGoal& goal,
                                                         ReleaseMethod method,
                                                         std::optional<std::size_t> top);

/// The choice of `assemble` with the mean released epsilon in the place of epsilon, for the limits
/// and for the objective, among the points that have one. Positions are among `points`.
[[nodiscard]] TuningChoice choose_released(const std::vector<TunedPoint>& points,
                                           const TuningGoal& goal);

/// Computes for the points of `points_to_release` what a release would publish on average, and
/// ranks by that: `tuning.choice` is then that of `choose_released`. By gnss, what `release_plan`
/// would, the parameters chosen from the same votes. Through a curve, what `curve_plan` would with
/// default parameters: an estimate for every point, and the mean itself for the best, computed
/// until the best by these numbers has it; of a person in several teachers every point has the mean
/// where the release is not by the trade-off bound. The front is that of that bound in both cases.
///
/// tuning: complete, of the same votes, joint reading of the trade-off bound. The mean is that of
/// `mean_released_epsilon` with default confidence; where a cost is not finite at any order,
/// `released` stays empty. Reads the votes once for each point. Threads change no bit. When the
/// watcher stops it, the tuning is as before but for being marked incomplete. Throws
/// `parameter_error` for another bound or reading, for top = 0, for votes over one class, for
/// teachers that are added or removed, and by gnss for other neighbours than one teacher that votes
/// otherwise.
void rank_by_release(const TuningVotes& votes, const TuneSettings& settings, Tuning& tuning,
                     const Watcher& watcher);

}  // namespace pate
