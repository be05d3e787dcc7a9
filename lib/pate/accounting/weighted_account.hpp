#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/weighted_run.hpp"

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

  /// What of it may be published.
  [[nodiscard]] WeightCost public_part() const { return {weight, teachers, any_votes}; }
};

/// A run whose votes count by the weights of their teachers.
struct WeightedAccount {
  Account account;                  ///< of the heaviest teacher, and so of everybody
  std::vector<WeightCost> weights;  ///< by weight, increasing
};

/// There are exact costs of no more different weights: each takes as long as those of all teachers.
inline constexpr std::size_t kMaxExactWeights = 64;
/// The costs of a run by weighted votes (`WeightedRun`).
///
/// Costs of a teacher go by its own weight, those of the run by the heaviest. Those for any votes
/// hold for the noise in its votes, or with a threshold for as many votes that move, counted in
/// units. Data-dependent bounds go by that sensitivity and by q, which is that of the weighted
/// counts and the noise as it is: their theorems speak of nothing else.
///
/// With the model `exact` those of every single teacher too (`Account::per_teacher`, the entries
/// `exact_per_teacher`): by query, the largest divergence from what is answered when its whole vote
/// is for any of the other classes (`ExactMechanism::of_weight`), in both directions. There are no
/// entries `exact`, which would not know whose vote it is that moves.
///
/// With the model `complex` a certificate for whoever pays most (`complex`): on every query any
/// vote of the weight may be the one that moves.
///
/// `with_profiles`: whether exact costs have the conversion `profile`, which takes most of the
/// time.
///
/// `run.votes` are the predictions; `run.aggregator` has its noise and threshold in votes of weight
/// 1, that of `account` in votes of the heaviest teacher. Weights are public: fixed without looking
/// at votes. Throws `parameter_error` for tilted costs, which know one vote that moves only, for
/// PTR, a student and one noise, for a threshold and more than kMaxThresholdUnits units, for
/// shards, and for exact costs of more than kMaxExactWeights weights; and what `account` throws.
[[nodiscard]] WeightedAccount account_weighted(const Run& run, const PredictionVotes& predictions,
                                               const TeacherWeights& weights,
                                               const AccountSettings& settings,
                                               bool with_profiles = true);

}  // namespace pate
