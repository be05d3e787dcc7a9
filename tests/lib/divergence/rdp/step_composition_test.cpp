#include "pate/divergence/rdp/step_composition.hpp"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <numbers>
#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

long double cdf(long double x) {
  return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<long double>);
}

/// delta(epsilon) from its definition; the difference loses about log10(1/mu) digits.
long double delta_reference(double mu, double epsilon) {
  const auto m = static_cast<long double>(mu);
  const auto e = static_cast<long double>(epsilon);
  return cdf(-e / m + 0.5L * m) - std::exp(e) * cdf(-e / m - 0.5L * m);
}

}  // namespace

TEST_SUITE("rdp") {
  TEST_CASE("the epsilon of a Gaussian mechanism against the oracle") {
    for (const OracleRow& row : oracle("gdp_epsilon")) {
      const double got = gaussian_dp_epsilon(row.number("mu"), row.number("delta"));
      const double reference = row.number("epsilon");
      if (reference == 0.0) {
        CHECK_MESSAGE(got == 0.0, row.text());
      } else {
        CHECK_MESSAGE(covers(got, reference), row.text(), show({{"got", got}}));
      }
    }
  }

  TEST_CASE("a thousand data-independent answers of GNMax") {
    const double epsilon = gaussian_dp_epsilon(std::sqrt(1000.0 * 2.0) / 40.0, 1e-5);
    CHECK(relative_error(epsilon, 4.98330640597) < 1e-9);
  }

  TEST_CASE("the delta of a Gaussian mechanism against its definition") {
    Random random(411);
    int compared = 0;
    for (int i = 0; i < 5000; ++i) {
      const double mu = random.log_uniform(0.01, 20.0);
      const double epsilon = mu * random.uniform(0.0, 0.5 * mu + 12.0);
      const long double expected = delta_reference(mu, epsilon);
      const auto a = static_cast<long double>(epsilon / mu - 0.5 * mu);
      // What the subtraction leaves of 19 digits.
      if (expected < 1e-6L * cdf(-a)) continue;
      ++compared;
      CHECK_MESSAGE(
          std::abs(log_gaussian_dp_delta(mu, epsilon) - static_cast<double>(std::log(expected))) <
              1e-12 + 1e-15 * static_cast<double>(a * a) * (1.0 + 1.0 / mu),
          show({{"mu", mu}, {"epsilon", epsilon}}));
    }
    CHECK(compared > 4000);
  }

  TEST_CASE("the epsilon of a Gaussian mechanism and its delta undo each other") {
    Random random(412);
    for (int i = 0; i < 3000; ++i) {
      const double mu = random.log_uniform(1e-6, 50.0);
      const double delta = random.log_uniform(1e-200, 0.5);
      const double epsilon = gaussian_dp_epsilon(mu, delta);
      if (epsilon == 0.0) {
        CHECK(log_gaussian_dp_delta(mu, 0.0) <= std::log(delta));
        continue;
      }
      // epsilon suffices, and a billionth less does not.
      CHECK_MESSAGE(log_gaussian_dp_delta(mu, epsilon) <= std::log(delta) + 1e-13,
                    show({{"mu", mu}, {"delta", delta}}));
      CHECK_MESSAGE(log_gaussian_dp_delta(mu, epsilon * (1.0 - 1e-9)) > std::log(delta) - 1e-12,
                    show({{"mu", mu}, {"delta", delta}}));
    }
  }

  TEST_CASE("the epsilon of a Gaussian mechanism grows with mu and with 1 / delta") {
    double previous = 0.0;
    for (double mu = 1e-3; mu < 100.0; mu *= 1.07) {
      const double epsilon = gaussian_dp_epsilon(mu, 1e-6);
      CHECK_MESSAGE(epsilon > previous, mu);
      CHECK_MESSAGE(gaussian_dp_epsilon(mu, 1e-7) > epsilon, mu);
      previous = epsilon;
    }
    for (double delta = 0.9; delta > 1e-30; delta *= 0.7) {
      CHECK(gaussian_dp_epsilon(1.0, 0.7 * delta) >= gaussian_dp_epsilon(1.0, delta));
    }
  }

  TEST_CASE("the epsilon of a Gaussian mechanism at the ends of its domain") {
    CHECK(gaussian_dp_epsilon(0.0, 1e-5) == 0.0);
    CHECK(gaussian_dp_epsilon(0.1, 0.5) == 0.0);  // delta(0) = 2 Phi(.05) - 1 = .04
    for (const double mu : {-1.0, kNaN, kInfinity}) {
      CHECK_THROWS_AS(static_cast<void>(gaussian_dp_epsilon(mu, 1e-5)), parameter_error);
    }
    for (const double delta : {0.0, 1.0, -1.0, kNaN}) {
      CHECK_THROWS_AS(static_cast<void>(gaussian_dp_epsilon(1.0, delta)), parameter_error);
    }
    CHECK_THROWS_WITH(static_cast<void>(gaussian_dp_epsilon(-1.0, 1e-5)),
                      "mu must be >= 0 and finite, got -1");
  }

  TEST_CASE("gaussian_dp_epsilon goes on smoothly where the sensitivity is enormous") {
    const double z = 4.2648907939228246;  // upper quantile of 1e-5
    for (const double mu : {1e5, 9.9e5, 1.01e6, 1e8, 1e100}) {
      const double epsilon = gaussian_dp_epsilon(mu, 1e-5);
      CHECK(std::isfinite(epsilon));
      CHECK(std::abs(epsilon / (mu * (z + 0.5 * mu)) - 1.0) < 1e-9);
    }
  }
}

