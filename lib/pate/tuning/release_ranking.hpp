#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "pate/tuning/tune.hpp"

namespace pate {

/// Positions of the Pareto points whose release is computed: all of them, or with `top` so many,
/// evenly spread over those that keep the limits by epsilon alone (over the whole front if none
/// does), both ends among them. No other point can keep max_epsilon: a release publishes more than
/// epsilon on average. Domain: top >= 1.
[[nodiscard]] std::vector<std::size_t> points_to_release(const std::vector<TunedPoint>& points,
                                                         const TuningGoal& goal,
                                                         std::optional<std::size_t> top);

/// The choice of `assemble` with the mean published epsilon in the place of epsilon, for the limits
/// and for the objective, among the points that have one. Positions are among `points`.
[[nodiscard]] TuningChoice choose_released(const std::vector<TunedPoint>& points,
                                           const TuningGoal& goal);

/// Computes for the points of `points_to_release` what `release_plan` would publish on average, the
/// parameters of the release chosen from the same votes, and ranks by that: `tuning.choice` is then
/// that of `choose_released`.
///
/// tuning: complete, of the same votes, joint reading of the trade-off bound. The mean is that of
/// `mean_released_epsilon` with default confidence; where a cost is not finite at any order,
/// `released` stays empty. Reads the votes once for each point. Threads change no bit. When the
/// watcher stops it, the tuning is as before but for being marked incomplete. Throws
/// `parameter_error` for another bound or reading, for top = 0, and for votes over one class.
void rank_by_release(const TuningVotes& votes, const TuneSettings& settings, Tuning& tuning,
                     const Watcher& watcher);

}  // namespace pate
