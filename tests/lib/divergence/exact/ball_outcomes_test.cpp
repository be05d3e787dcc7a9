// Exact costs where a person's data are in several teachers, and where teachers are added or
// removed: against all neighbours of small ensembles, found by looking at every histogram, and
// against the code for one vote that moves.

#include "pate/divergence/exact/ball_outcomes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/divergence/exact/votes_ball.hpp"
#include "support/accuracy.hpp"
#include "support/neighbour_votes.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr Neighbours kRelations[] = {{Adjacency::replace, 2},
                                     {Adjacency::replace, 3},
                                     {Adjacency::add_remove, 1},
                                     {Adjacency::add_remove, 2}};

Aggregator gnmax(double sigma, std::optional<ThresholdCheck> check = {}) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{sigma};
  aggregator.selection = check;
  return aggregator;
}

// Outcomes with refusals last, all from long double.
Probabilities outcomes_of(const Aggregator& aggregator, const Counts& counts) {
  const double noise = aggregator.noisy_max.parameter();
  Probabilities p =
      aggregator.is_gaussian() ? gaussian_outcomes(counts, noise) : laplace_outcomes(counts, noise);
  if (!aggregator.selection) return p;
  const ThresholdCheck& check = *aggregator.selection;
  const long double z =
      (static_cast<long double>(check.threshold) - *std::ranges::max_element(counts)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(check.sigma1));
  for (long double& x : p) x *= 0.5L * std::erfc(z);
  p.push_back(0.5L * std::erfc(-z));
  return p;
}

// A neighbour by its counts alone, as groups see it.
Counts sorted(Counts counts) {
  std::ranges::sort(counts, std::greater<>());
  return counts;
}

Counts counts_of(const GroupedVotes& votes, const BallNeighbour& neighbour) {
  Counts result;
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    std::int32_t left = votes.groups[g].classes;
    for (const ChangedClasses& its : neighbour) {
      if (its.group != g) continue;
      left -= its.classes;
      result.insert(result.end(), static_cast<std::size_t>(its.classes),
                    votes.groups[g].count + its.change);
    }
    result.insert(result.end(), static_cast<std::size_t>(left), votes.groups[g].count);
  }
  return sorted(result);
}

