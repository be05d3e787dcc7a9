// Many equal queries as one, beside the same queries one after the other.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

constexpr double kStep = 0x1p-8;

// Outcomes of probabilities at random on both data sets.
DistributionPair random_pair(Random& random) {
  const std::int64_t size = random.integer(2, 6);
  std::vector<double> p, q;
  double sum_p = 0.0;
  double sum_q = 0.0;
  for (std::int64_t o = 0; o < size; ++o) {
    p.push_back(random.log_uniform(1e-6, 1.0));
    q.push_back(p.back() * std::exp(random.uniform(-0.4, 0.4)));
    sum_p += p.back();
    sum_q += q.back();
  }
  DistributionPair pair;
  for (std::size_t o = 0; o < p.size(); ++o) {
    pair.push_back({p[o] / sum_p, q[o] / sum_q, std::log(p[o] / q[o] * sum_q / sum_p)});
  }
  if (random.integer(0, 3) == 0) pair.push_back({1e-9, 0.0, INFINITY});
  return pair;
}

}  // namespace

TEST_SUITE_BEGIN("pessimistic_profile");

TEST_CASE("so many queries as one cost what they cost one after the other, and not less") {
  Random random(91);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const DistributionPair pair = random_pair(random);
    const DiscretizedPairs one(std::span(&pair, 1), kStep);
    const std::int64_t times = random.integer(1, 70);
    const PessimisticProfile::Grid grid{kStep, 40.0, 1e-9};
    PessimisticProfile in_turn(grid);
    in_turn.compose_query(one, 0, 1, times);
    const auto together = one.repeated(times, 1e-13, 1e9);
    REQUIRE(together);
    PessimisticProfile at_once(grid);
    at_once.compose_query(*together, 0, 1);
    CHECK(at_once.queries() == times);
    for (const double epsilon : {-0.5, 0.0, 0.3, 1.0, 4.0}) {
      CAPTURE(epsilon);
      const double delta = in_turn.delta(epsilon);
      CHECK(at_once.delta(epsilon) >= delta * (1.0 - 1e-11) - 2e-15);
      CHECK(at_once.delta(epsilon) <= delta * (1.0 + 1e-10) + 4e-13);
    }
  }
}

TEST_CASE("masses at the ends that are moved make no profile smaller") {
  Random random(92);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const DistributionPair pair = random_pair(random);
    const DiscretizedPairs one(std::span(&pair, 1), kStep);
    const std::int64_t times = random.integer(2, 60);
    const PessimisticProfile::Grid grid{kStep, 40.0, 1e-9};
    PessimisticProfile whole(grid), trimmed(grid);
    whole.compose_query(*one.repeated(times, 0.0, 1e9), 0, 1);
    const double beyond = random.log_uniform(1e-9, 1e-3);
    trimmed.compose_query(*one.repeated(times, beyond, 1e9), 0, 1);
    for (const double epsilon : {-0.5, 0.0, 0.3, 1.0, 4.0}) {
      CHECK(trimmed.delta(epsilon) >= whole.delta(epsilon) * (1.0 - 1e-11));
      CHECK(trimmed.delta(epsilon) <= whole.delta(epsilon) * (1.0 + 1e-10) + beyond);
    }
  }
}

TEST_CASE("what is too long is not begun, and one pair alone is repeated") {
  Random random(93);
  const DistributionPair pair = random_pair(random);
  const DiscretizedPairs one(std::span(&pair, 1), kStep);
  CHECK_FALSE(one.repeated(1000, 1e-12, 1e4));
  CHECK_THROWS_AS(static_cast<void>(one.repeated(0, 1e-12, 1e9)), parameter_error);
  CHECK_THROWS_AS(static_cast<void>(one.repeated(2, -1.0, 1e9)), parameter_error);
  const std::vector<DistributionPair> two{pair, pair};
  CHECK_THROWS_AS(static_cast<void>(DiscretizedPairs(two, kStep).repeated(2, 1e-12, 1e9)),
                  parameter_error);
}
