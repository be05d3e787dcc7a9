#include "pate/divergence/exact/exact_cost.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/divergence/pld/optimistic_profile.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "verify/cases.hpp"

// Outcome probabilities by sums over many nodes: exact and tilted costs; and privacy profiles.

namespace verify {

namespace {

using Quick = Digits<50>;
using Counts = std::vector<std::int32_t>;
constexpr double kStep = 0.2;  // of the trapezoidal rule, in standard deviations
constexpr double kReach = 14.0;

// Pr[class j wins], for every class, with Gaussian noise. What is at the nodes for a count is kept.
class Outcomes {
 public:
  Outcomes(const Counts& around, double sigma)
      : sigma_(sigma),
        first_(*std::min_element(around.begin(), around.end()) - 1 - kReach * sigma),
        nodes_(static_cast<int>(
                   (*std::max_element(around.begin(), around.end()) + 1 + kReach * sigma - first_) /
                   (kStep * sigma)) +
               1) {}

  std::vector<Quick> of(const Counts& counts) {
    std::vector<Quick> result(counts.size(), Quick(0));
    for (int i = 0; i < nodes_; ++i) {
      for (std::size_t j = 0; j < counts.size(); ++j) {
        Quick product = at(counts[j])[static_cast<std::size_t>(i)].density;
        for (std::size_t k = 0; k < counts.size(); ++k) {
          if (k != j) product *= at(counts[k])[static_cast<std::size_t>(i)].below;
        }
        result[j] += product * kStep;
      }
    }
    return result;
  }

 private:
  struct Node {
    Quick density, below;
  };
  const std::vector<Node>& at(std::int32_t count) {
    std::vector<Node>& known = known_[count];
    for (int i = static_cast<int>(known.size()); i < nodes_; ++i) {
      const Quick z = (Quick(first_) - count) / sigma_ + Quick(kStep) * i;
      known.push_back({density(z), below(z)});
    }
    return known;
  }

  double sigma_, first_;
  int nodes_;
  std::map<std::int32_t, std::vector<Node>> known_;
};

// The same with Laplace noise of scale b: between two counts next to each other the integrand is a
// sum of powers of e^(x/b), and so is its integral.
std::vector<Quick> laplace_outcomes(const Counts& counts, double scale) {
  const Real b = scale;
  Counts ends = counts;
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<Quick> result;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    Real sum = 0;
    for (std::size_t piece = 0; piece <= ends.size(); ++piece) {
      const bool is_first = piece == 0;
      const bool is_last = piece == ends.size();
      // x = from + y (of the first piece to - y): coefficients by the power of e^(y/b).
      const Real at = ends[is_first ? 0 : piece - 1];
      const auto is_below = [&](std::int32_t count) { return !is_first && at >= count; };
      std::map<int, Real> powers;
      const bool falls = is_below(counts[j]);
      powers[falls ? -1 : 1] = exp((falls ? counts[j] - at : at - counts[j]) / b) / (2 * b);
      for (std::size_t k = 0; k < counts.size(); ++k) {
        if (k == j) continue;
        std::map<int, Real> next;
        for (const auto& [power, factor] : powers) {
          if (is_below(counts[k])) {
            next[power] += factor;
            next[power - 1] -= factor * exp((counts[k] - at) / b) / 2;
          } else {
            next[power + 1] += factor * exp((at - counts[k]) / b) / 2;
          }
        }
        powers = next;
      }
      for (const auto& [power, factor] : powers) {
        if (is_first) {
          sum += factor * b / power;  // up to `at`: only positive powers
        } else if (is_last) {
          sum -= factor * b / power;  // only negative ones
        } else {
          const Real width = ends[piece] - at;
          sum += power == 0 ? Real(factor * width)
                            : Real(factor * b / power * expm1(power * width / b));
        }
      }
    }
    result.emplace_back(sum);
  }
  return result;
}

Counts few_votes(Draw& draw, Case& c, double& sigma) {
  const std::int64_t teachers = draw.teachers();
  Counts counts = draw.counts(teachers, draw.integer(2, 4));
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  sigma = draw.scale(std::max((*most - *least) / 12.0, 0.5), 1e6);
  c.input("sigma", sigma);
  c.input("counts", counts);
  return counts;
}

void exact_costs(Draw& draw, Case& c) {
  double sigma = 0.0;
  const Counts counts = few_votes(draw, c, sigma);
  std::int64_t teachers = 0;
  for (const std::int32_t n : counts) teachers += n;
  const std::int64_t v = *std::max_element(counts.begin(), counts.end());
  pate::Aggregator aggregator;
  aggregator.noisy_max = pate::GaussianNoisyMax{sigma};
  const bool laplace = draw.chance(0.3);
  c.input("laplace", laplace ? 1 : 0);
  if (laplace) {
    aggregator.noisy_max = pate::LaplaceNoisyMax{sigma};
  } else if (draw.chance(0.5)) {
    const double sigma1 = sigma * draw.scale(0.3, 5.0);
    aggregator.selection = {static_cast<double>(v) + draw.between(-4.0, 4.0) * sigma1, sigma1};
    c.input("threshold", aggregator.selection->threshold);
    c.input("sigma1", sigma1);
  }
  const double order = draw.order();
  c.input("order", order);
  Outcomes outcomes(counts, sigma);
  const auto with_check = [&](const Counts& of) {
    std::vector<Quick> p = laplace ? laplace_outcomes(of, sigma) : outcomes.of(of);
    if (!aggregator.selection) return p;
    const Answers known = answers(*aggregator.selection, *std::max_element(of.begin(), of.end()));
    for (Quick& one : p) one *= Quick(exp(known.log_p));
    p.emplace_back(exp(known.log_not));
    return p;
  };
  const std::vector<Quick> here = with_check(counts);
  const Quick o = order;
  const auto excess = [&](const std::vector<Quick>& p, const std::vector<Quick>& p2) {
    // p (e^((order-1) l) - 1), the likeliest last: what is small is added first.
    Quick sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * expm1((o - 1) * log(p[j] / p2[j]));
    return sum;
  };
  Both largest;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (a == b || counts[a] == 0) continue;
      Counts moved = counts;
      --moved[a];
      ++moved[b];
      const std::vector<Quick> there = with_check(moved);
      largest.forward = std::max(largest.forward, Real(excess(here, there)));
      largest.reverse = std::max(largest.reverse, Real(excess(there, here)));
    }
  }
  const pate::ExactMechanism mechanism(aggregator, {}, teachers);
  pate::ExactCost cost(mechanism, mechanism.group(counts, {}));
  const pate::BothDirections ours = cost.largest(order);
  const Real real_order = order;
  c.cost("exact forward", ours.forward, cost_of(largest.forward, real_order), 1e-10);
  c.cost("exact reverse", ours.reverse, cost_of(largest.reverse, real_order), 1e-10);
}