// The sum of (p - gamma q)+.
double hockey_stick(const DistributionPair& table, double gamma) {
  double sum = 0.0;
  for (const OutcomeMass& o : table) sum += std::max(o.p - gamma * o.q, 0.0);
  return sum;
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("the listed neighbours are those there are") {
    for (const Neighbours& neighbours : kRelations) {
      for (std::int32_t teachers = 0; teachers <= 5; ++teachers) {
        for (const Counts& counts : all_histograms(teachers, 4)) {
          const GroupedVotes votes = group_votes(counts);
          std::multiset<Counts> listed;
          const auto ball = neighbours_in_ball(votes, neighbours);
          REQUIRE(ball);
          CHECK(ball->size() == ball_size(votes, neighbours));
          std::set<BallNeighbour> once(ball->begin(), ball->end());
          CHECK(once.size() == ball->size());
          for (const BallNeighbour& one : *ball) {
            listed.insert(counts_of(votes, one));
            CHECK(top_count(votes, one) == counts_of(votes, one).front());
            CHECK(kind_of(one, neighbours.teachers) < ball_kinds(neighbours.teachers));
          }
          std::set<Counts> expected;
          for_each_neighbour(counts, neighbours,
                             [&](const Counts& other) { expected.insert(sorted(other)); });
          // A histogram with the same counts in other classes is a neighbour, too.
          CHECK(std::set<Counts>(listed.begin(), listed.end()) == expected);
        }
      }
    }
  }

  TEST_CASE("the exact cost is the largest divergence over all neighbours") {
    std::int64_t pairs = 0;
    std::int64_t told = 0;
    const auto check = [&](const Aggregator& aggregator, const Neighbours& neighbours,
                           const Counts& counts) {
      std::int32_t teachers = 0;
      for (const std::int32_t n : counts) teachers += n;
      const ExactMechanism mechanism(aggregator, neighbours, teachers);
      ExactCost cost(mechanism, mechanism.group(counts, {}));
      const Probabilities p = outcomes_of(aggregator, counts);
      for (const double order : {1.3, 5.0, 30.0}) {
        double forward = 0.0;
        double reverse = 0.0;
        for_each_neighbour(counts, neighbours, [&](const Counts& other) {
          const Probabilities r = outcomes_of(aggregator, other);
          forward = std::max(forward, renyi_divergence(p, r, order));
          reverse = std::max(reverse, renyi_divergence(r, p, order));
          ++pairs;
        });
        const BothDirections got = cost.largest(order);
        // The neighbour that is told attains it.
        const auto worst = cost.worst_in_ball(order);
        if (worst) {
          const Counts its = counts_of(cost.votes(), *worst);
          ++told;
          double attained = 0.0;
          for_each_neighbour(counts, neighbours, [&](const Counts& other) {
            if (sorted(other) != its) return;
            const Probabilities theirs = outcomes_of(aggregator, other);
            attained = std::max(
                {attained, renyi_divergence(p, theirs, order), renyi_divergence(theirs, p, order)});
          });
          CHECK(attained >= std::max(forward, reverse) * (1.0 - 1e-9));
        }
        const auto where = show({{"noise", aggregator.noisy_max.parameter()},
                                 {"order", order},
                                 {"forward", forward},
                                 {"got", got.forward},
                                 {"reverse", reverse},
                                 {"got", got.reverse}});
        CHECK_MESSAGE(got.forward >= forward * (1.0 - 1e-9), where);
        CHECK_MESSAGE(got.reverse >= reverse * (1.0 - 1e-9), where);
        CHECK_MESSAGE(got.forward <= forward * (1.0 + 1e-8) + 1e-12, where);
        CHECK_MESSAGE(got.reverse <= reverse * (1.0 + 1e-8) + 1e-12, where);
      }
    };
    Random random(4503);
    for (const Neighbours& neighbours : kRelations) {
      for (int i = 0; i < 25; ++i) {
        const Counts counts = random_histogram(random, random.integer(3, 14), random.integer(2, 4));
        const double sigma = random.log_uniform(0.8, 8.0);
        check(gnmax(sigma), neighbours, counts);
        check(gnmax(sigma, ThresholdCheck{random.uniform(0.0, 12.0), random.log_uniform(0.8, 6.0)}),
              neighbours, counts);
        Aggregator lnmax;
        lnmax.noisy_max = LaplaceNoisyMax{sigma};
        if (i % 3 == 0) check(lnmax, neighbours, counts);
      }
    }
    CHECK(pairs > 10'000);
    CHECK(told > 300);
  }

  TEST_CASE("one vote that moves costs what its own code says") {
    // Two added or removed teachers include one that votes otherwise, and no query costs less.
    Random random(4504);
    for (int i = 0; i < 40; ++i) {
      const Counts counts =
          random_histogram(random, random.integer(20, 250), random.integer(2, 10));
      std::int32_t teachers = 0;
      for (const std::int32_t n : counts) teachers += n;
      const double sigma = random.log_uniform(3.0, 60.0);
      const std::optional<ThresholdCheck> check =
          i % 2 == 0 ? std::nullopt
                     : std::optional(ThresholdCheck{random.uniform(0.0, 200.0),
                                                    random.log_uniform(5.0, 150.0)});
      const ExactMechanism one(gnmax(sigma, check), {}, teachers);
      ExactCost of_one(one, one.group(counts, {}));
      const NeighbourOutcomes* const known = of_one.outcomes();
      REQUIRE(known != nullptr);
      const GaussianLattice rule(sigma, teachers + 1);
      const GroupedVotes votes = group_votes(counts);
      const auto ball = BallOutcomes::make(votes, {Adjacency::replace, 1}, rule);
      REQUIRE(ball);
      CHECK(ball->neighbours().size() == known->neighbours().size());
      for (const double order : {1.5, 8.0, 40.0}) {
        BothDirections largest{0.0, 0.0};
        BothDirections expected{0.0, 0.0};
        for (const auto& its : ball->neighbours()) {
          const BothDirections log_excess = its.log_excess(order);
          largest = {std::max(largest.forward, std::exp(log_excess.forward)),
                     std::max(largest.reverse, std::exp(log_excess.reverse))};
        }
        for (std::size_t k = 0; k < known->neighbours().size(); ++k) {
          const BothDirections excess = known->excess(k, order);
          expected = {std::max(expected.forward, excess.forward),
                      std::max(expected.reverse, excess.reverse)};
        }
        const auto where = show({{"sigma", sigma},
                                 {"order", order},
                                 {"ball", largest.forward},
                                 {"moves", expected.forward}});
        CHECK_MESSAGE(largest.forward >= expected.forward * (1.0 - 1e-11), where);
        CHECK_MESSAGE(largest.reverse >= expected.reverse * (1.0 - 1e-11), where);
        CHECK_MESSAGE(largest.forward <= expected.forward * (1.0 + 1e-8), where);
        CHECK_MESSAGE(largest.reverse <= expected.reverse * (1.0 + 1e-8), where);
        // More teachers cost more.
        BothDirections before = of_one.largest(order);
        for (const Neighbours& neighbours :
             {Neighbours{Adjacency::add_remove, 2}, Neighbours{Adjacency::replace, 2}}) {
          const ExactMechanism more(gnmax(sigma, check), neighbours, teachers);
          if (ball_size(votes, neighbours) > 3000) continue;
          ExactCost of_more(more, more.group(counts, {}));
          const BothDirections cost = of_more.largest(order);
          CHECK(cost.forward >= before.forward * (1.0 - 1e-9));
          CHECK(cost.reverse >= before.reverse * (1.0 - 1e-9));
          CHECK(cost.larger() <= of_more.bound(order, of_more.tradeoff_excess(order)).larger());
        }
      }
    }
  }

  TEST_CASE("tables of neighbours are their outcomes") {
    Random random(4505);
    for (const Neighbours& neighbours : kRelations) {
      for (int i = 0; i < 6; ++i) {
        const Counts counts = random_histogram(random, random.integer(3, 9), 3);
        std::int32_t teachers = 0;
        for (const std::int32_t n : counts) teachers += n;
        const Aggregator aggregator = gnmax(1.7, ThresholdCheck{4.0, 2.0});
        const ExactMechanism mechanism(aggregator, neighbours, teachers);
        ExactCost cost(mechanism, mechanism.group(counts, {}));
        const auto tables = cost.tables();
        REQUIRE(tables);
        CHECK(tables->size() == cost.ball_size());
        CHECK(cost.kinds_in_ball().size() == tables->size());
        const Probabilities p = outcomes_of(aggregator, counts);
        for (const double gamma : {0.3, 1.0, 2.5}) {
          double largest = 0.0;
          double expected = 0.0;
          for (const DistributionPair& table : *tables) {
            largest = std::max(largest, hockey_stick(table, gamma));
          }
          for_each_neighbour(counts, neighbours, [&](const Counts& other) {
            const Probabilities r = outcomes_of(aggregator, other);
            long double sum = 0.0L;
            for (std::size_t j = 0; j < p.size(); ++j) {
              sum += std::max(p[j] - static_cast<long double>(gamma) * r[j], 0.0L);
            }
            expected = std::max(expected, static_cast<double>(sum));
          });
          CHECK(std::abs(largest - expected) < 1e-12);
        }
      }
    }
  }

  TEST_CASE("neighbours that are not listed are refused") {
    CHECK_THROWS_AS(ExactMechanism(gnmax(40.0), {Adjacency::replace, 4}, 250), parameter_error);
    Aggregator interactive = gnmax(40.0, ThresholdCheck{60.0, 15.0});
    interactive.interactive = true;
    CHECK_THROWS_AS(ExactMechanism(interactive, {Adjacency::replace, 2}, 250), parameter_error);
    const ExactMechanism mechanism(gnmax(40.0), {Adjacency::replace, 3}, 4950);
    Counts many(100);
    for (std::size_t j = 0; j < many.size(); ++j) many[j] = static_cast<std::int32_t>(j);
    CHECK_THROWS_AS(ExactCost(mechanism, mechanism.group(many, {})), parameter_error);
  }
}
