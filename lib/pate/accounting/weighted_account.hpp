#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/run.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate {

/// What a teacher of some weight pays.
struct WeightCost {
  double weight = 0.0;
  std::int64_t teachers = 0;
  double any_votes = 0.0;               ///< the smallest epsilon that holds for any votes
  std::optional<double> tradeoff = {};  ///< of these votes, conversion `optimal`
  /// With exact costs: of the teacher with this weight who pays most, the smaller of the
  /// conversions `optimal` and `profile`.
  std::optional<double> exact = {};
};

/// A run whose votes count by the weights of their teachers.
struct WeightedAccount {
  Account account;                  ///< of the heaviest teacher, and so of everybody
  std::vector<WeightCost> weights;  ///< by weight, increasing
};

/// There are exact costs of no more different weights: each takes as long as those of all teachers.
inline constexpr std::size_t kMaxExactWeights = 64;
/// What a threshold is compared with is tabulated for every number of units: there are no more.
inline constexpr std::int64_t kMaxThresholdUnits = 10'000'000;

/// Throws `parameter_error` for a mechanism that `goes_by_votes`, whole ones (PTR, a student, one
/// noise), and with a threshold for more than kMaxThresholdUnits units.
void require_weighable(bool goes_by_votes, bool has_threshold, const TeacherWeights& weights);

/// The costs of a run by weighted votes (Boenisch et al., "Individualized PATE", 2023:
/// weighting).
///
/// A vote of weight w that moves changes two counts by w: in units of w the counts change by one
/// and the noise is `noise / w`, so that the answer is what a noisy maximum with that noise gives
/// for one vote that moves, whose costs for any votes hold. Data-dependent bounds go by that
/// sensitivity and by q, which is that of the weighted counts and the noise as it is: their
/// theorems speak of nothing else. Costs of a teacher go by its own weight, those of the run by the
/// heaviest.
///
/// With a threshold check, whose statistic is the largest weighted count, a vote of weight w is no
/// more than w votes that move: the costs are those for as many (`Neighbours`), counted in units.
///
/// With `settings.exact` those of every single teacher too (`Account::per_teacher`, the entries
/// `exact_per_teacher`): by query, the largest divergence from what is answered when its whole vote
/// is for any of the other classes (`ExactMechanism::of_weight`), in both directions. There are no
/// entries `exact`, which would not know whose vote it is that moves.
///
/// `with_profiles`: whether exact costs have the conversion `profile`, which takes most of the
/// time.
///
/// `run.votes` are the predictions; `run.aggregator` has its noise and threshold in votes of weight
/// 1, that of `account` in votes of the heaviest teacher. Weights are public: fixed without looking
/// at votes. Throws `parameter_error` for tilted and complex costs, which know one vote that moves
/// only, for PTR, a student and one noise, for a threshold and more than kMaxThresholdUnits
/// units, for shards, and for exact costs of more than kMaxExactWeights weights; and what `account`
/// throws.
[[nodiscard]] WeightedAccount account_weighted(const Run& run, const PredictionVotes& predictions,
                                               const TeacherWeights& weights,
                                               const AccountSettings& settings,
                                               bool with_profiles = true);

}  // namespace pate
