#include "pate/tuning/solve_parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/accounting/query_counts.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/tuning/account_epsilon.hpp"
#include "pate/tuning/public_epsilons.hpp"

namespace pate {

namespace {

// Values of sigma2 are looked at so far apart, relative, until one keeps the budget.
constexpr double kSigmaStep = 1.3;
constexpr double kSigmaRange = 1000.0;
constexpr double kSigmaPrecise = 1e-6;

// Another search for the best order may find an epsilon that is larger by less than this, of
// itself: what is found keeps the budget there too.
constexpr double kEpsilonPrecise = 1e-8;

bool keeps(double epsilon, double max_epsilon) {
  return epsilon * (1.0 + kEpsilonPrecise) <= max_epsilon;
}

// What runs on some votes cost, with one mechanism or another.
class RunEpsilons {
 public:
  RunEpsilons(const TuningVotes& votes, const Neighbours& neighbours, const GridSettings& settings)
      : votes_(votes), neighbours_(neighbours), settings_(settings) {}

  [[nodiscard]] double of(const Aggregator& aggregator, std::int64_t queries) const {
    TuningPoint point;
    point.queries = queries;
    point.epsilon = account_epsilon(count_queries(run_of(votes_, aggregator, neighbours_, queries),
                                                  settings_.threads),
                                    aggregator, neighbours_, settings_.kind, 0.0, settings_.threads)
                        .epsilon;
    point.any_votes = PublicEpsilons(settings_.kind, neighbours_).of(aggregator, queries);
    if (point.any_votes > kMostForAnyVotes) return kInfinity;
    return settings_.kind.as_headline ? std::min(point.epsilon, point.any_votes) : point.epsilon;
  }

 private:
  const TuningVotes& votes_;
  Neighbours neighbours_;
  const GridSettings& settings_;
};

SolvedParameter most_queries(const RunEpsilons& epsilons, const Aggregator& aggregator,
                             std::int64_t all, double max_epsilon) {
  double at_low = 0.0;
  const auto keeps_budget = [&](std::int64_t queries) {
    const double epsilon = epsilons.of(aggregator, queries);
    if (!keeps(epsilon, max_epsilon)) return false;
    at_low = epsilon;
    return true;
  };
  const std::int64_t low = keeps_budget(all) ? all : bisect(std::int64_t{0}, all, keeps_budget);
  if (low == 0) {
    throw validity_error(fmt::format("not even one query keeps epsilon {}: the first costs {}",
                                     max_epsilon, epsilons.of(aggregator, 1)));
  }
  return {SolvedFor::queries, static_cast<double>(low), at_low, low == all};
}

SolvedParameter least_noise(const RunEpsilons& epsilons, Aggregator aggregator,
                            std::int64_t queries, double teachers, double max_epsilon) {
  const auto epsilon_at = [&](double sigma2) {
    aggregator.noisy_max = GaussianNoisyMax{sigma2};
    return epsilons.of(aggregator, queries);
  };
  const double lowest = teachers / kSigmaRange;
  const double highest = teachers * kSigmaRange;
  double below = 0.0;
  double sigma2 = lowest;
  double epsilon = epsilon_at(sigma2);
  while (!keeps(epsilon, max_epsilon)) {
    below = sigma2;
    sigma2 *= kSigmaStep;
    if (sigma2 > highest) {
      throw validity_error(fmt::format(
          "no sigma2 from {} to {} keeps epsilon {}: with the largest epsilon is still {}; fewer "
          "queries, or a check with more noise, cost less",
          lowest, highest, max_epsilon, epsilon));
    }
    epsilon = epsilon_at(sigma2);
  }
  if (below == 0.0) return {SolvedFor::sigma2, sigma2, epsilon, true};
  while (sigma2 - below > kSigmaPrecise * sigma2) {
    const double middle = std::sqrt(below * sigma2);
    const double there = epsilon_at(middle);
    if (keeps(there, max_epsilon)) {
      sigma2 = middle;
      epsilon = there;
    } else {
      below = middle;
    }
  }
  return {SolvedFor::sigma2, sigma2, epsilon, false};
}

}  // namespace

SolvedParameter solve_parameter(const TuningVotes& votes, const Aggregator& aggregator,
                                const Neighbours& neighbours, const GridSettings& settings,
                                double max_epsilon, SolvedFor parameter) {
  require(max_epsilon >= 0.0, "the budget must be >= 0, got {}", max_epsilon);
  require(votes.rows.size() != 0, "solving for a parameter needs votes: there are no queries");
  const RunEpsilons epsilons(votes, neighbours, settings);
  return parameter == SolvedFor::queries
             ? most_queries(epsilons, aggregator, votes.rows.size(), max_epsilon)
             : least_noise(epsilons, aggregator, votes.rows.size(),
                           static_cast<double>(votes.votes.teachers()), max_epsilon);
}

}  // namespace pate
