#include "pate/mechanisms/outcomes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("mechanisms") {
  TEST_CASE("outcome probabilities against the oracle") {
    for (const OracleRow& row : oracle("outcomes")) {
      const std::vector<double> expected = row.numbers("pr");
      for (std::size_t j = 0; j < expected.size(); ++j) {
        const double got =
            outcome_probability(GaussianNoisyMax{row.number("sigma")}, row.counts("n"), j);
        CHECK_MESSAGE(probability_error(got, expected[j]) < 1e-12, row.text(), j);
      }
    }
    for (const OracleRow& row : oracle("outcomes_laplace")) {
      const std::vector<double> expected = row.numbers("pr");
      for (std::size_t j = 0; j < expected.size(); ++j) {
        const double got =
            outcome_probability(LaplaceNoisyMax{1.0 / row.number("gamma")}, row.counts("n"), j);
        CHECK_MESSAGE(probability_error(got, expected[j]) < 1e-10, row.text(), j);
      }
    }
  }

  TEST_CASE("outcome probabilities against another quadrature") {
    Random random(141);
    for (int i = 0; i < 150; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 60), random.integer(2, 6));
      const double noise =
          random.log_uniform(1.0, 100.0) * std::sqrt(static_cast<double>(i % 7 + 1));
      const Probabilities gaussian = gaussian_outcomes(counts, noise);
      const Probabilities laplace = laplace_outcomes(counts, noise);
      for (std::size_t j = 0; j < counts.size(); ++j) {
        const std::string at =
            show({{"noise", noise}, {"trial", i}, {"class", static_cast<double>(j)}});
        if (gaussian[j] > 1e-20L) {  // the range of the test's rule
          CHECK_MESSAGE(relative_error(outcome_probability(GaussianNoisyMax{noise}, counts, j),
                                       static_cast<double>(gaussian[j])) < 1e-11,
                        at);
        }
        CHECK_MESSAGE(relative_error(outcome_probability(LaplaceNoisyMax{noise}, counts, j),
                                     static_cast<double>(laplace[j])) < 1e-10,
                      at);
      }
    }
  }

  TEST_CASE("of two classes the outcome is that of a pair, as far out as doubles reach") {
    for (const std::int32_t gap : {0, 1, 7, 20, 33, 46, 53}) {
      CAPTURE(gap);
      const Counts counts{gap, 0};
      const auto g = static_cast<double>(gap);
      const double gaussian = std::exp(log_pair_probability(GaussianNoisyMax{1.0}, gap));
      CHECK(relative_error(outcome_probability(GaussianNoisyMax{1.0}, counts, 1), gaussian) <
            1e-11);
      CHECK(relative_error(outcome_probability(GaussianNoisyMax{1.0}, counts, 0), 1.0 - gaussian) <
            1e-14);
      for (const double scale : {0.1, 0.2, 1.0}) {  // gaps up to 530 scales
        const double laplace = 0.25 * (2.0 + g / scale) * std::exp(-g / scale);
        CHECK(relative_error(outcome_probability(LaplaceNoisyMax{scale}, counts, 1), laplace) <
              1e-10);
      }
    }
  }

  TEST_CASE("a winner is one of the classes") {
    CHECK_THROWS_AS((void)outcome_probability(GaussianNoisyMax{2.0}, Counts{2, 5, 5}, 3),
                    parameter_error);
  }

  TEST_CASE("outcome probabilities add up to one and ties are fair") {
    const Counts counts{30, 28, 28, 5, 0, 0, 0};
    double gaussian = 0.0;
    double laplace = 0.0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
      gaussian += outcome_probability(GaussianNoisyMax{6.0}, counts, j);
      laplace += outcome_probability(LaplaceNoisyMax{6.0}, counts, j);
    }
    CHECK(std::abs(gaussian - 1.0) < 1e-12);
    CHECK(std::abs(laplace - 1.0) < 1e-10);
    const Counts tie{7, 7, 7, 7};
    for (std::size_t j = 0; j < 4; ++j) {
      CHECK(relative_error(outcome_probability(GaussianNoisyMax{2.0}, tie, j), 0.25) < 1e-12);
      CHECK(relative_error(outcome_probability(LaplaceNoisyMax{2.0}, tie, j), 0.25) < 1e-10);
    }
  }

  TEST_CASE("with noise far above the counts outcomes add up to one, and lie beside equal ones") {
    pate_test::Random random(17);
    for (int turn = 0; turn < 40; ++turn) {
      Counts counts;
      const std::int64_t classes = random.integer(2, 40);
      for (std::int64_t j = 0; j < classes; ++j) {
        counts.push_back(static_cast<std::int32_t>(random.integer(0, 300)));
      }
      const double scale = random.log_uniform(50.0, 1e7);
      CAPTURE(scale);
      CAPTURE(classes);
      double sum = 0.0;
      for (std::size_t j = 0; j < counts.size(); ++j) {
        const double probability = outcome_probability(LaplaceNoisyMax{scale}, counts, j);
        sum += probability;
        // Counts that differ by d change a probability by at most e^(2 d/scale).
        const double even = 1.0 / static_cast<double>(classes);
        CHECK(std::abs(std::log(probability / even)) <= 2.0 * 300.0 / scale + 1e-10);
      }
      CHECK(std::abs(sum - 1.0) < 1e-11);
    }
  }

  TEST_CASE("classes without a vote that are left out change no bit") {
    Random random(31);
    for (int i = 0; i < 100; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 40), random.integer(1, 6));
      const auto zeros = static_cast<std::size_t>(random.integer(0, 9));
      Counts all = counts;
      all.resize(counts.size() + zeros, 0);
      const double noise = random.log_uniform(0.5, 50.0);
      for (std::size_t j = 0; j < counts.size(); ++j) {
        CHECK(outcome_probability(GaussianNoisyMax{noise}, counts, j, zeros) ==
              outcome_probability(GaussianNoisyMax{noise}, all, j));
        CHECK(outcome_probability(NoisyMax{LaplaceNoisyMax{noise}}, counts, j, zeros) ==
              outcome_probability(LaplaceNoisyMax{noise}, all, j));
      }
    }
  }

  TEST_CASE("outcome probabilities of two classes in closed form down to underflow") {
    for (const std::int32_t gap : {0, 1, 10, 50, 150}) {
      const Counts counts{gap, 0};
      const double sigma = 4.0;
      const auto tail = 0.5L * std::erfc(static_cast<long double>(gap) / (2.0L * 4.0L));
      CHECK_MESSAGE(relative_error(outcome_probability(GaussianNoisyMax{sigma}, counts, 1),
                                   static_cast<double>(tail)) < 1e-12,
                    gap);
      const auto g = static_cast<long double>(gap) / 4.0L;
      CHECK_MESSAGE(relative_error(outcome_probability(LaplaceNoisyMax{4.0}, counts, 1),
                                   static_cast<double>((2.0L + g) / 4.0L * std::exp(-g))) < 1e-10,
                    gap);
    }
    CHECK(outcome_probability(GaussianNoisyMax{0.1}, Counts{1000, 0}, 1) == 0.0);
    const double certain = outcome_probability(GaussianNoisyMax{0.1}, Counts{1000, 0}, 0);
    CHECK(relative_error(certain, 1.0) < 1e-12);
    CHECK(certain <= 1.0);
  }

  TEST_CASE("outcome probabilities of one class and of bad requests") {
    CHECK(outcome_probability(GaussianNoisyMax{4.0}, Counts{9}, 0) == 1.0);
    CHECK(outcome_probability(LaplaceNoisyMax{4.0}, Counts{9}, 0) == 1.0);
    CHECK_THROWS_AS(static_cast<void>(outcome_probability(GaussianNoisyMax{4.0}, Counts{9, 1}, 2)),
                    parameter_error);
    CHECK_THROWS_AS(static_cast<void>(outcome_probability(LaplaceNoisyMax{4.0}, Counts{9, 1}, 2)),
                    parameter_error);
    CHECK_THROWS_AS(static_cast<void>(outcome_probability(GaussianNoisyMax{0.0}, Counts{9, 1}, 0)),
                    parameter_error);
    CHECK_THROWS_AS(static_cast<void>(outcome_probability(LaplaceNoisyMax{kNaN}, Counts{9, 1}, 0)),
                    parameter_error);
  }

  TEST_CASE("outcome probabilities under noise far below a vote") {
    for (const double noise : {1e-90, 1e-20, 1e-3}) {
      CAPTURE(noise);
      for (const Counts& counts : {Counts{100, 60}, Counts{60, 0, 100, 100}}) {
        const auto top = *std::max_element(counts.begin(), counts.end());
        const auto tied = static_cast<double>(std::count(counts.begin(), counts.end(), top));
        for (std::size_t j = 0; j < counts.size(); ++j) {
          const double expected = counts[j] == top ? 1.0 / tied : 0.0;
          CHECK(outcome_probability(GaussianNoisyMax{noise}, counts, j) ==
                doctest::Approx(expected).epsilon(1e-12));
          CHECK(outcome_probability(LaplaceNoisyMax{noise}, counts, j) ==
                doctest::Approx(expected).epsilon(1e-10));
        }
      }
    }
  }
}
