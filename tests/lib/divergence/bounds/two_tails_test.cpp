#include "pate/divergence/bounds/two_tails.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/normal.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// Costs below 1e-300 are reported as such: excesses below this count as equal.
constexpr double kFloor = -715.0;
constexpr Direction kDirections[] = {Direction::forward, Direction::reverse};

long double cdf(long double x) {
  return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<long double>);
}

/// F - 1 of tradeoff-bound.md for the tails {x < s} and {x > t}, in long double.
long double excess_reference(Direction direction, long double s, long double t, long double mu,
                             long double order) {
  const long double q = cdf(s) + cdf(-t);
  const long double p = cdf(-(t + mu)) + cdf(s + mu);
  const long double scale = std::exp(0.5L * order * (order - 1.0L) * mu * mu);
  if (direction == Direction::forward) {
    return std::pow(1.0L - q, order) * std::pow(1.0L - p, 1.0L - order) +
           scale * (cdf((order - 1.0L) * mu - t) + cdf(s - (order - 1.0L) * mu)) - 1.0L;
  }
  return std::pow(1.0L - p, order) * std::pow(1.0L - q, 1.0L - order) +
         scale * (cdf(s + order * mu) + cdf(-(t + order * mu))) - 1.0L;
}

/// Logarithms of lower masses from next to none to next to all of q: dense in the log of the
/// distance from log_q and in the quantile.
std::vector<double> splits(double log_q, double mu, double order) {
  std::vector<double> result;
  constexpr int kHalf = 110;
  const double nearest = std::log(1e-13 * std::max(1.0, -log_q));
  for (int i = 0; i < kHalf; ++i) {
    result.push_back(log_q - std::exp(nearest + (8.0 - nearest) * i / (kHalf - 1)));
  }
  const double top = -normal_upper_quantile(log_q);
  const double range = 30.0 + std::min(order * mu, 100.0);
  for (int i = 1; i <= kHalf; ++i) {
    const double log_lower = log_normal_cdf(top - range * i / kHalf);
    if (log_lower < log_q) result.push_back(log_lower);
  }
  std::sort(result.begin(), result.end());
  result.insert(result.begin(), -kInfinity);
  return result;
}

struct Certificate {
  double above = -kInfinity;  ///< log of the best scanned excess over the claimed maximum
  double dip = 0.0;           ///< the deepest valley between two higher values
};

