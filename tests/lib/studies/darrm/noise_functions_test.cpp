#include "pate/studies/darrm/noise_functions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

using namespace pate;

namespace {

void check_values(const std::vector<double>& got, const std::vector<double>& expected,
                  double accuracy) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i] == doctest::Approx(expected[i]).epsilon(accuracy));
  }
}

}  // namespace

TEST_CASE("laws of the number of ones") {
  check_values(ones_distribution<double>(std::vector{0.2, 0.55, 0.9}), {0.036, 0.377, 0.488, 0.099},
               1e-14);
  check_values(binomial_law(4, 0.25), {0.31640625, 0.421875, 0.2109375, 0.046875, 0.00390625},
               1e-15);
  CHECK(signed_value(std::vector{0.4, 0.8}, 3, 1) == -0.4);
  CHECK(signed_value(std::vector{0.4, 0.8}, 4, 2) == 0.0);
  CHECK_THROWS_AS((void)binomial_law(4, 1.5), parameter_error);
}

TEST_CASE("subsampling: reference values, and an even subsample is one fewer") {
  const std::vector<double> three{
      0.1515151515152, 0.4424242424242, 0.6969696969697, 0.8909090909091, 1.0, 1.0};
  check_values(subsampling_gamma(11, 3), three, 1e-12);
  check_values(subsampling_gamma(11, 4), three, 1e-12);
  check_values(subsampling_gamma(11, double_subsample(11, 3.0)),
               {0.2164502164502, 0.6060606060606, 0.8787878787879, 1.0, 1.0, 1.0}, 1e-12);
  CHECK(double_subsample(11, 3.9) == 5);
  CHECK(double_subsample(11, 8.0) == 11);
  CHECK(double_subsample(10, 8.0) == 9);
  CHECK(subsampling_gamma(11, 11) == std::vector<double>(6, 1.0));
  CHECK_THROWS_AS((void)subsampling_gamma(11, 12), parameter_error);
}

TEST_CASE("constants") {
  const double delta = 1.0 - std::pow(1.0 - 1e-5, 3);
  const double all = 1.0 - std::pow(1.0 - 1e-5, 11);
  CHECK(published_constant({0.3, 0.0}, {1.1, 0.0}) ==
        doctest::Approx(0.2974605825992).epsilon(1e-12));
  CHECK(published_constant({0.3, delta}, {1.1, all}) ==
        doctest::Approx(0.2974789428801).epsilon(1e-11));
  CHECK(best_constant({11, 0.1, 0.0, 11}, {0.3, 0.0}) ==
        doctest::Approx(0.8719862444089).epsilon(1e-12));
  CHECK(best_constant({11, 0.1, 0.0, 11}, {0.7, 0.0}) == doctest::Approx(1.0).epsilon(1e-12));
}

TEST_CASE("one vote that changes") {
  check_values(one_vote_gamma(5, {0.3, 0.0}), {0.1488850336233, 0.3694785250132, 0.5328982027987},
               1e-10);
  check_values(one_vote_gamma(5, {0.3, 0.01}), {0.1573961832871, 0.3906001041767, 0.5633618179062},
               1e-10);
  // Of every two neighbouring numbers of votes, both answers, both directions.
  for (const std::int64_t all : {1, 2, 5, 6, 40, 101}) {
    for (const double delta : {0.0, 1e-3, 0.3}) {
      for (const double epsilon : {1e-7, 0.01, 0.3, 3.0}) {
        const auto gamma = one_vote_gamma(all, {epsilon, delta});
        const long double factor = std::exp(static_cast<long double>(epsilon));
        bool holds = true;
        for (std::int64_t l = 0; l < all; ++l) {
          const long double a = (1.0L + signed_value(gamma, all, l)) / 2;
          const long double b = (1.0L + signed_value(gamma, all, l + 1)) / 2;
          holds = holds && b <= factor * a + delta && a <= factor * b + delta &&
                  1 - a <= factor * (1 - b) + delta && 1 - b <= factor * (1 - a) + delta;
        }
        CAPTURE(all);
        CAPTURE(delta);
        CAPTURE(epsilon);
        CHECK(holds);
      }
    }
  }
}

