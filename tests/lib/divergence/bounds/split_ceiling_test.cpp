#include "pate/divergence/bounds/split_ceiling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <string>

#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr Direction kDirections[] = {Direction::forward, Direction::reverse};

struct Case {
  Direction direction;
  double log_q, mu, order;

  [[nodiscard]] double at(double log_lower) const {
    return log_two_tail_excess(direction, log_q, mu, order, log_lower);
  }
  [[nodiscard]] double ceiling(double log_reached) const {
    return log_split_ceiling(direction, log_q, mu, order, log_reached);
  }
  [[nodiscard]] std::string where() const {
    return show({{"reverse", direction == Direction::reverse ? 1.0 : 0.0},
                 {"log_q", log_q},
                 {"mu", mu},
                 {"order", order}});
  }
};

struct Peaks {
  double highest = -kInfinity;
  int number = 0;
};

/// The number of maxima over lower masses by the log of their odds, and the highest one, refined.
Peaks peaks(const Case& of) {
  constexpr double kNoise = 1e-9;
  const auto at_odds = [&](double odds) { return of.at(of.log_q + odds - log1pexp(odds)); };
  const auto step = [](double odds) { return odds < -40.0 ? 2.0 : 0.05; };
  Peaks result{of.at(-kInfinity), 0};
  double best = -kInfinity;
  double before = result.highest;
  bool rises = true;
  for (double odds = -900.0; odds < 34.0; odds += step(odds)) {
    const double value = at_odds(odds);
    if (rises && value < before - kNoise) ++result.number;
    if (std::abs(value - before) > kNoise) rises = value > before;
    if (value > result.highest) {
      result.highest = value;
      best = odds;
    }
    before = value;
  }
  if (rises) ++result.number;
  if (best == -kInfinity) return result;
  const auto [odds, least] = boost::math::tools::brent_find_minima(
      [&](double x) { return -at_odds(x); }, best - step(best), best + step(best), 40);
  result.highest = std::max(result.highest, -least);
  return result;
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the ceiling of all splits is above each, and near the highest") {
    Random random(811);
    int several = 0;
    for (int i = 0; i < 400; ++i) {
      const Case of{kDirections[i % 2], -random.log_uniform(0.05, i % 4 < 2 ? 60.0 : 2000.0),
                    random.log_uniform(1.4, 20.0), 1.0 + random.log_uniform(0.01, 1.0)};
      const Peaks found = peaks(of);
      if (found.number > 1) ++several;
      if (found.highest < -600.0) continue;
      // Values agree as well as logs of that size can.
      const double noise = 1e-12 * std::max(1.0, std::abs(found.highest));
      const double ceiling = of.ceiling(found.highest);
      CHECK_MESSAGE(ceiling >= found.highest, of.where());
      CHECK_MESSAGE(ceiling <= found.highest + 2e-11 + noise, of.where());
      // What is reached may be far from the best.
      CHECK_MESSAGE(std::abs(of.ceiling(found.highest - 3.0) - ceiling) < 2e-11 + noise,
                    of.where());
      const double told =
          maximize_two_tails(of.direction, of.log_q, of.mu, of.order, kNaN).log_excess;
      CHECK_MESSAGE(told >= found.highest - noise, of.where());
    }
    CHECK(several > 0);
  }

  TEST_CASE("the ceiling of all splits is at most what shows everything") {
    const Case certain{Direction::forward, -1e-7, 3.0, 1.5};
    const double finest = log_expm1(0.5 * 1.5 * 0.5 * 9.0);
    CHECK(certain.ceiling(finest - 1e-3) <= finest + 1e-12);
  }
}
