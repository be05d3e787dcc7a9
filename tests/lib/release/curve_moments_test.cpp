#include "pate/release/curve/curve_moments.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "pate/mechanisms/sampling/discrete_gaussian.hpp"

TEST_SUITE("release") {
  // Beyond it R is at most `span` above what it is at t, and at least that below where it is small.
  TEST_CASE("moments of a curve: what is not looked at is less than e^-90 of what is") {
    for (const double s : {2.0, 7.0, 30.0}) {
      const pate::DiscreteGaussian noise(s);
      for (const double a : {0.5, 3.0, 20.0}) {
        const pate::ComplexOrders orders{{0.25, a}, 0.1, 4, 0.0};
        for (const double span : {0.1, 2.0, 15.0}) {
          CAPTURE(s);
          CAPTURE(a);
          CAPTURE(span);
          const std::int64_t half = pate::CurveMoments::half_width(orders, noise, span);
          const double last = noise.log_probability(half + 1) - noise.log_probability(0) + a * span;
          CHECK(last < -90.0);
          // Not many times as far as it must be.
          CHECK(half < 2.0 * (s * std::sqrt(2.0 * (90.0 + a * span)) + a + 5.0));
          CHECK(pate::CurveMoments(orders, noise, span).half_width() == half);
        }
      }
    }
  }
}
