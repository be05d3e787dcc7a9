#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "pate/divergence/exact/ball_outcomes.hpp"
#include "pate/divergence/exact/neighbour_outcomes.hpp"
#include "pate/divergence/exact/noise_rules.hpp"
#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/mechanisms/aggregator.hpp"

namespace pate {

/// An aggregator with what the outcome probabilities of all queries share. Thread safe once made.
class ExactMechanism {
 public:
  /// Throws `parameter_error` as `validate(aggregator)` does, and for neighbours that are not
  /// listed: of more than three teachers, of the Interactive aggregator, of one Laplace noise.
  /// 0 <= teachers < 2^31.
  ExactMechanism(const Aggregator& aggregator, std::int64_t teachers);

  [[nodiscard]] const Aggregator& aggregator() const { return aggregator_; }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }

  /// The outcome probabilities of the noisy maximum on a query and its neighbours. None for noise
  /// far below one vote (`noise_rule`), or where counts are too far apart for it (NoiseRule::at).
  /// `only`: as for `NeighbourOutcomes`.
  [[nodiscard]] std::optional<NeighbourOutcomes> outcomes(
      const GroupedVotes& votes, std::span<const std::uint32_t> only = {}) const;

  /// Whether a neighbour is one vote that moves: `outcomes` knows it then, `ball` any other.
  [[nodiscard]] bool is_one_replaced() const { return aggregator_.neighbours().is_one_replaced(); }
  /// The same for neighbours within several teachers.
  [[nodiscard]] std::optional<BallOutcomes> ball(const GroupedVotes& votes) const;

  /// The groups of a query as this aggregator needs them; `scores` for the Interactive one only,
  /// `zeros`, classes without a vote that the histogram leaves out, for others only.
  [[nodiscard]] GroupedVotes group(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores, std::size_t zeros = 0) const;

 private:
  Aggregator aggregator_;
  std::int64_t teachers_;
  std::unique_ptr<NoiseRule> rule_;
};

}  // namespace pate
