#include "pate/mechanisms/noisy_max.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

/// The union bound from its formula in long double, which reaches down to e^-11000.
double log_q_reference(const Counts& counts, double sigma) {
  const auto top = std::max_element(counts.begin(), counts.end());
  long double q = 0.0L;
  for (auto n = counts.begin(); n != counts.end(); ++n) {
    if (n != top) q += 0.5L * std::erfc((*top - *n) / (2.0L * static_cast<long double>(sigma)));
  }
  const long double cap = 1.0L - 1.0L / static_cast<long double>(counts.size());
  return static_cast<double>(q < cap ? std::log(q) : std::log(cap));
}

double laplace_log_q_reference(const Counts& counts, double scale) {
  const auto top = std::max_element(counts.begin(), counts.end());
  long double q = 0.0L;
  for (auto n = counts.begin(); n != counts.end(); ++n) {
    if (n == top) continue;
    const long double gap = (*top - *n) / static_cast<long double>(scale);
    q += (2.0L + gap) / 4.0L * std::exp(-gap);
  }
  const long double cap = 1.0L - 1.0L / static_cast<long double>(counts.size());
  return static_cast<double>(q < cap ? std::log(q) : std::log(cap));
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("require_positive accepts noise whose costs a double holds") {
    for (const double value : {1e-100, 0.5, 40.0, 1e15}) {
      CHECK_NOTHROW(require_positive(value, "sigma2"));
    }
    for (const double value : {9e-101, 1.1e15, 1e300, std::numeric_limits<double>::denorm_min()}) {
      CHECK_THROWS_AS(require_positive(value, "sigma2"), parameter_error);
    }
    CHECK_THROWS_WITH_AS(require_positive(1e-200, "sigma2"),
                         "sigma2 must be between 1e-100 and 1e+15, got 1e-200", parameter_error);
  }

  TEST_CASE("require_positive names the parameter and the value") {
    CHECK_THROWS_WITH_AS(require_positive(0.0, "sigma2"), "sigma2 must be > 0 and finite, got 0",
                         parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(-1.0, "sigma1"), "sigma1 must be > 0 and finite, got -1",
                         parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(kNaN, "laplace-scale"),
                         "laplace-scale must be > 0 and finite, got nan", parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(kInfinity, "x"), "x must be > 0 and finite, got inf",
                         parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(-kInfinity, "x"), "x must be > 0 and finite, got -inf",
                         parameter_error);
  }

  TEST_CASE("Gaussian log_q against the oracle") {
    for (const OracleRow& row : oracle("gnmax_log_q")) {
      const double got = log_q(GaussianNoisyMax{row.number("sigma")}, row.counts("n"));
      CHECK_MESSAGE(relative_error(got, row.number("log_q")) < 1e-12, row.text());
    }
  }

  TEST_CASE("Gaussian log_q against long double down to e^-4000") {
    Random random(101);
    double lowest = 0.0;
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t teachers = random.integer(1, 5000);
      const Counts counts = random_histogram(random, teachers, random.integer(2, 80));
      const double sigma =
          static_cast<double>(teachers) / random.log_uniform(0.1, 2.0 * std::sqrt(4000.0));
      const double got = log_q(GaussianNoisyMax{sigma}, counts);
      CHECK_MESSAGE(relative_error(got, log_q_reference(counts, sigma)) < 1e-12,
                    show({{"sigma", sigma}, {"classes", static_cast<double>(counts.size())}}));
      lowest = std::min(lowest, got);
    }
    CHECK(lowest < -3000.0);
  }

  TEST_CASE("Gaussian log_q is the same number for every order of the classes") {
    Random random(102);
    for (int i = 0; i < 500; ++i) {
      Counts counts = random_histogram(random, random.integer(1, 300), random.integer(2, 100));
      const GaussianNoisyMax mechanism{random.log_uniform(0.5, 100.0)};
      const double value = log_q(mechanism, counts);
      for (int k = 0; k < 4; ++k) {
        std::shuffle(counts.begin(), counts.end(), random.engine());
        CHECK(log_q(mechanism, counts) == value);
      }
    }
  }

  TEST_CASE("Gaussian log_q is above the true probability and exact for two classes") {
    Random random(103);
    for (int i = 0; i < 200; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 30), random.integer(2, 5));
      const double sigma = random.log_uniform(1.0, 30.0);
      const auto top = std::max_element(counts.begin(), counts.end()) - counts.begin();
      const Probabilities p = gaussian_outcomes(counts, sigma);
      long double wrong = 0.0L;
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (j != static_cast<std::size_t>(top)) wrong += p[j];
      }
      const double bound = std::exp(log_q(GaussianNoisyMax{sigma}, counts));
      CHECK(bound >= static_cast<double>(wrong) * (1.0 - 1e-12));
      if (counts.size() == 2) CHECK(relative_error(bound, static_cast<double>(wrong)) < 1e-12);
    }
  }

  TEST_CASE("Gaussian log_q at its cap and for one class") {
    CHECK(relative_error(log_q(GaussianNoisyMax{40.0}, Counts{25, 25, 25, 25}), std::log1p(-0.25)) <
          1e-15);
    CHECK(relative_error(log_q(GaussianNoisyMax{1e6}, Counts{250, 0, 0}), std::log1p(-1.0 / 3.0)) <
          1e-15);
    CHECK(relative_error(log_q(GaussianNoisyMax{40.0}, Counts{0, 0}), std::log1p(-0.5)) < 1e-15);
    CHECK(log_q(GaussianNoisyMax{40.0}, Counts{250}) == -kInfinity);
    CHECK(log_q(GaussianNoisyMax{40.0}, Counts{0}) == -kInfinity);
  }

  TEST_CASE("Gaussian pair probability is one half at a tie and falls with the gap") {
    const GaussianNoisyMax mechanism{7.0};
    CHECK(relative_error(log_pair_probability(mechanism, 0), std::log(0.5)) < 1e-15);
    for (std::int64_t gap = 1; gap < 2000; ++gap) {
      CHECK(log_pair_probability(mechanism, gap) < log_pair_probability(mechanism, gap - 1));
    }
    CHECK(relative_error(log_pair_probability(mechanism, 70),
                         static_cast<double>(std::log(0.5L * std::erfc(5.0L)))) < 1e-15);
  }

  TEST_CASE("Gaussian noise out of range is refused") {
    const Counts counts{3, 1};
    for (const double sigma : {0.0, -1.0, kNaN, kInfinity}) {
      CHECK_THROWS_AS(validate(GaussianNoisyMax{sigma}), parameter_error);
      CHECK_THROWS_AS(static_cast<void>(log_q(GaussianNoisyMax{sigma}, counts)), parameter_error);
    }
    CHECK_THROWS_WITH(validate(GaussianNoisyMax{-1.0}), "sigma2 must be > 0 and finite, got -1");
    CHECK_THROWS_WITH(validate(GaussianNoisyMax{kNaN}, "sigma"),
                      "sigma must be > 0 and finite, got nan");
    CHECK_THROWS_AS(static_cast<void>(log_q(GaussianNoisyMax{40.0}, Counts{})), parameter_error);
    CHECK_NOTHROW(validate(GaussianNoisyMax{40.0}));
  }

  TEST_CASE("Laplace log_q against the oracle") {
    for (const OracleRow& row : oracle("lnmax_log_q")) {
      const double got = log_q(LaplaceNoisyMax{1.0 / row.number("gamma")}, row.counts("n"));
      CHECK_MESSAGE(relative_error(got, row.number("log_q")) < 1e-12, row.text());
    }
  }

  TEST_CASE("Laplace log_q against long double down to e^-4000") {
    Random random(111);
    double lowest = 0.0;
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t teachers = random.integer(1, 5000);
      const Counts counts = random_histogram(random, teachers, random.integer(2, 80));
      const double scale = static_cast<double>(teachers) / random.log_uniform(0.1, 4500.0);
      const double got = log_q(LaplaceNoisyMax{scale}, counts);
      CHECK_MESSAGE(relative_error(got, laplace_log_q_reference(counts, scale)) < 1e-12,
                    show({{"scale", scale}, {"classes", static_cast<double>(counts.size())}}));
      lowest = std::min(lowest, got);
    }
    CHECK(lowest < -3000.0);
  }

  TEST_CASE("Laplace log_q is the same number for every order of the classes") {
    Random random(112);
    for (int i = 0; i < 500; ++i) {
      Counts counts = random_histogram(random, random.integer(1, 300), random.integer(2, 100));
      const LaplaceNoisyMax mechanism{random.log_uniform(0.1, 100.0)};
      const double value = log_q(mechanism, counts);
      for (int k = 0; k < 4; ++k) {
        std::shuffle(counts.begin(), counts.end(), random.engine());
        CHECK(log_q(mechanism, counts) == value);
      }
    }
  }

  TEST_CASE("Laplace log_q is above the true probability and exact for two classes") {
    Random random(113);
    for (int i = 0; i < 200; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 30), random.integer(2, 5));
      const double scale = random.log_uniform(1.0, 30.0);
      const auto top = std::max_element(counts.begin(), counts.end()) - counts.begin();
      const Probabilities p = laplace_outcomes(counts, scale);
      long double wrong = 0.0L;
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (j != static_cast<std::size_t>(top)) wrong += p[j];
      }
      const double bound = std::exp(log_q(LaplaceNoisyMax{scale}, counts));
      CHECK(bound >= static_cast<double>(wrong) * (1.0 - 1e-12));
      if (counts.size() == 2) CHECK(relative_error(bound, static_cast<double>(wrong)) < 1e-12);
    }
  }

  TEST_CASE("Laplace log_q at its cap and for one class") {
    CHECK(relative_error(log_q(LaplaceNoisyMax{20.0}, Counts{25, 25, 25, 25}), std::log1p(-0.25)) <
          1e-15);
    CHECK(relative_error(log_q(LaplaceNoisyMax{1e6}, Counts{250, 0, 0}), std::log1p(-1.0 / 3.0)) <
          1e-15);
    CHECK(log_q(LaplaceNoisyMax{20.0}, Counts{250}) == -kInfinity);
    CHECK(LaplaceNoisyMax{20.0}.gamma() == 0.05);
  }

  TEST_CASE("Laplace noise out of range is refused") {
    const Counts counts{3, 1};
    for (const double scale : {0.0, -1.0, kNaN, kInfinity}) {
      CHECK_THROWS_AS(validate(LaplaceNoisyMax{scale}), parameter_error);
      CHECK_THROWS_AS(static_cast<void>(log_q(LaplaceNoisyMax{scale}, counts)), parameter_error);
    }
    CHECK_THROWS_WITH(validate(LaplaceNoisyMax{0.0}),
                      "laplace-scale must be > 0 and finite, got 0");
    CHECK_THROWS_WITH(validate(LaplaceNoisyMax{kInfinity}, "scale"),
                      "scale must be > 0 and finite, got inf");
    CHECK_THROWS_AS(static_cast<void>(log_q(LaplaceNoisyMax{20.0}, Counts{})), parameter_error);
  }
}
