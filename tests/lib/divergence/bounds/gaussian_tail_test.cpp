#include "pate/divergence/bounds/gaussian_tail.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "pate/numerics/log_space.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

/// The integral by Gauss's rule on short panels in long double.
double log_excess_reference(double x, double m, double order) {
  const auto k = static_cast<long double>(order);
  const auto shift = static_cast<long double>(m);
  const auto value = [=](long double y) {
    const long double l = shift * y - 0.5L * shift * shift;
    return std::exp(-0.5L * y * y) * (std::expm1(k * l) - k * std::expm1(l));
  };
  const auto start = static_cast<long double>(x);
  const long double last = std::max({start, shift * k, shift, 0.0L}) + 14.0L;
  const int panels = static_cast<int>((last - start) * (1.0L + 0.25L * std::abs(start))) + 1;
  const long double width = (last - start) / panels;
  long double sum = 0.0L;
  for (int i = 0; i < panels; ++i) {
    const long double left = start + i * width;
    sum += boost::math::quadrature::gauss<long double, 20>::integrate(value, left, left + width);
  }
  return static_cast<double>(std::log(sum) -
                             0.5L * std::log(2.0L * std::numbers::pi_v<long double>));
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the excess of a Gaussian tail against quadrature") {
    Random random(231);
    for (int i = 0; i < 400; ++i) {
      const double x = random.uniform(-9.0, 30.0);
      const double m = (i % 2 == 0 ? 1.0 : -1.0) * random.log_uniform(1e-4, 3.0);
      const double order = 1.0 + random.log_uniform(0.01, std::min(1000.0, 20.0 / std::abs(m)));
      const double expected = log_excess_reference(x, m, order);
      CHECK_MESSAGE(std::abs(log_gaussian_tail_excess(x, m, order) - expected) <
                        1e-11 + 1e-15 * std::abs(expected),
                    show({{"x", x}, {"m", m}, {"order", order}}));
    }
  }

  TEST_CASE("the whole line has the excess of two Gaussians") {
    for (const double m : {-2.0, -0.1, -1e-5, 1e-6, 0.035, 1.5}) {
      for (const double order : {1.01, 2.0, 17.5, 300.0}) {
        const double expected = log_expm1(0.5 * order * (order - 1.0) * m * m);
        for (const double edge : {-12.0, -20.0, -50.0}) {
          const double x = edge - order * std::abs(m);  // nothing is below it
          CHECK_MESSAGE(std::abs(log_gaussian_tail_excess(x, m, order) - expected) <
                            1e-11 * std::max(1.0, expected),
                        show({{"x", x}, {"m", m}, {"order", order}}));
        }
      }
    }
  }

  TEST_CASE("the excess of a Gaussian tail falls with its edge and rises with the order") {
    Random random(232);
    for (int i = 0; i < 1000; ++i) {
      const double x = random.uniform(-6.0, 60.0);
      const double m = (i % 2 == 0 ? 1.0 : -1.0) * random.log_uniform(1e-7, 20.0);
      const double order = 1.0 + random.log_uniform(0.01, 1e4);
      const double value = log_gaussian_tail_excess(x, m, order);
      const double noise = 1e-11 + 1e-15 * std::abs(value);
      CHECK_MESSAGE(log_gaussian_tail_excess(x + 0.01, m, order) <= value + noise,
                    show({{"x", x}, {"m", m}, {"order", order}}));
      CHECK_MESSAGE(log_gaussian_tail_excess(x, m, order * 1.01) >= value - noise,
                    show({{"x", x}, {"m", m}, {"order", order}}));
    }
  }

  TEST_CASE("the excess of a small shift is its square, far into the tail") {
    // g = order (order-1)/2 (m y)^2: Integral_x^inf phi y^2 = x phi(x) + (1 - Phi(x)), with m^2/2
    // gone.
    const double m = 1e-9;
    const double order = 3.0;
    const long double x = 2.0L;
    const long double tail = 0.5L * std::erfc(x / std::numbers::sqrt2_v<long double>);
    const long double density =
        std::exp(-0.5L * x * x) / std::sqrt(2.0L * std::numbers::pi_v<long double>);
    const double expected =
        static_cast<double>(std::log(3.0L * (x * density + tail))) + 2.0 * std::log(m);
    CHECK(relative_error(log_gaussian_tail_excess(2.0, m, order), expected) < 1e-10);
    CHECK(std::isfinite(log_gaussian_tail_excess(90.0, 0.035, 20.0)));
    CHECK(std::isfinite(log_gaussian_tail_excess(1e4, 1e-6, 1.01)));
    CHECK(std::isfinite(log_gaussian_tail_excess(-3.0, 28.0, 1e4)));
  }
}
