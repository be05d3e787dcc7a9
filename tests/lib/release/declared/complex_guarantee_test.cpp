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

#include "pate/numerics/normal.hpp"
#include "pate/release/declared/complex_costs.hpp"
#include "pate/release/declared/complex_test.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

struct SmallComplex {
  std::int64_t teachers = 2;
  std::int64_t classes = 2;
  std::int64_t queries = 1;
  GaussianNoisyMax noise;
  std::optional<ThresholdCheck> check;
  ComplexOrders orders;
  KeyModuli::Keys keys = KeyModuli::Keys::three;
};

// Every third by two keys.
SmallComplex with_keys(SmallComplex its, int n) {
  if (n % 3 == 0) its.keys = KeyModuli::Keys::two;
  return its;
}

SmallComplex random_small(Random& random) {
  SmallComplex its;
  its.queries = random.integer(1, 2);
  its.classes = random.integer(2, 4);
  its.teachers = its.queries == 2 ? random.integer(2, its.classes == 2 ? 8 : 3)
                                  : random.integer(2, its.classes == 2 ? 11 : 6);
  its.noise.sigma = random.log_uniform(0.9, 9.0);
  if (random.integer(0, 4) > 0) {
    its.check = ThresholdCheck{random.uniform(0.0, static_cast<double>(its.teachers) + 1.0),
                               random.log_uniform(0.6, 8.0)};
  }
  const std::vector<double> all{0.5, 1.5, 3.0, 5.0, 8.0};
  for (const double a : all) {
    if (random.integer(0, 2) > 0) its.orders.reals.push_back(a);
  }
  if (its.orders.reals.empty()) its.orders.reals.push_back(2.0);
  its.orders.step = random.log_uniform(0.4, 4.0);
  its.orders.terms = 40;
  its.orders.smoothing = random.integer(0, 1) == 0 ? 0.0 : 0.03;
  return its;
}

KeyCount key_of(Histogram counts) {
  std::ranges::sort(counts, std::greater<>());
  return {counts[0], counts[1], counts.size() > 2 ? counts[2] : 0, 1};
}

// All votes of a small run: what comes out of it, and its costs within a distance.
class ComplexWorld {
 public:
  struct Votes {
    std::vector<double> outcomes;
    ComplexCosts costs;
  };

  explicit ComplexWorld(const SmallComplex& its)
      : its_(its),
        histograms_(all_histograms(static_cast<std::int32_t>(its.teachers),
                                   static_cast<std::size_t>(its.classes))) {
    const KeyModuli moduli(its.noise, its.check, its.teachers, its.classes, its.orders, true,
                           its.keys);
    std::map<std::vector<std::int64_t>, ComplexCosts> of_key;
    const auto size = static_cast<std::size_t>(its.teachers) + 1;
    for (const Histogram& counts : histograms_) {
      const KeyCount key = key_of(counts);
      auto& costs = of_key[{key.v, key.x2, key.x3}];
      if (costs.units.empty()) costs = complex_costs(moduli, std::vector{key}, size, 1);
      one_.push_back({outcomes_of(counts), costs});
      auto& close = close_.emplace_back();
      for (std::size_t h = 0; h < histograms_.size(); ++h) {
        if (distance(counts, histograms_[h]) <= 1) close.push_back(h);
      }
    }
    if (its.queries == 1) {
      all_ = one_;
      return;
    }
    for (const Votes& first : one_) {
      for (const Votes& second : one_) {
        Votes both{{}, first.costs};
        for (const double p : first.outcomes) {
          for (const double q : second.outcomes) both.outcomes.push_back(p * q);
        }
        for (std::size_t d = 0; d < size; ++d) {
          for (std::size_t i = 0; i < both.costs.units[d].size(); ++i) {
            both.costs.units[d][i] += second.costs.units[d][i];
          }
        }
        all_.push_back(std::move(both));
      }
    }
  }

  [[nodiscard]] const std::vector<Votes>& all() const { return all_; }
  [[nodiscard]] const std::vector<Histogram>& histograms() const { return histograms_; }
  [[nodiscard]] const Votes& one(std::size_t h) const { return one_[h]; }

  template <class Visit>
  void for_neighbours(const Visit& visit) const {
    const std::size_t each = histograms_.size();
    for (std::size_t n = 0; n < all_.size(); ++n) {
      for (const std::size_t a : close_[its_.queries == 1 ? n : n / each]) {
        if (its_.queries == 1) {
          visit(n, a);
          continue;
        }
        for (const std::size_t b : close_[n % each]) visit(n, a * each + b);
      }
    }
  }

 private:
  [[nodiscard]] std::vector<double> outcomes_of(const Histogram& counts) const {
    std::vector<double> one;
    double answered = 1.0;
    if (its_.check) {
      const double v = *std::ranges::max_element(counts);
      answered = normal_cdf((v - its_.check->threshold) / its_.check->sigma1);
      one.push_back(normal_cdf((its_.check->threshold - v) / its_.check->sigma1));
    }
    for (const long double p : gaussian_outcomes(counts, its_.noise.sigma)) {
      one.push_back(answered * static_cast<double>(p));
    }
    return one;
  }

  const SmallComplex& its_;
  std::vector<Histogram> histograms_;
  std::vector<Votes> one_;
  std::vector<std::vector<std::size_t>> close_;
  std::vector<Votes> all_;
};

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
      for (int round = 0; round < 3; ++round) {
        const double delta =
            std::vector{.2, .05, 1e-2, 1e-3, 1e-5}[static_cast<std::size_t>(random.integer(0, 4))];
        const double epsilon = some_epsilon(random, world, delta);
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
        undecided += found.undecided ? 1 : 0;
        const auto& some = world.all().front().costs;
        CHECK(test.level(some) == level_said(test, some, 0, 0));
      }
    }
    MESSAGE("largest excess ", largest, " of delta; undecided ", undecided);
    CHECK(largest > 0.3);
    CHECK(undecided > configurations / 3);
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
