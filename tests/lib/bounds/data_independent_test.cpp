#include "pate/bounds/data_independent.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/bounds/margin.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("bounds") {
  TEST_CASE("two Laplace mechanisms against the oracle") {
    for (const OracleRow& row : oracle("laplace_data_independent")) {
      const double got =
          laplace_noisy_max_data_independent(row.number("gamma"), row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), " got ", got);
    }
  }

  TEST_CASE("data-independent Gaussian costs are the formulas") {
    Random random(201);
    for (int i = 0; i < 1000; ++i) {
      const double sigma = random.log_uniform(0.1, 1e7);
      const double order = 1.0 + random.log_uniform(0.01, 1e4);
      const auto s = static_cast<long double>(sigma);
      CHECK(covers(gaussian_noisy_max_data_independent(sigma, order),
                   static_cast<double>(order / (s * s))));
      CHECK(covers(threshold_data_independent(sigma, order),
                   static_cast<double>(order / (2.0L * s * s))));
    }
    CHECK(covers(gaussian_noisy_max_data_independent(1e160, 2.0), 0.0));  // below e-300
    CHECK(covers(threshold_data_independent(1e160, 2.0), 0.0));
  }

  TEST_CASE("two Laplace mechanisms in the limits of little and of much noise") {
    for (const double order : {1.01, 2.0, 30.0, 1000.0}) {
      // Little privacy loss: order gamma^2 to first order in order gamma.
      const double gamma = 1e-9 / order;
      CHECK(relative_error(laplace_noisy_max_data_independent(gamma, order),
                           order * gamma * gamma) < 1e-8);
      // Much: the first term alone, on both sides of where the exponentials overflow.
      for (const double up : {100.0, 699.0, 701.0, 1e5}) {
        const double large = up / (order - 1.0);
        const double expected =
            2.0 * large + 2.0 * std::log(order / (2.0 * order - 1.0)) / (order - 1.0);
        CHECK_MESSAGE(
            covers(laplace_noisy_max_data_independent(large, order), expected * (1.0 - 1e-14)),
            show({{"gamma", large}, {"order", order}}));
      }
    }
  }

  TEST_CASE("two Laplace mechanisms cost less than S17's bounds and more at higher orders") {
    Random random(202);
    for (int i = 0; i < 500; ++i) {
      const double gamma = random.log_uniform(1e-6, 10.0);
      double previous = 0.0;
      for (const double order : default_orders()) {
        const double cost = laplace_noisy_max_data_independent(gamma, order);
        CHECK(cost <= std::min(2.0 * gamma * gamma * order, 2.0 * gamma) * (1.0 + 1e-9));
        CHECK_MESSAGE(cost >= previous * (1.0 - 1e-13), show({{"gamma", gamma}, {"order", order}}));
        previous = cost;
      }
    }
    CHECK(relative_error(laplace_noisy_max_data_independent(0.05, 9.0), 0.0215) < 0.01);
  }

  TEST_CASE("the margin is outward and never zero") {
    CHECK(with_margin(1.0) > 1.0);
    CHECK(with_margin(1.0) <= 1.0 + 1e-9);
    CHECK(with_margin(0.0) == 1e-300);
    CHECK(with_margin(1e-310) == 1e-300);
    CHECK(with_margin(kInfinity) == kInfinity);
  }
}
