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
  /// Throws `parameter_error` for an aggregator or neighbours out of range, and for neighbours that
  /// are not listed: of more than three teachers, of the Interactive aggregator, of one Laplace
  /// noise.
  /// 0 <= teachers < 2^31.
  ExactMechanism(const Aggregator& aggregator, const Neighbours& neighbours, std::int64_t teachers);
  /// The same for a teacher whose vote counts `weight` votes, which all move together: a neighbour
  /// is one of `weight` votes that move, but only those that go from one class to one other, so
  /// that the bounds for so many votes hold. `teachers`: how many votes there are in all. Throws
  /// `parameter_error` for a weight above 1 for the Interactive aggregator and for one Laplace
  /// noise.
  [[nodiscard]] static ExactMechanism of_weight(const Aggregator& aggregator, std::int64_t teachers,
                                                std::int64_t weight);

  [[nodiscard]] const Aggregator& aggregator() const { return aggregator_; }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  /// The noisy maximum as its costs see it.
  [[nodiscard]] NoisyStep step() const { return aggregator_.step(neighbours_); }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }

  /// The outcome probabilities of the noisy maximum on a query and its neighbours. None for noise
  /// far below one vote (`noise_rule`), or where counts are too far apart for it (NoiseRule::at).
  /// `only`: as for `NeighbourOutcomes`.
  [[nodiscard]] std::optional<NeighbourOutcomes> outcomes(
      const GroupedVotes& votes, std::span<const std::uint32_t> only = {}) const;

  /// Whether a neighbour is votes that move together from one class to another: `outcomes` knows it
  /// then, `ball` any other.
  [[nodiscard]] bool moves_together() const { return weight_ > 1 || neighbours_.is_one_replaced(); }
  /// How many votes move together.
  [[nodiscard]] std::int64_t weight() const { return weight_; }
  /// The same for neighbours within several teachers.
  [[nodiscard]] std::optional<BallOutcomes> ball(const GroupedVotes& votes) const;

  /// The groups of a query as this aggregator needs them; `scores` for the Interactive one only,
  /// `zeros`, classes without a vote that the histogram leaves out, for others only.
  [[nodiscard]] GroupedVotes group(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores, std::size_t zeros = 0) const;

 private:
  ExactMechanism(const Aggregator& aggregator, const Neighbours& neighbours, std::int64_t teachers,
                 std::int64_t weight);

  Aggregator aggregator_;
  Neighbours neighbours_;
  std::int64_t teachers_;
  std::int64_t weight_ = 1;
  std::unique_ptr<NoiseRule> rule_;
};

}  // namespace pate