void tilted_costs(Draw& draw, Case& c) {
  double sigma = 0.0;
  const Counts counts = few_votes(draw, c, sigma);
  std::int64_t teachers = 0;
  for (const std::int32_t n : counts) teachers += n;
  const double order = 1.0 + draw.scale(0.01, 300.0);
  c.input("order", order);
  const auto top =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const Quick o = order;
  // Pr[the top class does not win] at counts that need not be whole. Where all others are far
  // behind the integrand has its mode halfway.
  const auto loses = [&](const std::vector<Quick>& of) {
    Quick gap = 1e300;
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (k != top) gap = std::min(gap, Quick(of[top] - of[k]));
    }
    const Quick mode = gap > 0 ? Quick(-gap / (2 * sigma)) : Quick(0);
    Quick sum = 0;
    for (Quick z = mode - kReach; z <= mode + kReach; z += kStep) {
      Quick none = 0;  // the logarithm of Pr[no other class is above]
      for (std::size_t k = 0; k < of.size(); ++k) {
        if (k != top) none += log1p(-above<Quick>(z + (of[top] - of[k]) / sigma));
      }
      sum -= density(z) * expm1(none) * kStep;
    }
    return sum;
  };
  const Real real_order = order;
  const Real cap = gaussian_cost(Real(sigma), real_order);
  const pate::TiltedCost cost(pate::GaussianNoisyMax{sigma}, std::nullopt, teachers,
                              static_cast<std::int64_t>(counts.size()), order, 1, 0);
  const Real ours = cost.cost(counts);
  c.input("ours", static_cast<double>(ours));
  const Quick log_growth = o * (o - 1) / (Quick(sigma) * sigma);
  if (log_growth > 600) {  // said to be hopeless
    c.require("beyond doubles it is the data-independent cost", ours >= cap);
    return;
  }
  const std::vector<Quick> votes(counts.begin(), counts.end());
  const Quick q = loses(votes);
  Real largest = 0;
  Real rounding = 0;
  bool never_wins = false;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (a == b || counts[a] == 0) continue;
      std::vector<Quick> moved = votes;
      moved[a] -= 1;
      moved[b] += 1;
      std::vector<Quick> between = votes;
      for (std::size_t k = 0; k < votes.size(); ++k) between[k] = o * votes[k] + (1 - o) * moved[k];
      const Quick q2 = loses(moved);
      const Quick wins = o * log1p(-q) + (1 - o) * log1p(-q2);
      const Quick rest = exp(log_growth) * loses(between);
      largest = std::max(largest, Real(expm1(wins) + rest));
      const Quick parts = exp(wins) * (o * q / (1 - q) + (o - 1) * q2 / (1 - q2)) + rest;
      rounding = std::max(rounding, Real(parts / (exp(wins) + rest)));
      never_wins = never_wins || q2 > 1 - 2e-6;
    }
  }
  const Real reference = std::min(cost_of(largest, real_order), cap);
  c.input("reference", static_cast<double>(reference));
  c.require("the tilted cost is not below", ours >= reference);
  // Near it but for the room that is added for its cancellation, 1e-13 of its parts, and where the
  // top class hardly ever wins on a neighbour: the data-independent cost takes its place there.
  const Real room = reference * Real(1e-9) + Real(2e-13) * rounding / (real_order - 1);
  if (!never_wins) c.require("the tilted cost is near", ours <= reference + room);
}

