#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/numerics/normal.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

long double power(long double a, long double b, double order) {
  return a > 0.0L ? std::exp(order * std::log(a) + (1.0 - order) * std::log(b)) : 0.0L;
}

// The moment sum P^order P'^(1-order) of a query whose outcomes are known, with the check at
// statistics v and w.
long double moment_of(const Probabilities& p, const Probabilities& q,
                      const std::optional<ThresholdCheck>& check, double v, double w,
                      double order) {
  long double sum = 0.0L;
  for (std::size_t j = 0; j < p.size(); ++j) sum += power(p[j], q[j], order);
  if (!check) return sum;
  const auto x = [&](double at) { return (at - check->threshold) / check->sigma1; };
  return power(normal_cdf(-x(v)), normal_cdf(-x(w)), order) +
         power(normal_cdf(x(v)), normal_cdf(x(w)), order) * sum;
}

double top_of(const Histogram& counts) {
  return *std::max_element(counts.begin(), counts.end());
}

}  // namespace

TEST_CASE("tilted cost: of several votes it bounds every way in which they move") {
  Random random(61);
  bool above_exact = true;
  bool below_cap = true;
  bool one_vote_falls_short = false;
  double largest_ratio = 0.0;
  double tradeoff_ratio = 0.0;
  std::int64_t pairs = 0;
  for (int config = 0; config < 40; ++config) {
    const auto teachers = static_cast<std::int32_t>(random.integer(2, 8));
    const auto classes = static_cast<std::size_t>(random.integer(2, teachers > 5 ? 4 : 5));
    const std::int64_t moved = random.integer(2, std::min<std::int64_t>(teachers, 4));
    const double sigma = random.log_uniform(1.5, 20.0);
    const double order = random.log_uniform(1.3, 9.0);
    std::optional<ThresholdCheck> check;
    if (random.integer(0, 2) > 0) {
      check = ThresholdCheck{random.uniform(0.0, teachers + 2.0), random.log_uniform(1.0, 20.0)};
    }
    CAPTURE(show({{"M", teachers},
                  {"m", static_cast<double>(classes)},
                  {"S", static_cast<double>(moved)},
                  {"sigma", sigma},
                  {"order", order},
                  {"T", check ? check->threshold : -1.0},
                  {"sigma1", check ? check->sigma1 : -1.0}}));
    const GaussianNoisyMax noise{sigma};
    const auto m = static_cast<std::int64_t>(classes);
    const TiltedCost tilted(noise, check, teachers, m, order, 1, TiltedMoment::kMostCells, moved);
    const TiltedCost one_cell(noise, check, teachers, m, order, 1, 0, moved);
    const TiltedCost one_vote(noise, check, teachers, m, order);
    const auto histograms = all_histograms(teachers, classes);
    std::vector<Probabilities> outcomes;
    for (const Histogram& counts : histograms) outcomes.push_back(gaussian_outcomes(counts, sigma));
    for (std::size_t a = 0; a < histograms.size(); ++a) {
      const Histogram& counts = histograms[a];
      const double cost = tilted.cost(counts);
      double exact = 0.0;
      for (std::size_t b = 0; b < histograms.size(); ++b) {
        if (distance(counts, histograms[b]) > moved) continue;
        const long double moment = moment_of(outcomes[a], outcomes[b], check, top_of(counts),
                                             top_of(histograms[b]), order);
        exact = std::max(exact, static_cast<double>(std::log(moment)) / (order - 1.0));
        ++pairs;
      }
      above_exact = above_exact && cost >= exact - 1e-13 && one_cell.cost(counts) >= exact - 1e-13;
      one_vote_falls_short = one_vote_falls_short || one_vote.cost(counts) < .9 * exact;
      below_cap = below_cap && cost <= tilted.cap();
      if (exact > 1e-6) largest_ratio = std::max(largest_ratio, cost / exact);
      const Neighbours neighbours{Adjacency::replace, moved};
      const NoisyStep step({noise}, neighbours);
      const double excess = tradeoff_log_excess(step, log_q(noise, counts), order).forward;
      const double cap = data_independent_cost(step, order);
      const double tradeoff =
          check ? JointCost(AnswerTable(*check, neighbours, 0, teachers, teachers), order, cap)
                      .costs(static_cast<std::int64_t>(top_of(counts)), {excess, excess})
                      .forward
                : cost_of_log_excess(excess, order, cap);
      tradeoff_ratio = std::max(tradeoff_ratio, cost / tradeoff);
    }
  }
  MESSAGE(pairs << " pairs; at most " << largest_ratio << " times the exact cost, "
                << tradeoff_ratio << " times the trade-off bound");
  CHECK(above_exact);
  CHECK(below_cap);
  CHECK(one_vote_falls_short);
}

// The lemma behind it: outcomes are likely where the noise is in a convex set, so that their
// probabilities are log-concave in the counts, and the moment is convex in the neighbour's.
TEST_CASE("tilted cost: votes that all take one way cost the most") {
  Random random(62);
  bool below = true;
  std::int64_t compared = 0;
  for (int config = 0; config < 60; ++config) {
    const auto classes = static_cast<std::size_t>(random.integer(3, 5));
    const double sigma = random.log_uniform(.8, 8.0);
    const double order = random.log_uniform(1.2, 12.0);
    Histogram counts(classes);
    for (auto& count : counts) count = static_cast<std::int32_t>(random.integer(0, 9));
    const auto moved = static_cast<std::int32_t>(random.integer(2, 4));
    const Probabilities here = gaussian_outcomes(counts, sigma);
    const auto after = [&](const Histogram& neighbour) {
      return moment_of(here, gaussian_outcomes(neighbour, sigma), std::nullopt, 0, 0, order);
    };
    long double most = 1.0L;
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = 0; b < classes; ++b) {
        if (a == b || counts[a] == 0) continue;
        Histogram all_one_way = counts;  // below zero where there are fewer
        all_one_way[a] -= moved;
        all_one_way[b] += moved;
        most = std::max(most, after(all_one_way));
      }
    }
    for (int trial = 0; trial < 20; ++trial) {
      Histogram neighbour = counts;
      for (std::int64_t k = random.integer(1, moved); k > 0; --k) {
        const auto from = static_cast<std::size_t>(random.integer(0, std::ssize(counts) - 1));
        const auto to = static_cast<std::size_t>(random.integer(0, std::ssize(counts) - 1));
        if (neighbour[from] == 0 || counts[from] == 0) continue;
        --neighbour[from];
        ++neighbour[to];
      }
      below = below && after(neighbour) <= most * (1.0L + 1e-12L);
      ++compared;
    }
  }
  CHECK(below);
  CHECK(compared == 1200);
}

TEST_CASE("tilted cost: of no votes, or more than there are, there is none") {
  const GaussianNoisyMax noise{4.0};
  for (const std::int64_t moved : {std::int64_t{0}, std::int64_t{11}}) {
    CHECK_THROWS_AS(TiltedCost(noise, std::nullopt, 10, 3, 4.0, 1, TiltedMoment::kMostCells, moved),
                    parameter_error);
  }
}
