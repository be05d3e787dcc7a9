#include "pate/divergence/exact/sampled_outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pate/divergence/exact/sample_mixture.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

using std::log;

// Probabilities below it are not told: far above them some of their terms underflow.
const Extended kLeast = [] {
  using std::ldexp;
  return Extended(ldexp(std::numeric_limits<Extended>::min(), 300));
}();
// More uncertainty of a logarithm than this tells nothing.
constexpr double kMostUncertain = 0.02;

// The outcomes of a neighbour beside those of the votes; false where they tell nothing.
bool compare(const SampleMixture& mixture, std::size_t n, const GroupedVotes& votes, bool has_check,
             BallOutcomes::OfNeighbour& result) {
  const MixedOutcomes& p = mixture.outcomes().front();
  const MixedOutcomes& q = mixture.outcomes()[n];
  const VoteChange& change = mixture.changes()[n];
  const double accuracy = mixture.accuracy();
  const auto add = [&](const SummedProbability& of_votes, const SummedProbability& of_neighbour,
                       std::int32_t classes) {
    if (!(of_votes.value > kLeast) || !(of_neighbour.value > kLeast)) return false;
    const auto wrong = [&](const SummedProbability& sum) {
      return static_cast<double>((sum.size * Extended(accuracy) + sum.left_out) / sum.value);
    };
    const double uncertainty = wrong(of_votes) + wrong(of_neighbour);
    if (!(uncertainty < kMostUncertain)) return false;
    const auto mass = static_cast<double>(of_votes.value * classes);
    result.elements.push_back(
        {static_cast<double>(classes), mass, static_cast<double>(log(of_votes.value)),
         static_cast<double>(log(Extended(of_neighbour.value / of_votes.value))), uncertainty});
    return true;
  };
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    std::int32_t classes = votes.groups[g].classes;
    if (g == change.group) {
      if (!add(p.classes[g], q.changed, 1)) return false;
      --classes;
    }
    if (classes > 0 && !add(p.classes[g], q.classes[g], classes)) return false;
  }
  return !has_check || add(p.refused, q.refused, 1);
}

BothDirections largest_log_excess(std::span<const BallOutcomes::OfNeighbour> neighbours,
                                  double order) {
  BothDirections result{-kInfinity, -kInfinity};
  for (const BallOutcomes::OfNeighbour& one : neighbours) {
    result = larger_of(result, one.log_excess(order));
  }
  return result;
}

std::vector<DistributionPair> tables_against(std::span<const BallOutcomes::OfNeighbour> neighbours,
                                             Direction direction) {
  std::vector<DistributionPair> result;
  result.reserve(neighbours.size());
  for (const BallOutcomes::OfNeighbour& one : neighbours) {
    DistributionPair& table = result.emplace_back();
    for (const BallOutcomes::Element& e : one.elements) {
      const double q = e.classes * std::exp(e.log_p + e.log_ratio);
      // (1 + u)/(1 - u) of each is less: P may be more and Q less.
      const double more = 2.1 * e.uncertainty;
      if (direction == Direction::forward) {
        table.push_back({e.mass * (1.0 + more), q, more - e.log_ratio});
      } else {
        table.push_back({q * (1.0 + more), e.mass, more + e.log_ratio});
      }
    }
  }
  return result;
}

}  // namespace

void SampledOutcomes::require(const SampledQuery& query, std::int64_t teachers,
                              std::int64_t classes) {
  validate(query.noise);
  (void)span_of_points(query.noise.sigma2, teachers, static_cast<double>(classes));
}

std::optional<SampledOutcomes> SampledOutcomes::make(const SampledQuery& query,
                                                     const GroupedVotes& votes) {
  validate(query.noise);
  SampleMixture mixture(query, votes);
  mixture.integrate();
  SampledOutcomes result;
  const bool has_check = query.noise.has_check();
  const auto& changes = mixture.changes();
  for (std::size_t n = 1; n < changes.size(); ++n) {
    BallOutcomes::OfNeighbour one;
    one.statistic = votes.groups.front().count;
    if (!compare(mixture, n, votes, has_check, one)) return std::nullopt;
    if (changes[n].by > 0) ++result.added_;
    result.neighbours_.push_back(std::move(one));
  }
  if (has_check) {
    result.answered_ = 1.0 - static_cast<double>(mixture.outcomes().front().refused.value);
  }
  return result;
}

BothDirections SampledOutcomes::log_excess(double order) const {
  return largest_log_excess(neighbours_, order);
}

BothDirections SampledOutcomes::log_excess(double order, Change change) const {
  return largest_log_excess(neighbours(change), order);
}

std::vector<DistributionPair> SampledOutcomes::tables(Direction direction) const {
  return tables_against(neighbours_, direction);
}

std::vector<DistributionPair> SampledOutcomes::tables(Direction direction, Change change) const {
  return tables_against(neighbours(change), direction);
}

double sampled_answered(const SampledQuery& query, const GroupedVotes& votes) {
  if (!query.noise.has_check()) return 1.0;
  const SampledCheck check(query);
  std::vector<std::vector<Extended>> masses;
  for (const VoteGroup& group : votes.groups) {
    masses.push_back(binomial_masses(group.count, query.noise.rate));
  }
  std::vector<Extended> at_most(masses.size(), Extended(0));
  Extended answered(0);
  Extended before(0);
  for (std::int64_t m = 0; m <= votes.groups.front().count; ++m) {
    Extended all(1);
    for (std::size_t g = 0; g < masses.size(); ++g) {
      const auto b = static_cast<std::size_t>(m);
      if (b < masses[g].size()) at_most[g] += masses[g][b];
      all *= whole_power(at_most[g], votes.groups[g].classes);
    }
    answered += check.passes(m) * (all - before);
    before = all;
  }
  return std::min(1.0, static_cast<double>(answered));
}

}  // namespace pate
