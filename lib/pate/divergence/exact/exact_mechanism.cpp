#include "pate/divergence/exact/exact_mechanism.hpp"

#include <fmt/format.h>

#include <utility>

#include "pate/base/error.hpp"

namespace pate {

namespace {

// More teachers have too many neighbours to list.
constexpr std::int64_t kMaxListedTeachers = 3;

// Throws `parameter_error` unless the neighbours can be listed from counts.
void require_ball(const Aggregator& aggregator) {
  const Neighbours& neighbours = aggregator.neighbours();
  if (neighbours.is_one_replaced()) return;
  constexpr const char* kInstead =
      "the bound tradeoff (pate analyze without --exact) holds for them all the same";
  if (neighbours.teachers > kMaxListedTeachers) {
    throw parameter_error(
        fmt::format("exact costs list all neighbours, which is done for at most {} teachers per "
                    "person, got {}: {}",
                    kMaxListedTeachers, neighbours.teachers, kInstead));
  }
  if (aggregator.interactive) {
    throw parameter_error(fmt::format("exact costs for {} are known without a student only: {}",
                                      in_words(neighbours), kInstead));
  }
  if (aggregator.noisy_max.is_of_two_classes()) {
    throw parameter_error(
        fmt::format("exact costs of one Laplace noise are for one teacher that "
                    "votes otherwise, not for {}: {}",
                    in_words(neighbours), kInstead));
  }
}

}  // namespace

ExactMechanism::ExactMechanism(const Aggregator& aggregator, std::int64_t teachers)
    : aggregator_(aggregator), teachers_(teachers) {
  validate(aggregator);
  require_ball(aggregator);
  // Votes of teachers that are added are counted, too.
  const std::int64_t more = is_one_replaced() ? 0 : aggregator.neighbours().teachers;
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
  require_one_replaced(aggregator.neighbours(), "the exact cost of a teacher with a weight");
  if (weight > 1 && aggregator.interactive) {
    throw parameter_error("exact costs of teachers with weights are known without a student only");
  }
  return {protecting(aggregator, {Adjacency::replace, weight}), teachers, weight};
}

std::optional<BallOutcomes> ExactMechanism::ball(const GroupedVotes& votes) const {
  if (rule_ == nullptr) return std::nullopt;
  return BallOutcomes::make(votes, aggregator_.neighbours(), *rule_);
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