void profiles(Draw& draw, Case& c) {
  const auto queries = static_cast<std::size_t>(draw.integer(1, 3));
  const double spread = draw.scale(0.01, 4.0);
  const double epsilon = draw.between(0.0, 3.0 * spread);
  c.input("queries", static_cast<double>(queries));
  c.input("spread", spread);
  c.input("epsilon", epsilon);
  std::vector<std::vector<pate::DistributionPair>> tables(queries);
  for (std::vector<pate::DistributionPair>& neighbours : tables) {
    const std::int64_t outcomes = draw.integer(2, 4);
    std::vector<double> p;
    double total = 0.0;
    for (std::int64_t i = 0; i < outcomes; ++i) total += p.emplace_back(draw.scale(1e-6, 1.0));
    for (double& one : p) one /= total;
    neighbours.resize(static_cast<std::size_t>(draw.integer(1, 3)));
    for (pate::DistributionPair& table : neighbours) {
      double sum = 0.0;
      for (const double one : p) {
        const double other =
            draw.chance(0.05) ? 0.0 : one * std::exp(draw.between(-spread, spread));
        table.push_back({one, other, 0.0});
        sum += other;
      }
      if (!(sum > 0.0)) table.front().q = sum = 1.0;
      for (pate::OutcomeMass& outcome : table) {
        outcome.q /= sum;
        outcome.loss = std::log(outcome.p / outcome.q);
      }
    }
  }
  const std::function<Real(std::size_t, const Real&, const Real&, bool)> value =
      [&](std::size_t x, const Real& p, const Real& q, bool fixed) {
        if (x == queries) return std::max(Real(p - q), Real(0));
        Real largest = 0;
        for (const pate::DistributionPair& table : tables[x]) {
          Real sum = 0;
          for (const pate::OutcomeMass& outcome : table) {
            sum += value(x + 1, p * Real(outcome.p), q * Real(outcome.q), fixed);
          }
          largest = std::max(largest, sum);
          if (fixed) break;
        }
        return largest;
      };
  const Real growth = exp(Real(epsilon));
  const Real adaptive = value(0, 1, growth, false);
  const Real fixed = value(0, 1, growth, true);
  const pate::PessimisticProfile::Grid grid{0x1p-10, 4.0, 1e-9};
  pate::PessimisticProfile upper(grid);
  for (std::size_t x = queries; x-- > 0;) upper.compose_query(tables[x]);
  pate::OptimisticProfile lower(0x1p-8, -8.0, 8.0);
  for (const std::vector<pate::DistributionPair>& neighbours : tables)
    lower.append(neighbours.front());
  // Probabilities are known to 1e-12: so is what they add up to.
  c.require("the profile is not below", Real(upper.delta(epsilon)) >= adaptive * (1 - Real(1e-12)));
  c.require("its lower end is not above", Real(lower.delta(epsilon)) <= fixed);
  c.require("the profile is near",
            Real(upper.delta(epsilon)) <= adaptive * Real(1.02) + Real(1e-3));
  if (adaptive > 1e-8) {
    const double delta = static_cast<double>(adaptive);
    c.require("epsilon is not below", upper.epsilon(delta * (1 - 1e-9)) >= epsilon * (1 - 1e-9));
  }
}

}  // namespace

std::vector<Kind> exact_kinds() {
  return {{"exact costs", 2, exact_costs},
          {"tilted costs", 1, tilted_costs},
          {"profiles", 1, profiles}};
}

}  // namespace verify
