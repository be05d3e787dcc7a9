// Exact costs at their ends: outcomes beyond doubles, more neighbours than are listed, and sparse
// rounds that are given up.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/divergence/exact/sparse_outcomes.hpp"
#include "pate/divergence/exact/votes_ball.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "support/accuracy.hpp"
#include "support/neighbour_votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr Neighbours kTwo{Adjacency::replace, 2};

Aggregator noisy(const NoisyMax& noisy_max, std::optional<ThresholdCheck> check = {}) {
  Aggregator aggregator;
  aggregator.noisy_max = noisy_max;
  aggregator.selection = check;
  return aggregator;
}

std::int64_t teachers_of(const Counts& counts) {
  std::int64_t sum = 0;
  for (const std::int32_t n : counts) sum += n;
  return sum;
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("edges: moments of several teachers that no double holds are summed by logarithms") {
    for (const Counts& counts : {Counts{14, 0, 0}, Counts{10, 4, 0}, Counts{16, 0}}) {
      const double sigma = 0.6;
      const ExactMechanism mechanism(noisy(NoisyMax{GaussianNoisyMax{sigma}}), kTwo,
                                     teachers_of(counts));
      ExactCost cost(mechanism, mechanism.group(counts, {}));
      const Probabilities p = gaussian_outcomes(counts, sigma);
      for (const double order : {20.0, 60.0}) {
        double forward = 0.0;
        double reverse = 0.0;
        for_each_neighbour(counts, kTwo, [&](const Counts& other) {
          const Probabilities r = gaussian_outcomes(other, sigma);
          forward = std::max(forward, renyi_divergence(p, r, order));
          reverse = std::max(reverse, renyi_divergence(r, p, order));
        });
        const BothDirections got = cost.largest(order);
        INFO("order ", order, " forward ", forward, " reverse ", reverse);
        CHECK(got.forward >= forward * (1.0 - 1e-9));
        CHECK(got.forward <= forward * (1.0 + 1e-6) + 1e-12);
        CHECK(got.reverse >= reverse * (1.0 - 1e-9));
        CHECK(got.reverse <= reverse * (1.0 + 1e-6) + 1e-12);
        CHECK(got.larger() <= cost.bound(order, cost.tradeoff_excess(order)).larger());
      }
      CHECK(cost.holds_outcomes());
    }
  }

  TEST_CASE("edges: several teachers whose outcomes are beyond doubles cost what the bound says") {
    const Counts counts{400, 0, 0};
    for (const std::optional<ThresholdCheck>& check :
         {std::optional<ThresholdCheck>(), std::optional(ThresholdCheck{200.0, 50.0})}) {
      const ExactMechanism mechanism(noisy(NoisyMax{GaussianNoisyMax{0.6}}, check), kTwo, 400);
      ExactCost cost(mechanism, mechanism.group(counts, {}));
      const BothDirections bound = cost.bound(3.0, cost.tradeoff_excess(3.0));
      CHECK(cost.largest(3.0).forward == bound.forward);
      CHECK(cost.largest(3.0).reverse == bound.reverse);
      CHECK(bound.larger() > 0.0);
      CHECK_FALSE(cost.worst_in_ball(3.0));
      CHECK_FALSE(cost.tables());
      CHECK_FALSE(cost.holds_outcomes());
    }
    // Noise so small that it has no rule.
    const ExactMechanism tiny(noisy(NoisyMax{GaussianNoisyMax{0.01}}), kTwo, 9);
    CHECK_FALSE(tiny.ball(tiny.group(Counts{5, 4, 0}, {})));
    CHECK_FALSE(ExactCost(tiny, tiny.group(Counts{5, 4, 0}, {})).tables());
  }

  TEST_CASE("edges: what is asked of neighbours that are listed otherwise is refused, or none") {
    const Counts counts{6, 3, 0};
    const ExactMechanism two(noisy(NoisyMax{GaussianNoisyMax{2.0}}), kTwo, 9);
    ExactCost of_two(two, two.group(counts, {}));
    std::vector<BothDirections> costs;
    CHECK_THROWS_WITH_AS(of_two.by_group(3.0, costs),
                         "costs by group are those of one vote that moves", std::logic_error);
    CHECK_FALSE(of_two.worst_neighbour_at(3.0));
    CHECK(of_two.worst_in_ball(3.0));
    const ExactMechanism one(noisy(NoisyMax{GaussianNoisyMax{2.0}}), {}, 9);
    ExactCost of_one(one, one.group(counts, {}));
    CHECK_FALSE(of_one.worst_in_ball(3.0));
    CHECK(of_one.worst_neighbour_at(3.0));
    CHECK_THROWS_AS(ExactMechanism(noisy(NoisyMax{OneLaplaceNoise{2.0}}), kTwo, 9),
                    parameter_error);
  }

  TEST_CASE("edges: more neighbours than are listed are counted as one more") {
    Counts many(100);
    for (std::size_t j = 0; j < many.size(); ++j) many[j] = static_cast<std::int32_t>(j);
    const GroupedVotes votes = group_votes(many);
    const Neighbours three{Adjacency::replace, 3};
    CHECK(ball_size(votes, three) == kMaxBall + 1);
    CHECK_FALSE(neighbours_in_ball(votes, three));
  }

  TEST_CASE("edges: more changes of the statistic than are told apart are refused") {
    // Moving a weight of 2,000 from the top class changes it by whatever the next has.
    constexpr std::int64_t kWeight = 2000;
    Counts counts{60'000};
    for (std::int32_t j = 0; j < 1100; ++j) counts.push_back(60'000 - 1 - j);
    const std::int64_t teachers = teachers_of(counts);
    const auto mechanism = ExactMechanism::of_weight(
        noisy(NoisyMax{GaussianNoisyMax{9e3}}, ThresholdCheck{3e4, 2e3}), teachers, kWeight);
    CHECK_THROWS_WITH_AS(ExactCost(mechanism, mechanism.group(counts, {})),
                         doctest::Contains("an exact cost knows at most 1000 changes of what the "
                                           "threshold is compared with, and a query has 1"),
                         parameter_error);
  }

  TEST_CASE("edges: sparse rounds that are given up cost no more than any votes") {
    const auto test = StabilityTest::sparse(8.0, 1e-9, 3);
    const auto any_votes = [&](std::size_t queries, double order) {
      return static_cast<double>(std::min<std::size_t>(3, queries)) *
             pure_rdp(test.pure_epsilon().value(), order);
    };
    // Forty answers that are all but impossible.
    std::vector<std::int64_t> unlikely(40, 0);
    const SparseOutcomes given_up(test, unlikely);
    CHECK(given_up.is_complete());
    for (const double order : {1.5, 4.0}) {
      CHECK(given_up.rdp(order) > 0.0);
      CHECK(given_up.rdp(order) <= any_votes(unlikely.size(), order));
    }
    // Queries that are not looked at are counted as if they were any.
    const std::vector<std::int64_t> answered(12, 60);
    const SparseOutcomes all(test, answered);
    const SparseOutcomes some(test, answered, 1, 6);
    CHECK(all.is_complete());
    CHECK_FALSE(some.is_complete());
    CHECK(some.rdp(4.0) >= all.rdp(4.0));
    CHECK(some.rdp(4.0) <= any_votes(answered.size(), 4.0));
  }
}
