#include "pate/release/smooth/release_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// The divergence of N(f + k s S, (s S)^2) from N(f' + k s S', (s S')^2) at f - f' = `change` S'.
long double divergence(double order, double sigma, double k, long double x, long double change) {
  const auto lambda = static_cast<long double>(order);
  const auto s = static_cast<long double>(sigma);
  const long double y = lambda - (lambda - 1.0L) * x * x;
  const long double means = change + static_cast<long double>(k) * s * (x - 1.0L);
  return lambda * means * means / (2.0L * s * s * y) - std::log(x) -
         std::log(y) / (2.0L * (lambda - 1.0L));
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("release costs against the oracle") {
    for (const OracleRow& row : oracle("release_cost")) {
      const double cost = release_cost(row.number("lambda"), row.number("beta"),
                                       row.number("sigma_ss"), row.number("k"));
      CHECK_MESSAGE(covers(cost, row.number("cost")), row.text(), show({{"got", cost}}));
    }
  }

  TEST_CASE("no pair of sensitivities that neighbours can have costs more, and one costs as much") {
    Random random(421);
    for (int i = 0; i < 2000; ++i) {
      const double order = 1.0 + random.log_uniform(0.05, 100.0);
      const double beta = random.uniform(0.001, 0.97) * largest_beta(order);
      const double sigma = random.log_uniform(0.1, 200.0);
      const double k = random.integer(0, 2) == 0 ? 0.0 : random.log_uniform(0.01, 8.0);
      const double cost = release_cost(order, beta, sigma, k);
      long double largest = 0.0L;
      for (int j = -60; j <= 60; ++j) {
        const long double x = std::exp(static_cast<long double>(beta) * j / 60.0L);
        for (const long double share : {-1.0L, -0.5L, 0.0L, 0.7L, 1.0L}) {
          largest = std::max(largest, divergence(order, sigma, k, x, share * std::min(x, 1.0L)));
        }
      }
      CHECK_MESSAGE(covers(cost, static_cast<double>(largest)),
                    show({{"order", order}, {"beta", beta}, {"sigma", sigma}, {"k", k}}));
    }
  }

  TEST_CASE("the release cost is infinite from the largest beta on") {
    for (const double order : {1.01, 2.0, 14.0, 300.0}) {
      const double most = largest_beta(order);
      CHECK(std::isfinite(release_cost(order, most * 0.999999, 5.0, 2.0)));
      CHECK(release_cost(order, most * 1.000001, 5.0, 2.0) == kInfinity);
      CHECK(release_cost(order, 1e-9, 5.0, 0.0) >= order / 50.0);
      CHECK(release_cost(order, 1e-9, 5.0, 0.0) <= order / 50.0 * (1.0 + 1e-6));
    }
  }
}
