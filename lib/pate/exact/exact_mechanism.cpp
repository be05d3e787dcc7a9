#include "pate/exact/exact_mechanism.hpp"

namespace pate {

namespace {

constexpr double kSmallestSigma = 0.25;
constexpr double kSmallestScale = 0.05;

}  // namespace

ExactMechanism::ExactMechanism(const Aggregator& aggregator, std::int64_t teachers)
    : aggregator_(aggregator), teachers_(teachers) {
  validate(aggregator);
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    if (gaussian->sigma >= kSmallestSigma)
      rule_.emplace<GaussianLattice>(gaussian->sigma, teachers);
  } else {
    const double scale = std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale;
    if (scale >= kSmallestScale) rule_.emplace<LaplacePanels>(scale);
  }
}

std::optional<NeighbourOutcomes> ExactMechanism::outcomes(const GroupedVotes& votes) const {
  thread_local NoiseAtNodes noise;
  if (const auto* lattice = std::get_if<GaussianLattice>(&rule_)) {
    lattice->at(votes, noise);
  } else if (const auto* panels = std::get_if<LaplacePanels>(&rule_)) {
    panels->at(votes, noise);
  } else {
    return std::nullopt;
  }
  NeighbourOutcomes result(votes, noise);
  if (!result.is_complete()) return std::nullopt;
  return result;
}

GroupedVotes ExactMechanism::group(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores) const {
  if (!aggregator_.selection) return group_votes(histogram);
  return aggregator_.interactive ? group_interactive_votes(histogram, scores, teachers_)
                                 : group_confident_votes(histogram);
}

}  // namespace pate
