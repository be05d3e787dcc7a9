#include "pate/divergence/exact/exact_mechanism.hpp"

#include <utility>

#include "pate/mechanisms/supports.hpp"

namespace pate {

ExactMechanism::ExactMechanism(const Aggregator& aggregator, std::int64_t teachers)
    : aggregator_(aggregator), teachers_(teachers) {
  validate(aggregator);
  require(Asked::exact, Mechanism(aggregator));
  // Votes of teachers that are added are counted, too.
  const std::int64_t more = is_one_replaced() ? 0 : aggregator.neighbours.teachers;
  rule_ = noise_rule(aggregator.noisy_max, teachers + more);
}

ExactMechanism::ExactMechanism(const Aggregator& aggregator, std::int64_t teachers,
                               std::int64_t weight)
    : aggregator_(aggregator), teachers_(teachers), weight_(weight) {
  validate(aggregator_);
  rule_ = noise_rule(aggregator_.noisy_max, teachers, weight);
}

ExactMechanism ExactMechanism::of_weight(const Aggregator& aggregator, std::int64_t teachers,
                                         std::int64_t weight) {
  require(Asked::weights, Circumstances(aggregator.neighbours)
                              .with(Given::student, weight > 1 && aggregator.interactive));
  return {protecting(aggregator, {Adjacency::replace, weight}), teachers, weight};
}

std::optional<BallOutcomes> ExactMechanism::ball(const GroupedVotes& votes) const {
  if (rule_ == nullptr) return std::nullopt;
  return BallOutcomes::make(votes, aggregator_.neighbours, *rule_);
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
