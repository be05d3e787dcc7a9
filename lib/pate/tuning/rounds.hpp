#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "pate/tuning/assemble.hpp"
#include "pate/tuning/tuning_grid.hpp"
#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// A round of labelling: its queries, and the parameters that are tried on them.
struct Round {
  TuningVotes votes;
  TuningGrid grid;  ///< with a selection, of at most `kMaxRoundPoints` points
};

inline constexpr std::size_t kMaxRoundPoints = 20'000;

/// A point of each grid, and what both rounds cost and give together.
struct RoundsPoint {
  std::array<std::size_t, 2> index{};  ///< in the grids of the rounds
  double epsilon = 0.0;                ///< of both at one order; an upper bound
  double order = 0.0;
  double answered = 0.0;  ///< expected, of both
  double right = 0.0;     ///< expected, of both; needs true labels
  double agreeing = 0.0;  ///< expected, of both
};

/// What one round of a `RoundsPoint` costs and gives alone.
struct RoundAlone {
  double epsilon = 0.0;  ///< at its own best order
  double answered = 0.0;
  double right = 0.0;
  double agreeing = 0.0;
};

struct RoundsTuning {
  /// Pairs of which no other is better in epsilon and in what the goal sets against it
  /// (`TuningGoal::value`), the cheapest first; a few thousand of them at most. Epsilon is at most
  /// `kGridAccuracy` above that of the sum of both accounts.
  std::vector<RoundsPoint> front;
  /// The best pair under the limits. Epsilon is that of the sum of both accounts, to 1e-9.
  std::optional<RoundsPoint> best;
  std::array<RoundAlone, 2> alone{};  ///< of the best
};

/// Searches the parameters of two rounds on the same teachers together (S18, Section 4.3: Confident
/// on the first queries, Interactive on the rest), under one epsilon: RDP adds up at each order.
///
/// At one order a pair of points that are not dominated in their own round by RDP and answers is
/// all that can be on the joint front, so that the pairs of the two fronts are looked at, order by
/// order; of fronts longer than 400 points, evenly spaced ones. Where epsilon and its parts
/// are as computed, no point of the grids tuned apart, with epsilons that add up to max_epsilon,
/// gives more answers than `best`: at the smaller one of their two orders both together cost no
/// more than that, as long as the term of the conversion is positive there.
///
/// Throws `parameter_error` for grids without a selection or with too many points, for a bound
/// without the reading, and what reading the votes throws. Threads change no bit; `watcher` is told
/// of points, and not asked to stop.
[[nodiscard]] RoundsTuning tune_rounds(const std::array<Round, 2>& rounds, const EpsilonKind& kind,
                                       const TuningGoal& goal, unsigned threads,
                                       const Watcher& watcher);

}  // namespace pate