Certificate certify(Direction direction, double log_q, double mu, double order) {
  const auto floored = [](double x) { return std::max(x, kFloor); };
  const double claimed = floored(maximize_two_tails(direction, log_q, mu, order, kNaN).log_excess);
  Certificate result;
  double peak = -kInfinity;
  double low = kInfinity;  // since the peak
  for (const double log_lower : splits(log_q, mu, order)) {
    const double value = floored(log_two_tail_excess(direction, log_q, mu, order, log_lower));
    result.above = std::max(result.above, value - claimed);
    result.dip = std::max(result.dip, std::min(value, peak) - low);
    if (std::isnan(value)) result.above = kInfinity;
    if (value > peak) {
      peak = value;
      low = kInfinity;
    }
    low = std::min(low, value);
  }
  return result;
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the crossing of the two tails is unique and the maximum is found") {
    const double log_qs[] = {-1e-3, -0.05, -0.5,  -0.7,   -1.5,   -3.0,
                             -6.0,  -15.0, -40.0, -150.0, -600.0, -4000.0};
    const double shifts[] = {1e-6, 1e-4, 1e-3, 0.01, 0.0354, 0.14, 0.47, 1.0, 1.9, 2.1, 6.0, 25.0};
    const double orders[] = {1.01, 1.1, 1.5, 2.0, 3.0, 6.0, 12.0, 25.0, 80.0, 500.0, 1e4};
    for (const Direction direction : kDirections) {
      for (const double log_q : log_qs) {
        for (const double mu : shifts) {
          for (const double order : orders) {
            const Certificate found = certify(direction, log_q, mu, order);
            const double noise = 4e-16 * std::max(std::abs(log_q), order * order * mu * mu);
            CHECK_MESSAGE(found.above <= 1e-11 + noise,
                          show({{"reverse", direction == Direction::reverse ? 1.0 : 0.0},
                                {"log_q", log_q},
                                {"mu", mu},
                                {"order", order}}));
            CHECK_MESSAGE(found.dip <= 2e-11 + noise,
                          show({{"reverse", direction == Direction::reverse ? 1.0 : 0.0},
                                {"log_q", log_q},
                                {"mu", mu},
                                {"order", order}}));
          }
        }
      }
    }
  }

  TEST_CASE("the crossing is unique on random inputs") {
    Random random(241);
    for (int i = 0; i < 1000; ++i) {
      const Direction direction = kDirections[i % 2];
      const double log_q = -random.log_uniform(1e-3, 2000.0);
      const double mu = random.log_uniform(1e-6, 4.0);
      const double order = 1.0 + random.log_uniform(0.01, 1e4);
      const Certificate found = certify(direction, log_q, mu, order);
      const double noise = 4e-16 * std::max(std::abs(log_q), order * order * mu * mu);
      CHECK_MESSAGE(found.above <= 1e-11 + noise,
                    show({{"reverse", i % 2}, {"log_q", log_q}, {"mu", mu}, {"order", order}}));
      CHECK_MESSAGE(found.dip <= 2e-11 + noise,
                    show({{"reverse", i % 2}, {"log_q", log_q}, {"mu", mu}, {"order", order}}));
    }
  }

  TEST_CASE("the excess of a split against the formula of the theorem") {
    Random random(242);
    int compared = 0;
    for (int i = 0; i < 4000; ++i) {
      const Direction direction = kDirections[i % 2];
      const double s = random.uniform(-5.0, 0.5);
      const double t = random.uniform(0.3, 5.0);
      const double mu = random.log_uniform(0.01, 2.5);
      const double order = 1.0 + random.log_uniform(0.05, 20.0 / std::max(mu, 1.0));
      const long double q = cdf(s) + cdf(-t);
      const long double lower = direction == Direction::forward ? cdf(s) : cdf(-t);
      const long double excess = excess_reference(direction, s, t, mu, order);
      if (excess < 1e-6L || q > 0.95L) continue;  // the formula cancels
      ++compared;
      const double got = log_two_tail_excess(direction, static_cast<double>(std::log(q)), mu, order,
                                             static_cast<double>(std::log(lower)));
      // Rounding log q and log r is magnified where little of q is left for the other tail.
      const double condition = 1e-15 * static_cast<double>(q / std::min(cdf(s), cdf(-t)));
      CHECK_MESSAGE(
          std::abs(got - static_cast<double>(std::log(excess))) < 2e-11 + condition * order,
          show({{"reverse", i % 2}, {"s", s}, {"t", t}, {"mu", mu}, {"order", order}}));
    }
    CHECK(compared > 2000);
  }

  TEST_CASE("the maximum is attained at the split it names") {
    Random random(243);
    for (int i = 0; i < 3000; ++i) {
      const Direction direction = kDirections[i % 2];
      const double log_q = -random.log_uniform(1e-2, 600.0);
      const double mu = random.log_uniform(1e-5, 6.0);
      const double order = 1.0 + random.log_uniform(0.01, 3000.0);
      const TwoTailMaximum best = maximize_two_tails(direction, log_q, mu, order, kNaN);
      if (best.log_excess < -700.0) continue;
      CHECK(best.log_lower <= log_q);
      const double there = log_two_tail_excess(direction, log_q, mu, order, best.log_lower);
      CHECK_MESSAGE(std::abs(best.log_excess - there) < 2e-11 + 1e-14 * std::abs(there),
                    show({{"reverse", i % 2}, {"log_q", log_q}, {"mu", mu}, {"order", order}}));
    }
  }

  TEST_CASE("the maximum does not depend on the start from a nearby order") {
    Random random(244);
    for (int i = 0; i < 3000; ++i) {
      const Direction direction = kDirections[i % 2];
      const double log_q = -random.log_uniform(1e-2, 600.0);
      const double mu = random.log_uniform(1e-5, 2.0);
      const double order = 1.0 + random.log_uniform(0.01, 3000.0);
      const TwoTailMaximum cold = maximize_two_tails(direction, log_q, mu, order, kNaN);
      for (const double factor : {0.8, 0.98, 1.02, 1.25}) {
        const double nearby = 1.0 + (order - 1.0) * factor;
        const double start = maximize_two_tails(direction, log_q, mu, nearby, kNaN).alpha;
        const TwoTailMaximum warm = maximize_two_tails(direction, log_q, mu, order, start);
        CHECK_MESSAGE(
            std::abs(warm.log_excess - cold.log_excess) < 2e-11 + 1e-15 * std::abs(cold.log_excess),
            show({{"reverse", i % 2},
                  {"log_q", log_q},
                  {"mu", mu},
                  {"order", order},
                  {"start", start}}));
      }
    }
  }

  TEST_CASE("the best split is where the oracle has it") {
    int compared = 0;
    for (const OracleRow& row : oracle("tradeoff_gaussian")) {
      if (!row.has("log_r")) continue;
      ++compared;
      const double mu = std::numbers::sqrt2 / row.number("sigma");
      const double log_q = row.number("log_q");
      const double order = row.number("lambda");
      const TwoTailMaximum forward = maximize_two_tails(Direction::forward, log_q, mu, order, kNaN);
      // The maximum is flat: the split itself is found to fewer digits than the value.
      if (forward.log_lower != -kInfinity) {
        CHECK_MESSAGE(std::abs(forward.log_lower - row.number("log_r")) < 1e-4, row.text());
      }
      const TwoTailMaximum reverse = maximize_two_tails(Direction::reverse, log_q, mu, order, kNaN);
      if (reverse.log_lower != -kInfinity && row.has("log_r_reverse")) {
        CHECK_MESSAGE(std::abs(reverse.log_lower - row.number("log_r_reverse")) < 1e-4, row.text());
      }
    }
    MESSAGE("splits compared: " << compared);
  }
}
