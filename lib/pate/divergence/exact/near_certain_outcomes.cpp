#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/mechanisms/union_bound.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

// What of the outcomes of a query and its neighbours is nearly certain, or the same for several.

namespace {

// log of an upper bound on the probability that the noisy maximum is one of the classes of a group,
// but for the plurality, on the votes and on every neighbour: a moved vote brings no class nearer
// to the plurality than by two, S teachers none by more than 2 S. 0 or more where that says
// nothing.
double log_wins_of(const NoisyMax& noisy_max, const GroupedVotes& votes, std::size_t g) {
  const double others = votes.groups[g].classes - (g == 0 ? 1 : 0);
  if (others == 0.0) return -kInfinity;
  const std::int64_t gap = std::int64_t{votes.groups.front().count} - votes.groups[g].count -
                           2 * noisy_max.neighbours.teachers;
  if (gap < 0) return kInfinity;
  return std::log(others) +
         noisy_max.visit([&](const auto& noise) { return log_pair_probability(noise, gap); });
}

// The same for anything but the plurality; at most 0.
double log_beaten_of(const NoisyMax& noisy_max, const GroupedVotes& votes) {
  double sum = -kInfinity;
  for (std::size_t g = 0; g < votes.groups.size() && sum < 0.0; ++g) {
    sum = log_add(sum, log_wins_of(noisy_max, votes, g));
  }
  return std::min(sum, 0.0);
}

// Outward: what rounding does to the logarithm.
double outward(double log_bound) {
  if (log_bound == -kInfinity) return log_bound;
  return std::min(log_bound + 1e-10 * std::abs(log_bound), 0.0);
}

}  // namespace

double ExactCost::log_other_outcomes() const {
  const double beaten = log_beaten_of(mechanism_.aggregator().noisy_max, votes_);
  const auto& selection = mechanism_.aggregator().selection;
  const std::int64_t reach = mechanism_.aggregator().neighbours().teachers;
  double result = beaten;
  if (selection) {
    result = std::min(log_answered(*selection, votes_.statistic + reach),
                      log_add(beaten, log_refused(*selection, votes_.statistic - reach)));
  }
  return outward(result);
}

double ExactCost::log_q_any_neighbour() const {
  return outward(log_beaten_of(mechanism_.aggregator().noisy_max, votes_));
}

// Two neighbours with the same counts of all near classes have, with the same noise, the same
// winner, unless a far class wins on one of them. With d at most the probability of that, their
// sums of (P - gamma Q)+ differ by at most (1 + gamma) d. Beyond gamma = G no sum is above
// delta(G), what the noise guarantees on any votes: for Gaussian noise Phi(-log(G) / mu + mu / 2),
// less something.
std::size_t ExactCost::contending_groups(double limit) const {
  if (is_ball()) return votes_.groups.size();
  const NoisyMax& noisy_max = mechanism_.aggregator().noisy_max;
  double log_most = noisy_max.pure_epsilon().value_or(0.0);
  if (const auto squared = noisy_max.squared_mu(); squared && *squared > 0.0) {
    // Phi(-z) <= e^(-z^2/2) / 2, here half the limit.
    log_most = 0.5 * *squared + std::sqrt(*squared * -2.0 * std::log(limit));
  }
  const double log_limit = std::log(0.5 * limit) - log_add(0.0, log_most);
  std::size_t near = votes_.groups.size();
  double log_far = -kInfinity;
  while (near > 1) {
    log_far = log_add(log_far, log_wins_of(noisy_max, votes_, near - 1));
    if (!(outward(log_far) <= log_limit)) break;
    --near;
  }
  return near;
}

std::vector<std::uint32_t> ExactCost::representatives(std::size_t near) const {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  const std::size_t groups = votes_.groups.size();
  const std::size_t lines = answers_.size();
  std::vector<std::uint32_t> first((near + 1) * (near + 1) * lines, kNone);
  std::vector<std::uint32_t> result;
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      if (!can_move(votes_, a, b)) continue;
      std::uint32_t& its =
          first[(std::min(a, near) * (near + 1) + std::min(b, near)) * lines + line_of(a, b)];
      if (its == kNone) its = static_cast<std::uint32_t>(result.size());
      result.push_back(its);
    }
  }
  return result;
}

}  // namespace pate
