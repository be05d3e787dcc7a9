#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "pate/release/declared/at_most_claim.hpp"
#include "pate/release/declared/complex_costs.hpp"
#include "pate/release/declared/complex_test.hpp"
#include "pate/release/declared/declared_run.hpp"
#include "support/complex_world.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// Of all pairs of neighbours the largest excess, as a share of delta; whether levels are one apart.
struct Found {
  double excess = 0.0;
  bool close = true;
  bool undecided = false;
};

using LevelBy = std::function<std::size_t(const ComplexTest&, const ComplexCosts&)>;

Found check_world(const ComplexWorld& world, const ComplexTest& test, double epsilon, double delta,
                  const LevelBy& level) {
  std::vector<std::size_t> levels;
  for (const auto& votes : world.all()) levels.push_back(level(test, votes.costs));
  Found found;
  found.undecided = std::ranges::min(levels) < std::ranges::max(levels);
  const double e = std::exp(epsilon);
  world.for_neighbours([&](std::size_t a, std::size_t b) {
    const std::size_t i = levels[a];
    const std::size_t j = levels[b];
    found.close = found.close && (i > j ? i - j : j - i) <= 1;
    const PassLadder& ladder = test.ladder();
    double excess = std::max(0.0, ladder.fail(i) - e * ladder.fail(j));
    const auto& p = world.all()[a].outcomes;
    const auto& q = world.all()[b].outcomes;
    for (std::size_t o = 0; o < p.size(); ++o) {
      excess += std::max(0.0, ladder.pass(i) * p[o] - e * ladder.pass(j) * q[o]);
    }
    found.excess = std::max(found.excess, excess / delta);
  });
  return found;
}

// As the page says it; `first` is the first i above j, `behind` what distances are short of.
std::size_t level_said(const ComplexTest& test, const ComplexCosts& costs, std::size_t first,
                       std::size_t behind) {
  const std::size_t last = test.ladder().last();
  std::vector<ComplexCertificate> certificates;
  for (std::size_t d = 0; d < costs.units.size(); ++d) {
    certificates.push_back(costs.certificate(d));
  }
  for (std::size_t j = 0; j < last; ++j) {
    bool good = true;
    for (std::size_t i = j + first; i < last && good; ++i) {
      const std::size_t d = i - j > behind ? i - j - behind : 0;
      good = test.holds(i, certificates[std::min(d, certificates.size() - 1)]);
    }
    if (good) return j;
  }
  return last;
}

// A ladder of fewer levels than the program's, down by steps of random size.
PassLadder coarse_ladder(Random& random, double epsilon, double delta) {
  const Integer whole = Integer(1) << 128U;
  const Integer growth = exp_rounded_down(epsilon, 128);
  const auto share = [&](const Integer& of, double part) {
    return Integer((of * static_cast<std::int64_t>(std::ldexp(part, 52))) >> 52U);
  };
  Integer fail = share(whole, random.log_uniform(1e-4, 0.9));
  std::vector<Integer> passes{whole - fail};
  const double fall = std::min(random.uniform(0.3, 1.5) * epsilon, 20.0);
  while (Dyadic(passes.back(), -128) > Dyadic(delta)) {
    const Integer most = (fail * growth) >> 128U;  // the condition allows so much and no more
    const Integer next = whole - share(passes.back(), std::exp(-fall));
    fail = std::max(std::min(most, next), Integer(fail + 1));
    passes.push_back(whole - fail);
  }
  return {{epsilon, epsilon, delta}, std::move(passes)};
}

// An epsilon at which some of these votes just pass.
double some_epsilon(Random& random, const ComplexWorld& world, double delta) {
  const auto& votes = world.all()[static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(world.all().size()) - 1))];
  return std::clamp(votes.costs.certificate(0).epsilon(delta) * random.uniform(0.9, 1.6), 0.05,
                    30.0);
}

}  // namespace

