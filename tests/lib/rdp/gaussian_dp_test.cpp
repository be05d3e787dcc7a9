#include "pate/rdp/gaussian_dp.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "pate/error.hpp"
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
