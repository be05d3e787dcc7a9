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
};

/// A run whose votes count by the weights of their teachers.
struct WeightedAccount {
  Account account;                  ///< of the heaviest teacher, and so of everybody
  std::vector<WeightCost> weights;  ///< by weight, increasing
};

/// The costs of a noisy maximum of weighted votes (Boenisch et al., "Individualized PATE", 2023:
/// weighting).
///
/// A vote of weight w that moves changes two counts by w: in units of w the counts change by one
/// and the noise is `noise / w`, so that the answer is what a noisy maximum with that noise gives
/// for one vote that moves, whose costs for any votes hold. Data-dependent bounds go by that
/// sensitivity and by q, which is that of the weighted counts and the noise as it is: their
/// theorems speak of nothing else. Costs of a teacher go by its own weight, those of the run by the
/// heaviest.
///
/// `run.votes` are the predictions; `run.aggregator` has its noise in votes of weight 1, that of
/// `account` in votes of the heaviest teacher. Weights are public: fixed without looking at votes.
/// Throws `parameter_error` for exact, tilted and complex costs, which would need neighbours that
/// are w votes away, for a selection, PTR and one noise, and for shards; and what `account` throws.
[[nodiscard]] WeightedAccount account_weighted(const Run& run, const PredictionVotes& predictions,
                                               const TeacherWeights& weights,
                                               const AccountSettings& settings);

}  // namespace pate
