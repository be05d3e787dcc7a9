// What a query costs that a sample of the teachers answers, in Renyi divergence: against values of
// 30 digits, the binomial sum at whole orders, and numerical integrals of both directions.

#include "pate/divergence/bounds/sampled_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

// log of the sum over k of C(n, k) (1 - q)^(n - k) q^k e^((k^2 - k) mu^2 / 2).
long double log_binomial_moment(long double rate, long double mu, int order) {
  long double largest = -1e30L;
  std::vector<long double> terms;
  for (int k = 0; k <= order; ++k) {
    const long double choices =
        std::lgamma(order + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(order - k + 1.0L);
    terms.push_back(choices + static_cast<long double>(order - k) * std::log1p(-rate) +
                    static_cast<long double>(k) * std::log(rate) +
                    0.5L * static_cast<long double>(k * k - k) * mu * mu);
    largest = std::max(largest, terms.back());
  }
  long double sum = 0.0L;
  for (const long double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

// D_order of N(0, 1) and the mixture, the direction that costs less.
long double reverse_divergence(long double rate, long double mu, long double order) {
  constexpr long double kStep = 1.0L / 64.0L;
  long double sum = 0.0L;
  for (long double x = -40.0L; x <= 40.0L; x += kStep) {
    const long double density =
        std::exp(-0.5L * x * x) / std::sqrt(2.0L * std::numbers::pi_v<long double>);
    const long double ratio = std::log1p(rate * std::expm1(mu * x - 0.5L * mu * mu));
    sum += density * std::expm1((1.0L - order) * ratio) * kStep;
  }
  return std::log1p(sum) / (order - 1.0L);
}

struct Known {
  double rate, sigma, order, cost;
};

void check_known(std::span<const Known> all) {
  for (const Known& known : all) {
    CAPTURE(known.rate);
    CAPTURE(known.sigma);
    CAPTURE(known.order);
    const double cost = sampled_cost({known.rate, known.sigma, 0.0}, known.order);
    CHECK(cost >= known.cost);
    CHECK(cost <= known.cost * (1.0 + 1e-9));
  }
}

}  // namespace

TEST_SUITE("sampled teachers") {
  TEST_CASE("Renyi costs of the sampled Gaussian to 15 digits") {
    // mpmath at 30 digits: log1p(quad(npdf(x) ((1-q+q e^(mu x-mu^2/2))^a - 1 - a u))) / (a - 1).
    const Known all[] = {
        {0.1, 1.0, 1.01, 0.00734069959278531},   {0.1, 1.0, 2.0, 0.0170368632361766},
        {0.1, 1.0, 8.0, 1.37836141134813},       {0.01, 1.0, 1.5, 0.000127253743327424},
        {0.01, 1.0, 64.0, 27.3217318745518},     {0.3, 40.0, 1.5, 4.2196729148923e-5},
        {0.3, 40.0, 1000.0, 0.0325109965965373}, {0.5, 5.0, 64.0, 0.66339328189197}};
    check_known(all);
  }

  TEST_CASE("orders down to next to 1, against 60 digits") {
    // mpmath: the integral by 48 Gauss-Legendre panels.
    const Known all[] = {
        {0.01, 2.0, 1.0000000009313226, 0.000014157704844319874625},
        {0.01, 2.0, 1.0000009536743164, 0.000014157718374108823874},
        {0.01, 2.0, 1.0009765625, 0.000014171572919307070694},
        {0.01, 2.0, 1.01, 0.000014299717967440869697},
        {0.01, 2.0, 1.5, 0.000021269009358517086931},
        {0.01, 2.0, 1.999, 0.000028387850189901461239},
        {0.1, 40.0, 1.0000000009313226, 3.1257910943308482947e-6},
        {0.1, 40.0, 1.0000009536743164, 3.12579407257398899e-6},
        {0.1, 40.0, 1.0009765625, 3.1288437937176510494e-6},
        {0.1, 40.0, 1.01, 3.1570507788244675486e-6},
        {0.1, 40.0, 1.5, 4.6888185594716908066e-6},
        {0.1, 40.0, 1.999, 6.2488076699348395763e-6},
        {0.3, 100.0, 1.0000000009313226, 4.5001102532356354227e-6},
        {0.3, 100.0, 1.0000009536743164, 4.50011454077418496e-6},
        {0.3, 100.0, 1.0009765625, 4.504504980338951597e-6},
        {0.3, 100.0, 1.01, 4.5451123060274897241e-6},
        {0.3, 100.0, 1.5, 6.7502362525947893235e-6},
        {0.3, 100.0, 1.999, 8.9959091175142607488e-6},
        {0.5, 0.5, 1.0000000009313226, 0.66316918077901939527},
        {0.5, 0.5, 1.0000009536743164, 0.66317033252535345733},
        {0.5, 0.5, 1.0009765625, 0.66435051127817457821},
        {0.5, 0.5, 1.01, 0.6753411500921304282},
        {0.5, 0.5, 1.5, 1.4955908496765970344},
        {0.5, 0.5, 1.999, 2.6647660190763617582},
        {0.9, 3.0, 1.0000000009313226, 0.045025414593473246314},
        {0.9, 3.0, 1.0000009536743164, 0.045025457916202011196},
        {0.9, 3.0, 1.0009765625, 0.045069820808565141492},
        {0.9, 3.0, 1.01, 0.045480174219666273317},
        {0.9, 3.0, 1.5, 0.067869978169920124163},
        {0.9, 3.0, 1.999, 0.090881945118459600673},
    };
    check_known(all);
    // Costs rise with the order, also where formulas meet.
    Random random(4512);
    for (int i = 0; i < 300; ++i) {
      const SampledGaussian sampled{random.log_uniform(1e-4, 0.99), random.log_uniform(0.4, 200.0),
                                    0.0};
      const double order = i % 3 == 0 ? 2.0 : 1.0 + random.log_uniform(1e-12, 3.0);
      const double below = sampled_cost(sampled, std::max(order * (1.0 - 1e-12), 1.0 + 1e-15));
      const double cost = sampled_cost(sampled, order);
      CAPTURE(sampled.rate);
      CAPTURE(sampled.sigma2);
      CAPTURE(order);
      CHECK(cost >= below * (1.0 - 2e-9));
      CHECK(cost <= below * (1.0 + 2e-9));
    }
  }

  TEST_CASE("whole orders, with and without a check, and never more than without sampling") {
    Random random(4511);
    for (int i = 0; i < 200; ++i) {
      const bool check = i % 2 == 0;
      const SampledGaussian sampled{random.log_uniform(1e-3, 0.9), random.log_uniform(0.7, 60.0),
                                    check ? random.log_uniform(0.7, 60.0) : 0.0,
                                    i % 3 == 0 ? SampleOf::records : SampleOf::teachers};
      const int order = static_cast<int>(random.integer(2, 60));
      const long double mu =
          std::sqrt((i % 3 == 0 ? 2.0L : 1.0L) / sampled.sigma2 / sampled.sigma2 +
                    (check ? 1.0L / sampled.sigma1 / sampled.sigma1 : 0.0L));
      const auto expected =
          static_cast<double>(log_binomial_moment(sampled.rate, mu, order) / (order - 1.0L));
      const double cost = sampled_cost(sampled, order);
      CAPTURE(sampled.rate);
      CAPTURE(sampled.sigma2);
      CAPTURE(order);
      // The sum is near 1 where costs are small: its rounding is absolute.
      CHECK(cost >= expected - 1e-17);
      CHECK(cost <= expected * (1.0 + 2e-9) + 1e-15);
      CHECK(cost <= 0.5 * order * static_cast<double>(mu * mu) * (1.0 + 1e-9));
      CHECK(cost >= static_cast<double>(reverse_divergence(sampled.rate, mu, order)) - 1e-15);
    }
  }

  TEST_CASE("a sample that is none is refused") {
    CHECK_THROWS_AS(validate(SampledGaussian{0.0, 1.0, 0.0}), parameter_error);
    CHECK_THROWS_AS(validate(SampledGaussian{1.0, 1.0, 0.0}), parameter_error);
    CHECK_THROWS_AS(validate(SampledGaussian{std::nan(""), 1.0, 0.0}), parameter_error);
    CHECK_THROWS_AS(validate(SampledGaussian{0.5, 0.0, 0.0}), parameter_error);
    CHECK_THROWS_AS(validate(SampledGaussian{0.5, 1.0, -1.0}), parameter_error);
    CHECK_THROWS_AS(validate(SampledGaussian{0.5, 1.0, std::nan("")}), parameter_error);
    CHECK_NOTHROW(validate(SampledGaussian{0.5, 1.0, 2.0}));
  }
}
