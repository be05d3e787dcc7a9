#include "pate/divergence/exact/exact_mechanism.hpp"

namespace pate {

ExactMechanism::ExactMechanism(const Aggregator& aggregator, std::int64_t teachers)
    : aggregator_(aggregator), teachers_(teachers) {
  validate(aggregator);
  require_noisy_maximum(aggregator, "an exact cost");
  rule_ = noise_rule(aggregator.noisy_max, teachers);
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
  if (!aggregator_.selection) return group_votes(histogram, zeros);
  return aggregator_.interactive ? group_interactive_votes(histogram, scores, teachers_)
                                 : group_confident_votes(histogram, zeros);
}

}  // namespace pate
