// What a run of PTR's sparse forms costs on known votes: against all runs and all neighbours of
// small ones, in both directions.

#include "pate/divergence/exact/sparse_outcomes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/sparse_round.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "support/random.hpp"
#include "support/sparse_transcripts.hpp"

using pate::SparseOutcomes;
using pate::StabilityTest;
using pate_test::Random;

namespace {

double any_votes(const StabilityTest& test, double order) {
  return static_cast<double>(std::min(test.max_refusals(), test.max_queries())) *
         pate::sparse_round_cost({test.scale(), test.max_queries()}, order);
}

double any_votes(const StabilityTest& test, std::size_t queries, double order) {
  return static_cast<double>(std::min(test.max_refusals(), static_cast<std::int64_t>(queries))) *
         pate::pure_rdp(test.pure_epsilon().value(), order);
}

// Of all neighbours, in the direction that costs more.
double largest_divergence(const StabilityTest& test, const std::vector<std::int64_t>& stabilities,
                          double order) {
  pate_test::SparseTranscripts runs(test);
  const auto own = runs.of(stabilities);
  double largest = 0.0;
  pate_test::for_each_neighbour(stabilities, [&](const std::vector<std::int64_t>& moved) {
    const auto other = runs.of(moved);
    largest = std::max(
        {largest, pate_test::renyi(own, other, order), pate_test::renyi(other, own, order)});
  });
  return largest;
}

}  // namespace

TEST_CASE("sparse outcomes: no neighbour of a small run costs more") {
  Random random(4);
  int below_any_votes = 0;
  for (int i = 0; i < 30; ++i) {
    const double sigma = random.log_uniform(0.7, 12.0);
    const auto queries = random.integer(1, 4);
    const auto test = StabilityTest::sparse_gaussian(sigma, random.log_uniform(1e-3, 0.1),
                                                     random.integer(1, queries + 1), queries);
    const double order = 1.0 + random.log_uniform(0.05, 15.0);
    std::vector<std::int64_t> stabilities;
    for (std::int64_t k = 0; k < queries; ++k) {
      stabilities.push_back(
          random.integer(0, 1 + static_cast<std::int64_t>(test.threshold() + 4.0 * sigma)));
    }
    CAPTURE(sigma);
    CAPTURE(order);
    CAPTURE(queries);
    CAPTURE(test.max_refusals());
    CAPTURE(stabilities.front());
    const SparseOutcomes outcomes(test, stabilities);
    CHECK(outcomes.is_complete());
    const double cost = outcomes.rdp(order);
    const double largest = largest_divergence(test, stabilities, order);
    CHECK(cost >= largest * (1.0 - 1e-11));
    CHECK(cost <= any_votes(test, order));
    below_any_votes += cost < 0.9 * any_votes(test, order) ? 1 : 0;
    // One query has no answers before it that another neighbour could be the worst of.
    const bool is_looked_at = order <= 4.0 * sigma * sigma;
    if (queries == 1 && is_looked_at) CHECK(cost <= largest + 1e-7);
  }
  CHECK(below_any_votes > 15);
}

TEST_CASE("sparse outcomes: with Laplace noise, no neighbour of a small run costs more") {
  Random random(14);
  int below_any_votes = 0;
  for (int i = 0; i < 24; ++i) {
    const double epsilon = random.log_uniform(0.1, 8.0);
    const auto queries = random.integer(1, 3);
    const auto test = StabilityTest::sparse(epsilon, random.log_uniform(1e-6, 0.1),
                                            random.integer(1, queries + 1));
    const double order = 1.0 + random.log_uniform(0.05, 40.0);
    std::vector<std::int64_t> stabilities;
    for (std::int64_t k = 0; k < queries; ++k) {
      stabilities.push_back(
          random.integer(0, 1 + static_cast<std::int64_t>(test.threshold() + 8.0 * test.scale())));
    }
    CAPTURE(epsilon);
    CAPTURE(order);
    CAPTURE(queries);
    CAPTURE(test.max_refusals());
    CAPTURE(stabilities.front());
    const SparseOutcomes outcomes(test, stabilities);
    CHECK(outcomes.is_complete());
    const double cost = outcomes.rdp(order);
    const double largest = largest_divergence(test, stabilities, order);
    const double most = any_votes(test, stabilities.size(), order);
    CHECK(cost >= largest - 1e-6 * most);
    CHECK(cost <= most);
    below_any_votes += cost < 0.9 * most ? 1 : 0;
    if (queries == 1) CHECK(cost <= largest + 1e-5 * most);
  }
  CHECK(below_any_votes > 12);
}

TEST_CASE("sparse outcomes: with Laplace noise, what is not looked at costs what any votes do") {
  const auto test = StabilityTest::sparse(2.0, 1e-6, 3);
  std::vector<std::int64_t> stabilities(40, 200);  // all answered: rounds go on
  const double most = any_votes(test, stabilities.size(), 4.0);
  CHECK(SparseOutcomes(test, stabilities).rdp(4.0) < 1e-3 * most);
  const SparseOutcomes late(test, stabilities, 1, 20);
  CHECK_FALSE(late.is_complete());
  CHECK(late.rdp(4.0) > 0.3 * most);
  CHECK(late.rdp(4.0) <= most);
  std::ranges::fill(stabilities, 0);  // all refused at once
  CHECK(SparseOutcomes(test, stabilities, 1, 20).rdp(4.0) < 1e-3 * most);
  // So many answers that are so unlikely that a round is given up.
  std::vector<std::int64_t> unlikely(90, 3);
  const SparseOutcomes given_up(test, unlikely);
  CHECK(given_up.is_complete());
  const double cost = given_up.rdp(4.0);
  CHECK(cost > 0.0);
  CHECK(cost < any_votes(test, unlikely.size(), 4.0));
  // The same bits on any number of threads.
  CHECK(SparseOutcomes(test, unlikely, 3).rdp(4.0) == cost);
}

