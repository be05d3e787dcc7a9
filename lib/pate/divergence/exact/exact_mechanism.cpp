#include "pate/divergence/exact/exact_mechanism.hpp"

#include <utility>

#include "pate/mechanisms/supports.hpp"

namespace pate {

ExactMechanism::ExactMechanism(const Aggregator& aggregator, const Neighbours& neighbours,
                               std::int64_t teachers)
    : aggregator_(aggregator), neighbours_(neighbours), teachers_(teachers) {
  validate(neighbours);
  require(Asked::exact, {Mechanism(aggregator), neighbours});
  // Votes of teachers that are added are counted, too.
  const std::int64_t more = moves_together() ? 0 : neighbours.teachers;
  rule_ = noise_rule(aggregator.noisy_max, teachers + more);
}

ExactMechanism::ExactMechanism(const Aggregator& aggregator, const Neighbours& neighbours,
                               std::int64_t teachers, std::int64_t weight)
    : aggregator_(aggregator), neighbours_(neighbours), teachers_(teachers), weight_(weight) {
  validate(aggregator_);
  rule_ = noise_rule(aggregator_.noisy_max, teachers, weight);
}

ExactMechanism ExactMechanism::of_weight(const Aggregator& aggregator, std::int64_t teachers,
                                         std::int64_t weight) {
  const Neighbours moved{Adjacency::replace, weight};
  if (aggregator.interactive && weight > 1) require(Asked::weights, {aggregator, {}});
  return {aggregator, moved, teachers, weight};
}

std::optional<BallOutcomes> ExactMechanism::ball(const GroupedVotes& votes) const {
  if (rule_ == nullptr) return std::nullopt;
  return BallOutcomes::make(votes, neighbours_, *rule_);
}

std::optional<NeighbourOutcomes> ExactMechanism::outcomes(
    const GroupedVotes& votes, std::span<const std::uint32_t> only) const {
  if (rule_ == nullptr) return std::nullopt;
  thread_local NoiseAtNodes noise;
  rule_->at(votes, noise);
  if (noise.rows.empty()) return std::nullopt;
  NeighbourOutcomes result(votes, noise, only);
  if (!result.is_complete()) return std::nullopt;
  return result;
}

GroupedVotes ExactMechanism::group(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores, std::size_t zeros) const {
  GroupedVotes votes = !aggregator_.selection ? group_votes(histogram, zeros)
                       : aggregator_.interactive
                           ? group_interactive_votes(histogram, scores, teachers_)
                           : group_confident_votes(histogram, zeros);
  votes.moved = weight_;
  return votes;
}

}  // namespace pate
