#pragma once

#include <cmath>
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
  answered,  ///< most answers, whatever they are: the largest noise of the maximum always wins
  correct,   ///< most right answers; needs true labels
  epsilon,   ///< smallest epsilon
  agreeing,  ///< most answers that are the plurality
};
template <>
inline constexpr std::array<Named<Objective>, 4> kNames<Objective>{{
    {Objective::answered, "answered"},
    {Objective::correct, "correct"},
    {Objective::epsilon, "epsilon"},
    {Objective::agreeing, "agreeing"},
}};

/// What a point may have to keep.
enum class Limit {
  max_epsilon,
  min_answered,   ///< answers
  min_right,      ///< right answers: the labels, or without true labels the plurality
  min_agreement,  ///< share of the answers that are the plurality
  min_accuracy,   ///< share of the answers that are the true labels
};
template <>
inline constexpr std::array<Named<Limit>, 5> kNames<Limit>{{
    {Limit::max_epsilon, "max_epsilon"},
    {Limit::min_answered, "min_answered"},
    {Limit::min_right, "min_right"},
    {Limit::min_agreement, "min_agreement"},
    {Limit::min_accuracy, "min_accuracy"},
}};

/// The objective and the limits that the best point has to keep.
struct TuningGoal {
  Objective objective = Objective::epsilon;
  std::optional<double> max_epsilon;
  std::optional<double> min_answered;
  std::optional<double> min_right = {};
  std::optional<double> min_agreement = {};
  std::optional<double> min_accuracy = {};
  bool labelled = false;                     ///< true labels are known: by them answers are right
  double most_any_votes = kMostForAnyVotes;  ///< what a point may cost for any votes

  /// Whether a point has a cost, and noise worth the name.
  [[nodiscard]] bool allows(const TuningPoint& point) const {
    return std::isfinite(point.epsilon) && !(point.any_votes > most_any_votes);
  }

  /// What is set against epsilon: what the objective counts. Of the smallest epsilon it is the
  /// answers that are right; all answers where these are limited and nothing asks for right ones.
  [[nodiscard]] double value(const TuningPoint& point) const {
    if (objective == Objective::answered) return point.answered;
    if (objective == Objective::correct) return point.right;
    if (objective == Objective::agreeing) return point.agreeing;
    return min_answered && !asks_for_right_labels() ? point.answered : right(point);
  }
  /// Answers that are right, by the true labels or by what most teachers said.
  [[nodiscard]] double right(const TuningPoint& point) const {
    return labelled ? point.right : point.agreeing;
  }
  [[nodiscard]] const std::optional<double>& bound(Limit limit) const;
  /// The number of a point that a limit is about; NaN for a share of no answers.
  [[nodiscard]] double number(Limit limit, const TuningPoint& point, double epsilon) const;
  /// How far a point is from a limit, relative; at most 0 where it keeps it.
  [[nodiscard]] double excess(Limit limit, const TuningPoint& point, double epsilon) const;
  [[nodiscard]] bool keeps(Limit limit, const TuningPoint& point, double epsilon) const {
    return !bound(limit) || excess(limit, point, epsilon) <= 0.0;
  }
  [[nodiscard]] bool keeps_epsilon(double epsilon) const {
    return !max_epsilon || epsilon <= *max_epsilon;
  }
  /// Whether all limits but that on epsilon are kept.
  [[nodiscard]] bool keeps_answers(const TuningPoint& point) const;
  /// Whether anything here asks for labels that are right: without it more noise is never worse.
  [[nodiscard]] bool asks_for_right_labels() const {
    return objective == Objective::correct || objective == Objective::agreeing || min_right ||
           min_agreement || min_accuracy;
  }
};

/// Throws `parameter_error` for a limit that is negative or no number, a share above 1, and an
/// accuracy without true labels.
void validate(const TuningGoal& goal);
/// The same, and for labels that are missing, and a cost without a reading before a run.
void validate(const TuningGoal& goal, const CostKind& cost, bool has_labels);

/// A point of a grid and what was found out about it.
struct TunedPoint {
  std::size_t index = 0;      ///< in the canonical order of the grid
  TuningPoint point;          ///< epsilon is the refined one where `refined`
  double grid_epsilon = 0.0;  ///< before refinement
  double grid_order = 0.0;
  bool refined = false;
  bool pareto = false;
  /// For comparison, at the same conversion (+inf: none): the published bound of the expectation,
  /// which may be `kGridAccuracy` above that of `account`.
  double published = std::numeric_limits<double>::infinity();
  bool release_computed = false;  ///< by `rank_by_release`
  std::optional<ReleasedEpsilon> released =
      std::nullopt;  ///< empty: not computed, or no release is possible
};

/// Why a point is worth naming where none keeps the limits.
struct NearestMiss {
  std::size_t position;  ///< among the points
  Limit limit;           ///< the one it misses; the others are kept
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
///   is on it when no other has an epsilon and a number that are both as good and one better. It
///   has an answer at least, and keeps the limits on shares.
/// * Points that are not eligible are neither best nor on the front.
/// * Ties go to the smaller epsilon, then to the point that comes first.
///
/// points: evaluated, increasing in `index`, not yet refined (GNMax and LNMax points are exact:
/// mark them refined with equal grid values). Without `refine` nothing is refined. What is refined
/// is the same whether a grid was evaluated in one piece or in shards: joining shards is to
/// concatenate their points with grid values and to call this with what the shards have refined.
/// Throws `parameter_error` when a refined value that is needed is not to be had.
[[nodiscard]] TuningChoice assemble(std::vector<TunedPoint>& points, const TuningGoal& goal,
                                    const RefinePoints& refine);

/// Positions of the eligible points that keep all limits, the best first, by the epsilon that is
/// known of each: `best` of `assemble` is the first.
[[nodiscard]] std::vector<std::size_t> ranked_points(const std::vector<TunedPoint>& points,
                                                     const TuningGoal& goal);

/// Which points a report keeps: all of them (`top` unset), or those that were refined, the front,
/// the `top` best by grid values, the best and the nearest misses. Positions, increasing.
[[nodiscard]] std::vector<std::size_t> kept_points(const std::vector<TunedPoint>& points,
                                                   const TuningGoal& goal,
                                                   const TuningChoice& choice,
                                                   std::optional<std::size_t> top);

}  // namespace pate