TEST_CASE("sparse outcomes: so too at orders whose moments no double holds") {
  Random random(10);
  for (int i = 0; i < 30; ++i) {
    const double sigma = random.uniform(15.0, 80.0);
    const auto queries = random.integer(1, 3);
    const double order = random.uniform(0.05, 1.0) * 4.0 * sigma * sigma;
    double last = 0.0;
    for (std::int64_t refusals = 1; refusals <= queries; ++refusals) {
      const auto test = StabilityTest::sparse_gaussian(sigma, 1e-9, refusals, queries);
      const auto near = static_cast<std::int64_t>(test.threshold() * random.uniform(0.0, 1.2));
      const std::vector<std::int64_t> stabilities(static_cast<std::size_t>(queries), near);
      CAPTURE(sigma);
      CAPTURE(order);
      CAPTURE(queries);
      CAPTURE(refusals);
      CAPTURE(near);
      const double cost = SparseOutcomes(test, stabilities).rdp(order);
      CHECK(cost >= largest_divergence(test, stabilities, order) * (1.0 - 1e-9));
      CHECK(cost <= any_votes(test, order));
      last = cost;
    }
    CHECK(last > 0.0);
  }
  // Two queries of one stability: more refusals never cost less, at any order.
  for (const double order : {300.0, 1000.0, 3000.0, 9000.0}) {
    double last = 0.0;
    for (const std::int64_t refusals : {1, 2, 3}) {
      const auto test = StabilityTest::sparse_gaussian(50.0, 1e-10, refusals, 3);
      const double cost = SparseOutcomes(test, std::vector<std::int64_t>{1, 1, 1}).rdp(order);
      CHECK(cost >= last * (1.0 - 1e-7));
      last = cost;
    }
  }
}

TEST_CASE("sparse outcomes: clear votes cost little, at orders up to what noise allows") {
  const auto test = StabilityTest::sparse_gaussian(8.0, 1e-8, 3, 100);
  const std::vector<std::int64_t> clear(100, 200);
  const SparseOutcomes outcomes(test, clear);
  for (const double order : {1.5, 4.0, 16.0}) {
    CAPTURE(order);
    CHECK(outcomes.rdp(order) < 1e-6);
    CHECK(outcomes.rdp(order) > 0.0);
  }
  const std::vector<std::int64_t> split(100, 55);
  CHECK(SparseOutcomes(test, split).rdp(4.0) > 0.1);
}

TEST_CASE("sparse outcomes: the same bits on any number of threads") {
  Random random(9);
  std::vector<std::int64_t> stabilities;
  for (int i = 0; i < 80; ++i) stabilities.push_back(random.integer(0, 60));
  const auto test = StabilityTest::sparse_gaussian(5.0, 1e-6, 6, 80);
  const SparseOutcomes one(test, stabilities, 1);
  const SparseOutcomes four(test, stabilities, 4);
  for (const double order : {1.2, 3.0, 20.0}) CHECK(one.rdp(order) == four.rdp(order));
}

TEST_CASE("sparse outcomes: more queries or refusals never cost less") {
  Random random(31);
  std::vector<std::int64_t> stabilities;
  for (int i = 0; i < 40; ++i) stabilities.push_back(random.integer(0, 50));
  for (const double order : {1.5, 6.0}) {
    double last = 0.0;
    for (const std::int64_t refusals : {1, 2, 3, 8, 40, 1000}) {
      const auto test = StabilityTest::sparse_gaussian(6.0, 1e-6, refusals, 40);
      const double cost = SparseOutcomes(test, stabilities).rdp(order);
      CHECK(cost >= last * (1.0 - 1e-7));
      last = cost;
    }
  }
}

TEST_CASE("sparse outcomes: beyond what is looked at, and at noise that is too small, any votes") {
  constexpr std::size_t kLookedAt = 120;
  const std::size_t many = kLookedAt + 1;
  const auto test = StabilityTest::sparse_gaussian(8.0, 1e-8, 2, static_cast<std::int64_t>(many));
  // All refused at once: what comes later does not matter.
  const std::vector<std::int64_t> none(many, 0);
  const SparseOutcomes early(test, none, 1, kLookedAt);
  CHECK_FALSE(early.is_complete());
  CHECK(early.rdp(4.0) < 1e-3 * any_votes(test, 4.0));
  // All answered: the rounds go on.
  const std::vector<std::int64_t> clear(many, 200);
  const SparseOutcomes late(test, clear, 1, kLookedAt);
  CHECK_FALSE(late.is_complete());
  CHECK(late.rdp(4.0) <= any_votes(test, 4.0));
  CHECK(late.rdp(4.0) > 0.3 * any_votes(test, 4.0));

  const auto tiny = StabilityTest::sparse_gaussian(0.05, 1e-8, 2, 2);
  const SparseOutcomes unknown(tiny, std::vector<std::int64_t>{900, 900});
  CHECK_FALSE(unknown.is_complete());
  CHECK(unknown.rdp(1.005) == any_votes(tiny, 1.005));

  CHECK(SparseOutcomes(test, std::vector<std::int64_t>{}).rdp(2.0) == 0.0);
  CHECK_THROWS_AS(SparseOutcomes(StabilityTest::with_laplace(1.0, 1e-6), none),
                  pate::parameter_error);
  const auto shorter = StabilityTest::sparse_gaussian(8.0, 1e-8, 2, 3);
  CHECK_THROWS_AS(SparseOutcomes(shorter, none), pate::parameter_error);
}
