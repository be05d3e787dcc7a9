#include "pate/numerics/normal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

/// Phi in long double: down to 1e-4932 with relative accuracy.
long double cdf_reference(long double x) {
  return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<long double>);
}

double log_cdf_reference(double x) {
  return static_cast<double>(x > 0.0 ? std::log1p(-cdf_reference(-x)) : std::log(cdf_reference(x)));
}

}  // namespace

TEST_SUITE("math") {
  TEST_CASE("log_normal_cdf and mills_ratio against the oracle") {
    for (const OracleRow& row : oracle("log_cdf")) {
      CHECK_MESSAGE(relative_error(log_normal_cdf(row.number("x")), row.number("log_cdf")) < 1e-12,
                    row.text());
    }
    for (const OracleRow& row : oracle("mills")) {
      const double x = row.number("x");
      const double tolerance = x >= 0.0 ? 4.5e-16 : (4.0 + x * x) * 2e-16;
      CHECK_MESSAGE(relative_error(mills_ratio(x), row.number("mills")) < tolerance, row.text());
    }
  }

  TEST_CASE("log_normal_cdf against long double everywhere") {
    Random random(11);
    for (int i = 0; i < 5000; ++i) {
      const double x = random.uniform(-120.0, 38.0);
      // Above zero the logarithm is -Phi(-x), whose condition is x^2.
      const double tolerance = x <= 0.0 ? 2e-15 : (4.0 + x * x) * 3e-16;
      CHECK_MESSAGE(relative_error(log_normal_cdf(x), log_cdf_reference(x)) < tolerance,
                    show({{"x", x}}));
    }
  }

  TEST_CASE("normal_cdf has relative accuracy in the tail and sums to one") {
    Random random(12);
    for (int i = 0; i < 5000; ++i) {
      const double x = random.uniform(-37.0, 37.0);
      CHECK_MESSAGE(relative_error(normal_cdf(x), static_cast<double>(cdf_reference(x))) <
                        (4.0 + std::min(x, 0.0) * x) * 2e-16,
                    show({{"x", x}}));
      CHECK(std::abs(normal_cdf(x) + normal_cdf(-x) - 1.0) < 4e-16);
    }
    CHECK(relative_error(normal_cdf(0.0), 0.5) < 3e-16);
  }

  TEST_CASE("the normal functions at infinity and NaN") {
    CHECK(normal_cdf(-kInfinity) == 0.0);
    CHECK(normal_cdf(kInfinity) == 1.0);
    CHECK(log_normal_cdf(-kInfinity) == -kInfinity);
    CHECK(log_normal_cdf(kInfinity) == 0.0);
    CHECK(relative_error(log_normal_cdf(-1e150), -0.5e300) < 1e-15);
    CHECK(mills_ratio(kInfinity) == 0.0);
    CHECK(mills_ratio(-kInfinity) == kInfinity);
    CHECK(relative_error(mills_ratio(1e300), 1e-300) < 1e-15);
    CHECK(normal_interval(-kInfinity, kInfinity) == 1.0);
    CHECK(normal_interval(kInfinity, kInfinity) == 0.0);
    CHECK(relative_error(normal_interval(2.0, kInfinity), normal_cdf(-2.0)) < 1e-15);
    CHECK(log_normal_cdf_ratio(0.0, -kInfinity) == -kInfinity);
    CHECK(relative_error(log_normal_cdf_ratio(0.0, kInfinity), std::numbers::ln2) < 1e-15);
    CHECK(std::isnan(normal_cdf(kNaN)));
    CHECK(std::isnan(log_normal_cdf(kNaN)));
    CHECK(std::isnan(mills_ratio(kNaN)));
    CHECK(std::isnan(log_normal_cdf_ratio(kNaN, 1.0)));
    CHECK(std::isnan(log_normal_cdf_ratio(1.0, kNaN)));
    CHECK(std::isnan(normal_upper_quantile(kNaN)));
    CHECK(std::isnan(normal_interval(kNaN, 1.0)));
    CHECK(std::isnan(normal_interval(0.0, kNaN)));
  }

  TEST_CASE("normal_upper_quantile against the oracle") {
    for (const OracleRow& row : oracle("quantile")) {
      // The oracle's x has log Phi(x) = log_p.
      const double x = row.number("x");
      const double got = normal_upper_quantile(row.number("log_p"));
      if (std::abs(x) < 1e-6) {
        CHECK_MESSAGE(std::abs(got + x) < 1e-15, row.text());
      } else {
        CHECK_MESSAGE(relative_error(got, -x) < 1e-12, row.text());
      }
    }
  }

  TEST_CASE("normal_upper_quantile and log_normal_cdf undo each other") {
    Random random(13);
    for (int i = 0; i < 5000; ++i) {
      const double log_p = -random.log_uniform(1e-12, 1e8);
      const double x = normal_upper_quantile(log_p);
      CHECK_MESSAGE(std::abs(log_normal_cdf(-x) - log_p) <= (4.0 + x * x) * 4e-16,
                    show({{"log_p", log_p}, {"x", x}}));
      const double from_guess = normal_upper_quantile(log_p, x + random.uniform(-0.1, 0.1));
      CHECK_MESSAGE(std::abs(from_guess - x) <=
                        4e-16 * (1.0 + std::abs(x)) * (1.0 + 1.0 / (x * x)) +
                            1e-15 * std::exp(0.5 * std::min(x * x, 60.0)) * (x < 0.0 ? 1.0 : 0.0),
                    show({{"log_p", log_p}, {"x", x}}));
    }
  }

  TEST_CASE("normal_upper_quantile is monotone and ends at infinity") {
    double previous = normal_upper_quantile(-1e-15);
    for (double log_p = -1e-15; log_p > -1e6; log_p *= 1.01) {
      const double x = normal_upper_quantile(log_p);
      CHECK_MESSAGE(x >= previous - 1e-15 * std::abs(x), show({{"log_p", log_p}}));
      previous = x;
    }
    CHECK(normal_upper_quantile(0.0) == -kInfinity);
    CHECK(normal_upper_quantile(-kInfinity) == kInfinity);
    CHECK(std::abs(normal_upper_quantile(-std::numbers::ln2)) < 1e-15);
    CHECK(std::isfinite(normal_upper_quantile(-1e300)));
  }

  TEST_CASE("normal_interval does not cancel") {
    Random random(14);
    for (int i = 0; i < 5000; ++i) {
      const double a = random.uniform(-30.0, 30.0);
      const double b = a + random.log_uniform(1e-9, 10.0);
      // Simpson's rule in long double where the difference of two values would lose digits.
      const long double h = static_cast<long double>(b) - a;
      long double expected =
          a > 0.0 ? cdf_reference(-a) - cdf_reference(-b) : cdf_reference(b) - cdf_reference(a);
      if (h * (1.0L + std::abs(a)) < 1e-3L) {
        const auto density = [](long double x) {
          return std::exp(-0.5L * x * x) / std::sqrt(2.0L * std::numbers::pi_v<long double>);
        };
        expected = h * (density(a) + 4.0L * density(a + 0.5L * h) + density(b)) / 6.0L;
      }
      CHECK_MESSAGE(relative_error(normal_interval(a, b), static_cast<double>(expected)) <
                        (8.0 + a * a) * 1e-15,
                    show({{"a", a}, {"b", b}}));
    }
    CHECK(normal_interval(1.0, 1.0) == 0.0);
    CHECK(relative_error(normal_interval(-1.0, 1.0), std::erf(std::numbers::sqrt2 / 2.0)) < 1e-15);
  }

  TEST_CASE("log_normal_cdf_ratio does not cancel anywhere in the tails") {
    Random random(15);
    for (int i = 0; i < 5000; ++i) {
      const double b = random.uniform(-100.0, 8.0);
      const double h = (i % 2 == 0 ? 1.0 : -1.0) * random.log_uniform(1e-4, 5.0);
      // log1p of the relative change keeps long double's digits for close values.
      const long double there = cdf_reference(static_cast<long double>(b) + h);
      const long double change = (there - cdf_reference(b)) / cdf_reference(b);
      const long double expected = std::abs(change) < 0.5L
                                       ? std::log1p(change)
                                       : std::log(there) - std::log(cdf_reference(b));
      const double loss = 1e-18 * (4.0 + b * b) * std::exp(std::min(0.5 * b * std::abs(b), 40.0)) /
                          std::abs(h);  // of the reference
      CHECK_MESSAGE(relative_error(log_normal_cdf_ratio(b, h), static_cast<double>(expected)) <
                        (8.0 + b * b) * 1e-15 + loss,
                    show({{"b", b}, {"h", h}}));
    }
    CHECK(log_normal_cdf_ratio(-3.0, 0.0) == 0.0);
  }

  TEST_CASE("log_normal_cdf_ratio of a minute step is the step times the hazard rate") {
    for (const double b : {-1e6, -1000.0, -5.0, -0.3, 0.0, 2.0}) {
      for (const double h : {1e-9, -1e-9, 1e-14, -1e-30, 1e-200}) {
        const double step = h / (1.0 + std::abs(b));
        const double rate = 1.0 / mills_ratio(-b);  // phi / Phi
        const double expected = step * rate - 0.5 * step * step * rate * (rate + b);
        CHECK_MESSAGE(relative_error(log_normal_cdf_ratio(b, step), expected) < 4e-15,
                      show({{"b", b}, {"h", step}}));
      }
    }
  }

  TEST_CASE("shifted tails against the oracle") {
    for (const OracleRow& row : oracle("shifted_tail")) {
      const double log_p = row.number("log_p");
      const double got = log_shifted_tail(log_p, row.number("shift"));
      CHECK_MESSAGE(relative_error(got, row.number("log_shifted")) < 1e-14, row.text());
      // By how much the tail grew: log_p and the result are rounded, which is all that is lost.
      const double rounding = 3e-16 * (std::abs(log_p) + std::abs(got));
      CHECK_MESSAGE(std::abs((got - log_p) - row.number("growth")) <
                        1e-13 * std::abs(row.number("growth")) + rounding,
                    row.text());
    }
  }

  TEST_CASE("a tail shifted there and back is itself") {
    Random random(31);
    for (int i = 0; i < 3000; ++i) {
      const double log_p = -random.log_uniform(1e-3, 1e5);
      const double shift = random.log_uniform(1e-6, 3.0);
      const double up = log_shifted_tail(log_p, shift);
      const double down = log_shifted_tail(log_p, -shift);
      CHECK(up > log_p);
      CHECK(down < log_p);
      // A tail close to one cannot hold what lies below it, so only the safe way round is tested.
      CHECK_MESSAGE(relative_error(log_shifted_tail(down, shift), log_p) < 1e-12,
                    show({{"log_p", log_p}, {"shift", shift}}));
    }
  }

  TEST_CASE("shifts of nothing, of everything, and by nothing") {
    CHECK(log_shifted_tail(0.0, 1.0) == 0.0);
    CHECK(log_shifted_tail(0.0, -1.0) == 0.0);
    CHECK(log_shifted_tail(-kInfinity, 1.0) == -kInfinity);
    CHECK(log_shifted_tail(-kInfinity, -1.0) == -kInfinity);
    CHECK(std::isnan(log_shifted_tail(kNaN, 1.0)));
    for (const double log_p : {-1e-3, -0.7, -5.0, -4000.0, -1e6}) {
      CHECK(log_shifted_tail(log_p, 0.0) == log_p);
    }
    CHECK(log_shifted_tail(-1e-3, 40.0) <= 0.0);
  }
}