TEST_CASE("several votes that change") {
  // The target itself for one, and of the pure one a part for each vote.
  CHECK(target_of_one_vote({0.3, 0.01}, 1).epsilon == 0.3);
  CHECK(target_of_one_vote({0.3, 0.01}, 1).delta == 0.01);
  CHECK(target_of_one_vote({0.6, 0.0}, 3).epsilon == doctest::Approx(0.2).epsilon(1e-12));
  // Of any two numbers of votes that far apart, both answers; with one vote less it is attained.
  std::int64_t pairs = 0;
  for (const std::int64_t all : {2, 5, 6, 41}) {
    for (const std::int64_t votes : {2, 3, 5}) {
      if (votes > all) continue;
      for (const double delta : {0.0, 1e-3, 0.3}) {
        for (const double epsilon : {0.01, 0.3, 3.0}) {
          const auto gamma = one_vote_gamma(all, target_of_one_vote({epsilon, delta}, votes));
          const long double factor = std::exp(static_cast<long double>(epsilon));
          long double largest = 0.0L;  // of what delta must be
          for (std::int64_t l = 0; l <= all; ++l) {
            for (std::int64_t k = std::max<std::int64_t>(l - votes, 0);
                 k <= std::min(l + votes, all); ++k) {
              const long double a = (1.0L + signed_value(gamma, all, l)) / 2;
              const long double b = (1.0L + signed_value(gamma, all, k)) / 2;
              largest = std::max({largest, a - factor * b, (1 - a) - factor * (1 - b)});
              ++pairs;
            }
          }
          CAPTURE(all);
          CAPTURE(votes);
          CAPTURE(delta);
          CAPTURE(epsilon);
          CHECK(largest <= static_cast<long double>(delta));
          if (delta == 1e-3 && epsilon == 0.3 && all == 41) CHECK(largest > 0.9L * 1e-3L);
        }
      }
    }
  }
  CHECK(pairs > 3000);
}

TEST_CASE("weights") {
  check_values(published_weights(11, 0.75),
               {0.05353260040283, 0.1656961441040, 0.2570414543152, 0.2579855918884,
                0.1548542976379, 0.04223489761353},
               1e-12);
  check_values(published_weights(11, 0.95),
               {0.0001005431605664, 0.001440110683301, 0.01368304086929, 0.08665929374019,
                0.3293053165801, 0.5688000922765},
               1e-12);
  check_values(total_variation_weights(11),
               {0.07658552555258, 0.1540843332603, 0.1144857056718, 0.04607217760801,
                0.01007255923335, 0.0009525426497488},
               1e-11);
  CHECK(uniform_weights(6).front() == 2.0 / 7.0);
  // With the law of the votes as weights, half of 1 + the objective is the agreement.
  const auto gamma = subsampling_gamma(11, 5);
  for (const double p : {0.5, 0.75, 0.9}) {
    const auto weights = binomial_weights(11, p);
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * gamma[i];
    CHECK(agreement(gamma, 11, p) == doctest::Approx((1.0 + sum) / 2.0).epsilon(1e-13));
  }
}

TEST_CASE("agreements and errors of the baselines, K = 11, m = 3") {
  const std::vector<std::vector<double>> gammas{
      subsampling_gamma(11, 3), subsampling_gamma(11, 5),
      std::vector<double>(6, published_constant({0.3, 0.0}, {1.1, 0.0})),
      std::vector<double>(6, best_constant({11, 0.1, 0.0, 11}, {0.3, 0.0}))};
  CHECK(agreement(gammas[0], 11, 0.5) == doctest::Approx(0.6914).epsilon(1e-4));
  CHECK(agreement(gammas[0], 11, 0.9) == doctest::Approx(0.9721).epsilon(1e-4));
  CHECK(agreement(gammas[1], 11, 0.75) == doctest::Approx(0.9072).epsilon(1e-4));
  CHECK(agreement(gammas[2], 11, 0.9) == doctest::Approx(0.6487).epsilon(1e-4));
  CHECK(agreement(gammas[3], 11, 0.5) == doctest::Approx(0.9360).epsilon(1e-4));
  const std::vector<double> expected{0.095343, 0.067331, 0.141315, 0.025750};
  const auto errors = mean_errors(gammas, 11, 20000);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(errors[i].standard_error < 2e-5);
    CHECK(std::abs(errors[i].mean - expected[i]) < 6.0 * errors[i].standard_error + 1e-6);
  }
}

TEST_CASE("the agreement weights are a mean of binomial ones") {
  for (const std::int64_t teachers : {1, 2, 11, 40}) {
    const auto got = agreement_weights(teachers);
    for (std::size_t i = 0; i < got.size(); ++i) {
      double expected = 0.0;
      for (const double mu : {0.75, 0.9, 0.99}) {
        expected += binomial_weights(teachers, mu)[i] / 3.0;
      }
      CHECK(got[i] == doctest::Approx(expected).epsilon(1e-14));
    }
  }
}

TEST_CASE("double subsampling of unequal teachers needs the delta of m teachers alone") {
  for (std::int64_t teachers = 5; teachers <= 15; ++teachers) {
    for (std::int64_t m = 1; 2 * m - 1 <= teachers; ++m) {
      for (const double epsilon : {0.1, 1.0}) {
        for (const double delta : {1e-5, 1e-2}) {
          CAPTURE(teachers);
          CAPTURE(m);
          const AnswerTarget target{static_cast<double>(m) * epsilon,
                                    -std::expm1(static_cast<double>(m) * std::log1p(-delta))};
          const auto certificate =
              WorstCase({teachers, epsilon, delta, teachers}, target, true)
                  .certify(subsampling_gamma(teachers,
                                             double_subsample(teachers, static_cast<double>(m))));
          CHECK(certificate.worst <= certificate.bound * (1.0 + 1e-12));
        }
      }
    }
  }
}
