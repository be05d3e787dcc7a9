#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "pate/release/public_release.hpp"
#include "pate/tuning/account_epsilon.hpp"

namespace pate {

/// What makes one point better than another.
enum class Objective {
  answered,  ///< most answers
  correct,   ///< most right answers; needs true labels
  epsilon,   ///< smallest epsilon
};
template <>
inline constexpr std::array<Named<Objective>, 3> kNames<Objective>{{
    {Objective::answered, "answered"},
    {Objective::correct, "correct"},
    {Objective::epsilon, "epsilon"},
}};

/// The objective and the limits that the best point has to keep.
struct TuningGoal {
  Objective objective = Objective::epsilon;
  std::optional<double> max_epsilon;
  std::optional<double> min_answered;

  /// What is set against epsilon: the right answers where they are the objective, else the answers.
  [[nodiscard]] double value(const TuningPoint& point) const {
    return objective == Objective::correct ? point.right : point.answered;
  }
  [[nodiscard]] bool keeps_epsilon(double epsilon) const {
    return !max_epsilon || epsilon <= *max_epsilon;
  }
  [[nodiscard]] bool keeps_answers(const TuningPoint& point) const {
    return !min_answered || point.answered >= *min_answered;
  }
};

/// A point of a grid and what was found out about it.
struct TunedPoint {
  std::size_t index = 0;      ///< in the canonical order of the grid
  TuningPoint point;          ///< epsilon is the refined one where `refined`
  double grid_epsilon = 0.0;  ///< before refinement
  double grid_order = 0.0;
  bool refined = false;
  bool pareto = false;
  /// For comparison, at the same conversion (+inf: none): what any votes may cost, and the
  /// published bound of the expectation, which may be `kGridAccuracy` above that of `account`.
  double data_independent = std::numeric_limits<double>::infinity();
  double published = std::numeric_limits<double>::infinity();
  bool release_computed = false;  ///< by `rank_by_release`
  std::optional<ReleasedEpsilon> released =
      std::nullopt;  ///< empty: not computed, or no release is possible
};

/// Why a point is worth naming where none keeps the limits.
struct NearestMiss {
  std::size_t position;  ///< among the points
  bool of_max_epsilon;   ///< the limit it misses; else --min-answered
};

/// What a set of points amounts to; positions are among the points.
struct TuningChoice {
  std::optional<std::size_t> best;
  std::vector<NearestMiss> nearest_misses;  ///< only without a best point
};

/// Refined epsilons of some points, given by their positions; nothing for those that are not to be
/// had, which is an error if they turn out to be needed.
using RefinePoints = std::function<std::vector<std::optional<AccountEpsilon>>(
    std::span<const std::size_t> positions)>;

/// Refines what has to be refined, marks the Pareto front and finds the best point.
///
/// * A point whose interval [(1 - kGridAccuracy) epsilon, epsilon] straddles max_epsilon is refined
///   before it is judged, where it would be the best if it kept the limit.
/// * The Pareto front of the grid values (epsilon against answers, or against right answers where
///   they are the objective) and the best point are refined; the front is then found again. A point
///   is on it when no other has an epsilon and a number that are both as good and one better.
/// * Ties go to the smaller epsilon, then to the point that comes first.
///
/// points: evaluated, increasing in `index`, not yet refined (GNMax and LNMax points are exact:
/// mark them refined with equal grid values). Without `refine` nothing is refined. What is refined
/// is the same whether a grid was evaluated in one piece or in shards: joining shards is to
/// concatenate their points with grid values and to call this with what the shards have refined.
/// Throws `parameter_error` when a refined value that is needed is not to be had.
[[nodiscard]] TuningChoice assemble(std::vector<TunedPoint>& points, const TuningGoal& goal,
                                    const RefinePoints& refine);

/// Which points a report keeps: all of them (`top` unset), or those that were refined, the front,
/// the `top` best by grid values, the best and the nearest misses. Positions, increasing.
[[nodiscard]] std::vector<std::size_t> kept_points(const std::vector<TunedPoint>& points,
                                                   const TuningGoal& goal,
                                                   const TuningChoice& choice,
                                                   std::optional<std::size_t> top);

}  // namespace pate