namespace {

/// The delta of the header's formula at an epsilon, term by term in long double.
long double delta_reference(double step_epsilon, std::int64_t steps, double epsilon) {
  const auto s = static_cast<long double>(step_epsilon);
  const auto e = static_cast<long double>(epsilon);
  const auto k = static_cast<long double>(steps);
  long double log_choose = 0.0L;
  long double sum = 0.0L;
  for (std::int64_t count = 0; count <= steps; ++count) {
    const auto i = static_cast<long double>(count);
    const long double gain = (k - i) * s - (e + i * s);
    if (gain > 0.0L) {
      sum += std::exp(log_choose + (k - i) * s - k * std::log1p(std::exp(s))) * -std::expm1(-gain);
    }
    log_choose += std::log((k - i) / (i + 1.0L));
  }
  return sum;
}

}  // namespace

TEST_SUITE("rdp") {
  TEST_CASE("the optimal composition against the oracle") {
    for (const OracleRow& row : oracle("kov_epsilon")) {
      const double got = composed_pure_dp_epsilon(2.0 * row.number("gamma"), row.count("queries"),
                                                  row.number("delta"));
      const double reference = row.number("epsilon");
      if (reference == 0.0) {
        CHECK_MESSAGE(got == 0.0, row.text());
      } else {
        CHECK_MESSAGE(covers(got, reference), row.text(), show({{"got", got}}));
      }
    }
  }

  TEST_CASE("the optimal composition has the delta that was asked for") {
    Random random(421);
    for (int i = 0; i < 300; ++i) {
      const double step = random.log_uniform(1e-3, 2.0);
      const std::int64_t steps = random.integer(1, 1500);
      const double delta = random.log_uniform(1e-12, 0.3);
      const double epsilon = composed_pure_dp_epsilon(step, steps, delta);
      const std::string at =
          show({{"step", step}, {"steps", static_cast<double>(steps)}, {"delta", delta}});
      CHECK_MESSAGE(epsilon <= step * static_cast<double>(steps) * (1.0 + 1e-15), at);
      CHECK_MESSAGE(delta_reference(step, steps, epsilon) <=
                        static_cast<long double>(delta) * (1.0L + 1e-14L),
                    at);
      if (epsilon > 0.0) {
        CHECK_MESSAGE(
            delta_reference(step, steps, epsilon * (1.0 - 1e-9)) > static_cast<long double>(delta),
            at);
      }
    }
  }

  TEST_CASE("one step in closed form") {
    for (const double s : {0.01, 0.5, 3.0}) {
      for (const double delta : {1e-9, 1e-3, 0.1}) {
        // (e^s - e^epsilon) / (1 + e^s) = delta
        const double inside = std::exp(s) - delta * (1.0 + std::exp(s));
        const double expected = inside > 1.0 ? std::log(inside) : 0.0;
        const double got = composed_pure_dp_epsilon(s, 1, delta);
        CHECK_MESSAGE(std::abs(got - expected) <= 1e-9 * expected + 1e-15,
                      show({{"s", s}, {"delta", delta}}));
      }
    }
  }

  TEST_CASE("one step of very little cost keeps its digits") {
    for (double s = 1e-14; s < 1e-2; s *= 3.7) {
      for (const double share : {1e-6, 0.1, 0.49}) {
        const double delta = share * s;
        const auto gain = std::expm1(static_cast<long double>(s));
        const auto reference = static_cast<double>(std::log1p(gain - delta * (2.0L + gain)));
        const double got = composed_pure_dp_epsilon(s, 1, delta);
        CHECK_MESSAGE(covers(got, reference), show({{"s", s}, {"delta", delta}, {"got", got}}));
      }
    }
  }

  TEST_CASE("the optimal composition of a billion steps") {
    // Exact sums of binomial masses in 40 digits.
    CHECK(covers(composed_pure_dp_epsilon(2e-6, 1'000'000'000, 1e-5), 0.2068046254112952));
    CHECK(covers(composed_pure_dp_epsilon(2.0 / 3e4, 1'000'000'000, 1e-3), 8.12668277967297));
    CHECK(covers(composed_pure_dp_epsilon(2e-4, 100'000'000, 1e-12), 15.64112486403376));
  }

  TEST_CASE("the optimal composition grows with the steps and with 1 / delta") {
    double previous = 0.0;
    for (std::int64_t steps = 1; steps <= 400; ++steps) {
      const double epsilon = composed_pure_dp_epsilon(0.1, steps, 1e-5);
      CHECK_MESSAGE(epsilon > previous, steps);
      CHECK_MESSAGE(composed_pure_dp_epsilon(0.1, steps, 1e-6) > epsilon, steps);
      previous = epsilon;
    }
  }

  TEST_CASE("the optimal composition at the ends of its domain") {
    CHECK(covers(composed_pure_dp_epsilon(0.1, 100, 0.0), 10.0));
    // delta is too small to help, and the product of the steps' costs is rounded up.
    CHECK(covers(composed_pure_dp_epsilon(0.3, 3, 1e-300), 0.9));
    CHECK(composed_pure_dp_epsilon(0.1, 0, 1e-5) == 0.0);
    CHECK(composed_pure_dp_epsilon(0.0, 100, 1e-5) == 0.0);
    CHECK(composed_pure_dp_epsilon(0.001, 10, 0.5) == 0.0);
    // More steps than doubles count: nothing is gained, and nothing lost.
    CHECK(composed_pure_dp_epsilon(0.2, std::numeric_limits<std::int64_t>::max(), 1e-5) > 1.8e18);
    CHECK(composed_pure_dp_epsilon(0.1, 100, 1e-300) > 9.99);
    for (const double step : {-0.1, kNaN, kInfinity}) {
      CHECK_THROWS_AS(static_cast<void>(composed_pure_dp_epsilon(step, 5, 1e-5)), parameter_error);
    }
    for (const double delta : {-0.1, 1.0, kNaN}) {
      CHECK_THROWS_AS(static_cast<void>(composed_pure_dp_epsilon(0.1, 5, delta)), parameter_error);
    }
    CHECK_THROWS_AS(static_cast<void>(composed_pure_dp_epsilon(0.1, -1, 1e-5)), parameter_error);
  }
}
