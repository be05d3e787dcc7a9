#include "pate/divergence/rdp/pure_rdp.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/random.hpp"

using namespace pate;

TEST_CASE("pure RDP: that of the randomized response, at most epsilon, and rising with the order") {
  pate_test::Random random(5);
  for (int n = 0; n < 400; ++n) {
    const double epsilon = random.log_uniform(1e-6, 60.0);
    const double order = 1.0 + random.log_uniform(1e-3, 300.0);
    CAPTURE(epsilon);
    CAPTURE(order);
    const long double x = epsilon;
    const long double a = order;
    // Both outcomes of p and 1 - p against 1 - p and p, p = 1 / (1 + e^-x).
    const long double log_p = -std::log1p(std::exp(-x));
    const long double log_other = log_p - x;
    const long double moment = log_p * a + log_other * (1.0L - a);
    const long double other = log_other * a + log_p * (1.0L - a);
    const long double most = std::max(moment, other);
    const long double reference =
        (most + std::log(std::exp(moment - most) + std::exp(other - most))) / (a - 1.0L);
    const double ours = pure_rdp(epsilon, order);
    CHECK(ours <= epsilon);
    CHECK(ours >= static_cast<double>(std::min(reference, x)) * (1.0 - 1e-9) - 1e-13);
    CHECK(ours <= static_cast<double>(reference) * (1.0 + 1e-8) + 1e-13 / (order - 1.0));
    CHECK(pure_rdp(epsilon, order * 1.5) >= ours * (1.0 - 1e-8));
  }
  CHECK(pure_rdp(0.0, 2.0) == 0.0);
}
