#include "pate/bounds/published.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "pate/bounds/data_independent.hpp"
#include "pate/mechanisms/gaussian_noisy_max.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("bounds") {
  TEST_CASE("Theorem 6 against the oracle") {
    for (const OracleRow& row : oracle("rdp_gnmax")) {
      const double got = gaussian_noisy_max_published(row.number("log_q"), row.number("sigma"),
                                                      row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), show({{"got", got}}));
    }
  }

  TEST_CASE("Theorem 3 of LNMax against the oracle") {
    for (const OracleRow& row : oracle("rdp_lnmax")) {
      const double got = laplace_noisy_max_published(row.number("log_q"), row.number("gamma"),
                                                     row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), show({{"got", got}}));
    }
  }

  TEST_CASE("Theorem 6 gives the printed examples") {
    const GaussianNoisyMax mechanism{40.0};
    const auto cost = [&](std::vector<std::int32_t> counts, double order) {
      counts.resize(10);
      return gaussian_noisy_max_published(log_q(mechanism, counts), 40.0, order);
    };
    CHECK(relative_error(cost({200, 50}, 10.0), 1.78944e-3) < 1e-5);
    CHECK(relative_error(cost({200, 50}, 20.0), 2.90776e-3) < 1e-5);
    CHECK(relative_error(cost({240, 10}, 20.0), 1.17100e-4) < 1e-5);
    CHECK(cost({130, 120}, 10.0) == gaussian_noisy_max_data_independent(40.0, 10.0));
  }

  TEST_CASE("the published bound for many orders is the function at each") {
    Random random(211);
    for (int i = 0; i < 300; ++i) {
      const double sigma = random.log_uniform(1.0, 1000.0);
      const double log_q = -random.log_uniform(1e-3, 4000.0);
      const GaussianPublishedBound bound(log_q, sigma);
      for (const double order : default_orders()) {
        const double independent = gaussian_noisy_max_data_independent(sigma, order);
        const double cost = gaussian_noisy_max_published(log_q, sigma, order);
        CHECK(bound.cost(order, independent) == cost);
        CHECK(cost <= independent);
        CHECK(cost > 0.0);
      }
    }
  }

  TEST_CASE("the published threshold cost is Theorem 6 at sqrt 2 sigma1") {
    Random random(212);
    for (int i = 0; i < 300; ++i) {
      const double sigma1 = random.log_uniform(1.0, 1000.0);
      const double log_q = -random.log_uniform(0.7, 1000.0);
      const double order = 1.0 + random.log_uniform(0.1, 100.0);
      CHECK(threshold_published(log_q, sigma1, order) ==
            gaussian_noisy_max_published(log_q, std::numbers::sqrt2 * sigma1, order));
      CHECK(threshold_published(log_q, sigma1, order) <=
            threshold_data_independent(sigma1, order) * (1.0 + 1e-14));
    }
  }

  TEST_CASE("published costs at the ends of q") {
    CHECK(gaussian_noisy_max_published(-kInfinity, 40.0, 20.0) == 0.0);
    CHECK(laplace_noisy_max_published(-kInfinity, 0.05, 20.0) == 0.0);
    CHECK(gaussian_noisy_max_published(0.0, 40.0, 20.0) ==
          gaussian_noisy_max_data_independent(40.0, 20.0));
    CHECK(covers(laplace_noisy_max_published(0.0, 0.05, 9.0), 0.045));
    CHECK(covers(laplace_noisy_max_published(0.0, 0.05, 90.0), 0.1));
    CHECK(covers(gaussian_noisy_max_published(-1e6, 40.0, 20.0), 0.0));
    CHECK(covers(laplace_noisy_max_published(-1e6, 0.05, 20.0), 0.0));
    // Far beyond the largest order for which the theorem holds.
    CHECK(gaussian_noisy_max_published(-4.0, 40.0, 82.0) ==
          gaussian_noisy_max_data_independent(40.0, 82.0));
  }

  TEST_CASE("the published Laplace cost has S17's guard q <= 1 / (e^eps + 1)") {
    // At q = .45, eps = 1 and moment 3 the formula of S17 would come out negative.
    CHECK(covers(laplace_noisy_max_published(std::log(0.45), 0.5, 4.0), 1.0));
    Random random(213);
    for (int i = 0; i < 2000; ++i) {
      const double gamma = random.log_uniform(1e-4, 5.0);
      const double log_q = -random.log_uniform(0.1, 300.0);
      const double order = 1.0 + random.log_uniform(0.01, 1000.0);
      const double cost = laplace_noisy_max_published(log_q, gamma, order);
      CHECK(cost > 0.0);
      CHECK(cost <= std::min(2.0 * gamma * gamma * order, 2.0 * gamma) * (1.0 + 1e-9));
      CHECK_MESSAGE(laplace_noisy_max_published(log_q - 0.1, gamma, order) <= cost * (1.0 + 1e-12),
                    show({{"log_q", log_q}, {"gamma", gamma}, {"order", order}}));
    }
  }
}
