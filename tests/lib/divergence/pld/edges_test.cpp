// What profiles and covers do at the ends of their ranges, and what they refuse.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/pld/dominating_pair.hpp"
#include "pate/divergence/pld/optimistic_profile.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// A coin that shows heads with p, and with q on the neighbour.
DistributionPair coin(double p, double q) {
  return {{p, q, std::log(p) - std::log(q)}, {1.0 - p, 1.0 - q, std::log1p(-p) - std::log1p(-q)}};
}

double hockey_stick(const DistributionPair& pair, double epsilon) {
  double sum = 0.0;
  for (const OutcomeMass& o : pair) sum += std::max(o.p - std::exp(epsilon) * o.q, 0.0);
  return sum;
}

}  // namespace

TEST_SUITE("profile") {
  TEST_CASE("edges: grids and ranges that no profile has are refused") {
    for (const auto& [step, lowest, highest, least] :
         {std::array{0.0, -1.0, 1.0, 0.0}, std::array{kNaN, -1.0, 1.0, 0.0},
          std::array{0.5, 1.0, 2.0, 0.0}, std::array{0.5, -1.0, -0.5, 0.0},
          std::array{1e-9, -1.0, 1.0, 0.0}, std::array{0.5, -1.0, 1.0, 1.0},
          std::array{0.5, -1.0, 1.0, -0.5}}) {
      CHECK_THROWS_WITH_AS(OptimisticProfile(step, lowest, highest, least),
                           "a profile from below needs a step > 0 and a range around 0",
                           parameter_error);
    }
    for (const auto& [step, highest, least] :
         {std::array{0.5, 0.0, 1e-5}, std::array{0.5, kNaN, 1e-5}, std::array{0.5, 2e4, 1e-5},
          std::array{0.5, 1.0, 0.0}, std::array{0.5, 1.0, 1.0}}) {
      CHECK_THROWS_WITH_AS(
          PessimisticProfile({step, highest, least}),
          "a profile needs a step in [2^-24, 1], losses up to 10,000, delta in (0, 1)",
          parameter_error);
    }
  }

  TEST_CASE("edges: beyond its nodes a profile of nothing is still 1 - e^epsilon") {
    const PessimisticProfile nothing({0x1p-8, 0.5, 1e-5});
    for (const double epsilon : {-0.25, -0.5, -0.75, -1.5, -6.0, -50.0}) {
      CHECK(nothing.delta(epsilon) >= -std::expm1(epsilon));
      CHECK(nothing.delta(epsilon) <= -std::expm1(epsilon) * (1.0 + 1e-8));
    }
    // A delta above all that it has: nothing is lost.
    CHECK(nothing.epsilon(0.9) == 0.0);
    CHECK(nothing.epsilon(0.1) == 0.0);
  }

  TEST_CASE("edges: a loss below all offsets counts as one that is as low as they go") {
    // At this step offsets reach to a loss of -64.
    const double p = std::exp(-80.0);
    const double q = 1e-6;
    const std::vector<DistributionPair> query{
        {{p, q, -80.0 - std::log(q)}, {1.0 - p, 1.0 - q, -std::log1p(-q)}}};
    PessimisticProfile fine({0x1p-24, 0x1p-10, 1e-7});
    fine.compose_query(query);
    CHECK(fine.delta(0.0) >= q);
    CHECK(fine.delta(0.0) <= q * 1.2);
  }

  TEST_CASE("edges: histories that leave the range of a lower profile are merged at its ends") {
    const DistributionPair far = coin(0.25, 0.9);  // losses -1.28 and 2.01
    for (const double range : {0.5, 1.0, 8.0}) {
      OptimisticProfile narrow(0x1p-8, -range, range);
      narrow.append({});  // nothing happens
      CHECK(narrow.delta(0.0) == 0.0);
      narrow.append(far);
      narrow.append(coin(0.9, 0.25));
      const std::vector<double> p{0.25 * 0.9, 0.25 * 0.1, 0.75 * 0.9, 0.75 * 0.1};
      const std::vector<double> q{0.9 * 0.25, 0.9 * 0.75, 0.1 * 0.25, 0.1 * 0.75};
      for (const double epsilon : {0.0, 0.3, 1.0}) {
        double exact = 0.0;
        for (std::size_t i = 0; i < p.size(); ++i) {
          exact += std::max(p[i] - std::exp(epsilon) * q[i], 0.0);
        }
        CHECK(narrow.delta(epsilon) <= exact);
        // Merged are histories of one sign: at 0 next to nothing is lost.
        if (epsilon == 0.0 || range > 4.0) CHECK(narrow.delta(epsilon) >= 0.95 * exact);
      }
    }
  }

  TEST_CASE("edges: a query of which the neighbour has no outcome leaves nothing to hide") {
    OptimisticProfile low(0x1p-8, -4.0, 4.0);
    low.append({{1.0, 0.0, kInfinity}});
    for (const double epsilon : {0.0, 3.0, 30.0}) {
      CHECK(low.delta(epsilon) <= 1.0);
      CHECK(low.delta(epsilon) >= 1.0 - 1e-11);
    }
    // And after it nothing is added.
    low.append(coin(0.6, 0.4));
    CHECK(low.delta(0.0) <= 1.0);
    CHECK(low.delta(0.0) >= 1.0 - 1e-11);
  }

  TEST_CASE(
      "edges: cells that hold next to nothing are dropped at both ends, and delta is no more") {
    // Twenty coins that nearly always show heads: all tails is rarer than what is kept.
    const DistributionPair rare = coin(1e-3, 1.5e-3);
    const DistributionPair other = coin(1.5e-3, 1e-3);
    for (const DistributionPair& its : {rare, other}) {
      OptimisticProfile all(0x1p-8, -20.0, 20.0);
      OptimisticProfile some(0x1p-8, -20.0, 20.0, 0.5);
      all.append(its, 20);
      some.append(its, 20);
      for (const double epsilon : {0.0, 1e-3}) {
        CHECK(some.delta(epsilon) <= all.delta(epsilon));
        CHECK(some.delta(epsilon) >= all.delta(epsilon) * (1.0 - 1e-9));
      }
    }
  }

  TEST_CASE("edges: a cover of no table is none, of one it is that, of two above both") {
    CHECK(dominating_pair({}, 0x1p-8, 1e-5).empty());
    const std::array one{coin(0.3, 0.6)};
    const DistributionPair same = dominating_pair(one, 0x1p-8, 1e-5);
    REQUIRE(same.size() == 2);
    CHECK(same[0].p == 0.3);
    CHECK(same[1].loss == one[0][1].loss);
    // Outcomes that only one side has, a loss of 0, losses within a step of 0 and far from it.
    const double little = 1e-4;
    const DistributionPair mixed{{0.1, 0.0, kInfinity},
                                 {0.0, 0.15, -kInfinity},
                                 {0.2, 0.2, 0.0},
                                 {0.3, 0.3 * std::exp(-little), little},
                                 {0.3, 0.3 * std::exp(little), -little},
                                 {0.1, 0.05, std::log(2.0)}};
    const double e50 = std::exp(-50.0);
    const DistributionPair steep{{0.5, 0.5 * e50, 50.0}, {0.5 * e50, 0.5, -50.0}, {0.5, 0.5, 0.0}};
    const std::array tables{mixed, steep, coin(0.4, 0.5)};
    const DistributionPair cover = dominating_pair(tables, 0x1p-6, 1e-5);
    for (const double epsilon : {-45.0, -3.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 3.0, 45.0}) {
      double most = 0.0;
      for (const DistributionPair& table : tables) {
        most = std::max(most, hockey_stick(table, epsilon));
      }
      INFO("epsilon ", epsilon);
      CHECK(hockey_stick(cover, epsilon) >= most);
      CHECK(hockey_stick(cover, epsilon) <= most + 0.02);
    }
  }

  TEST_CASE("edges: a cover of what is no number is no number") {
    const std::array tables{coin(0.4, 0.5), DistributionPair{{0.5, 0.5, kNaN}, {0.5, 0.5, 0.0}}};
    const DistributionPair cover = cover_but_rounding(tables, 0x1p-6, 1e-5);
    CHECK(std::ranges::any_of(
        cover, [](const OutcomeMass& o) { return std::isnan(o.p) || std::isnan(o.q); }));
    CHECK_THROWS_AS(DiscretizedPairs(std::vector<DistributionPair>{cover}, 0x1p-6),
                    parameter_error);
  }
}