TEST_SUITE("declared") {
  TEST_CASE("complex costs hold what is within a distance, and are nested between neighbours") {
    Random random(81);
    for (int n = 0; n < 12; ++n) {
      SmallComplex its = with_keys(random_small(random), n);
      its.queries = 1;
      const ComplexWorld world(its);
      const auto& histograms = world.histograms();
      const auto most = static_cast<std::size_t>(its.teachers);
      for (std::size_t a = 0; a < histograms.size(); ++a) {
        const auto& ours = world.one(a).costs.units;
        CHECK(ours[most] == world.one(0).costs.units[most]);
        for (std::size_t b = 0; b < histograms.size(); ++b) {
          const auto d = static_cast<std::size_t>(distance(histograms[a], histograms[b]));
          const auto& theirs = world.one(b).costs.units;
          bool holds = true;
          for (std::size_t i = 0; i < ours[d].size(); ++i) {
            holds = holds && theirs[0][i] <= ours[d][i];
            // Neighbours.
            for (std::size_t e = 0; d == 1 && e < most; ++e) {
              holds = holds && theirs[e][i] <= ours[e + 1][i];
            }
          }
          CHECK(holds);
        }
      }
    }
  }

  TEST_CASE("complex orders: test and run together keep a declared budget, on all votes") {
    const char* const asked = std::getenv("PATE_DECLARED_CONFIGURATIONS");
    const int configurations = asked == nullptr ? 60 : std::max(1, std::atoi(asked) / 4);
    Random random(82);
    double largest = 0.0;
    int undecided = 0;
    for (int n = 0; n < configurations; ++n) {
      const SmallComplex its = with_keys(random_small(random), n);
      const ComplexWorld world(its);
      double best = -1.0;
      double best_epsilon = 0.0;
      double best_delta = 0.0;
      for (int round = 0; round < 6; ++round) {
        // From the third on near what exceeded most of delta: random budgets alone find less.
        const bool climbs = round >= 3;
        const double delta =
            climbs ? std::clamp(best_delta * std::exp(random.uniform(-0.3, 0.3)), 1e-6, 0.4)
                   : std::vector{.2, .05, 1e-2, 1e-3,
                                 1e-5}[static_cast<std::size_t>(random.integer(0, 4))];
        const double epsilon =
            climbs ? std::clamp(best_epsilon * std::exp(random.uniform(-0.1, 0.1)), 0.05, 30.0)
                   : some_epsilon(random, world, delta);
        const ComplexTest test(epsilon, delta,
                               round == 0 ? PassLadder({epsilon, epsilon, delta})
                                          : coarse_ladder(random, epsilon, delta));
        const Found found = check_world(
            world, test, epsilon, delta,
            [](const ComplexTest& by, const ComplexCosts& costs) { return by.level(costs); });
        INFO("teachers ", its.teachers, " classes ", its.classes, " queries ", its.queries,
             " sigma ", its.noise.sigma, " epsilon ", epsilon, " delta ", delta);
        CHECK(found.close);
        CHECK(found.excess <= 1.0 + 1e-9);
        largest = std::max(largest, found.excess);
        if (found.excess > best) {
          best = found.excess;
          best_epsilon = epsilon;
          best_delta = delta;
        }
        undecided += found.undecided ? 1 : 0;
        const auto& some = world.all().front().costs;
        CHECK(test.level(some) == level_said(test, some, 0, 0));
      }
    }
    MESSAGE("largest excess ", largest, " of delta; undecided ", undecided);
    CHECK(largest > 0.3);
    CHECK(undecided > configurations / 3);
  }

  // Labels come out in any case; which of two epsilons is claimed is the outcome of the test.
  TEST_CASE("complex orders: a claim of at most C holds as one of the outcome, on all votes") {
    Random random(84);
    double largest = 0.0;
    double smaller = 0.0;  // with the failed claim made smaller: must break
    bool is_close = true;
    for (int n = 0; n < 25; ++n) {
      const SmallComplex its = with_keys(random_small(random), n);
      const ComplexWorld world(its);
      const double delta = std::vector{.2, .05, 1e-2, 1e-3}[static_cast<std::size_t>(n % 4)];
      const double claim = some_epsilon(random, world, delta);
      std::map<int, double> known;
      const AtMostClaim at_most(
          claim, delta,
          [&](double at) {
            // At the next smaller power of two, which costs more and is asked for often.
            const int power = static_cast<int>(std::floor(std::log2(at)));
            const auto [entry, is_new] = known.try_emplace(power, 0.0);
            if (is_new) {
              entry->second = epsilon_for_any_votes({its.check, its.noise}, {}, its.queries,
                                                    std::ldexp(1.0, power));
            }
            return entry->second;
          },
          Certificate::complex);
      // The orders of the world take the place of the claim's own: the ladder is what is looked at.
      const ComplexTest test(claim, .99 * delta * (1.0 - 1e-12), at_most.test().ladder());
      std::vector<std::size_t> levels;
      for (const auto& votes : world.all()) levels.push_back(test.level(votes.costs));
      double worst = 0.0;
      world.for_neighbours([&](std::size_t a, std::size_t b) {
        const std::size_t i = levels[a];
        const std::size_t j = levels[b];
        is_close = is_close && (i > j ? i - j : j - i) <= 1;
        const auto& p = world.all()[a].outcomes;
        const auto& q = world.all()[b].outcomes;
        const PassLadder& ladder = test.ladder();
        const auto excess = [&](double failed_claim) {
          double sum = 0.0;
          for (std::size_t o = 0; o < p.size(); ++o) {
            sum += std::max(0.0, ladder.pass(i) * p[o] - std::exp(claim) * ladder.pass(j) * q[o]);
            sum += std::max(0.0,
                            ladder.fail(i) * p[o] - std::exp(failed_claim) * ladder.fail(j) * q[o]);
          }
          return sum / delta;
        };
        worst = std::max(worst, excess(at_most.failed_claim()));
        smaller = std::max(smaller, excess(.1 * at_most.failed_claim()));
      });
      CHECK(worst <= 1.0 + 1e-9);
      largest = std::max(largest, worst);
    }
    CHECK(is_close);
    CHECK(largest > 0.2);
    CHECK(smaller > 1.0 + 1e-6);
  }

  TEST_CASE("complex orders: a condition left out, or a distance too short, breaks the budget") {
    Random random(83);
    double without_first = 0.0;
    bool is_close = true;
    for (int n = 0; n < 60; ++n) {
      const SmallComplex its = with_keys(random_small(random), n);
      const ComplexWorld world(its);
      const double delta = n % 2 == 0 ? 0.05 : 1e-3;
      const double epsilon = some_epsilon(random, world, delta);
      const ComplexTest test(epsilon, delta, coarse_ladder(random, epsilon, delta));
      const auto with = [&](std::size_t first, std::size_t behind) {
        return check_world(world, test, epsilon, delta,
                           [&](const ComplexTest& by, const ComplexCosts& costs) {
                             return level_said(by, costs, first, behind);
                           });
      };
      without_first = std::max(without_first, with(1, 0).excess);
      is_close = is_close && with(0, 100).close;
    }
    CHECK(without_first > 1.0);
    CHECK_FALSE(is_close);
  }
}
