#include "pate/numerics/log_space.hpp"
#include "pate/numerics/bernoulli_pair.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kMaxDouble = std::numeric_limits<double>::max();

/// ratio^order - 1 - order (ratio - 1) in long double: 19 digits less what cancels.
long double power_excess_reference(double log_ratio, double order) {
  const auto l = static_cast<long double>(log_ratio);
  const auto k = static_cast<long double>(order);
  return std::expm1(k * l) - k * std::expm1(l);
}

double log_of(long double x) {
  return static_cast<double>(std::log(x));
}

LogBernoulliPair pair_of(double p, double p_neighbour) {
  return {std::log(p),
          std::log1p(-p),
          std::log(p_neighbour),
          std::log1p(-p_neighbour),
          std::log1p((p - p_neighbour) / p_neighbour),
          std::log1p((p_neighbour - p) / (1.0 - p_neighbour))};
}

/// The moment minus one from its definition.
long double excess_reference(double p, double p_neighbour, double order) {
  const auto k = static_cast<long double>(order);
  const auto a = static_cast<long double>(p);
  const auto b = static_cast<long double>(p_neighbour);
  return std::pow(a, k) * std::pow(b, 1.0L - k) +
         std::pow(1.0L - a, k) * std::pow(1.0L - b, 1.0L - k) - 1.0L;
}

}  // namespace

TEST_SUITE("math") {
  TEST_CASE("log1mexp is accurate at both ends") {
    Random random(1);
    for (int i = 0; i < 2000; ++i) {
      const double x = -random.log_uniform(1e-300, 700.0);
      const double expected =
          static_cast<double>(x > -0.5 ? std::log(-std::expm1(static_cast<long double>(x)))
                                       : std::log1p(-std::exp(static_cast<long double>(x))));
      CHECK_MESSAGE(relative_error(log1mexp(x), expected) < 1e-15, show({{"x", x}}));
    }
  }

  TEST_CASE("log1mexp undoes itself") {
    Random random(2);
    for (int i = 0; i < 500; ++i) {
      const double x = -random.log_uniform(0.01, 5.0);
      CHECK_MESSAGE(relative_error(log1mexp(log1mexp(x)), x) < 1e-13, show({{"x", x}}));
    }
  }

  TEST_CASE("log1mexp at the ends of its domain") {
    CHECK(log1mexp(0.0) == -kInfinity);
    CHECK(log1mexp(-kInfinity) == 0.0);
    CHECK(relative_error(log1mexp(-kMinReported), std::log(1e-300)) < 1e-15);
    CHECK(std::isnan(log1mexp(kNaN)));
  }

  TEST_CASE("log_expm1 is accurate and inverts log1pexp") {
    Random random(3);
    for (int i = 0; i < 1000; ++i) {
      const double x = random.log_uniform(1e-300, 1e4);
      const double expected = log_of(std::expm1(static_cast<long double>(x)));
      const double scale = std::max(1.0, std::abs(expected));
      CHECK_MESSAGE(std::abs(log_expm1(x) - expected) < 1e-15 * scale, show({{"x", x}}));
      CHECK_MESSAGE(relative_error(log1pexp(log_expm1(x)), x) < 1e-12, show({{"x", x}}));
    }
    CHECK(log_expm1(1e5) == 1e5);
    CHECK(log_expm1(kInfinity) == kInfinity);
    CHECK(std::isnan(log_expm1(kNaN)));
  }

  TEST_CASE("log1pexp is accurate from far below zero to far above") {
    Random random(4);
    for (int i = 0; i < 1000; ++i) {
      const double x = random.uniform(-700.0, 200.0);
      const auto e = std::exp(static_cast<long double>(x));
      CHECK_MESSAGE(relative_error(log1pexp(x), static_cast<double>(std::log1p(e))) < 2e-15,
                    show({{"x", x}}));
    }
    CHECK(log1pexp(-kInfinity) == 0.0);
    CHECK(log1pexp(1e300) == 1e300);
    CHECK(log1pexp(kInfinity) == kInfinity);
    CHECK(std::isnan(log1pexp(kNaN)));
  }

  TEST_CASE("log_add is symmetric and -inf is its zero") {
    Random random(5);
    for (int i = 0; i < 1000; ++i) {
      const double a = random.uniform(-3000.0, 10.0);
      const double b = a + random.uniform(-50.0, 50.0);
      const auto top = static_cast<long double>(std::max(a, b));
      const double expected =
          static_cast<double>(top + std::log(std::exp(a - top) + std::exp(b - top)));
      CHECK_MESSAGE(std::abs(log_add(a, b) - expected) <= 4e-16 * std::max(1.0, std::abs(expected)),
                    show({{"a", a}, {"b", b}}));
      CHECK(log_add(a, b) == log_add(b, a));
      CHECK(log_add(a, -kInfinity) == a);
      CHECK(log_add(-kInfinity, a) == a);
    }
    CHECK(log_add(-kInfinity, -kInfinity) == -kInfinity);
    CHECK(log_add(kInfinity, 1.0) == kInfinity);
    CHECK(std::isnan(log_add(kNaN, 1.0)));
    CHECK(std::isnan(log_add(1.0, kNaN)));
    CHECK(std::isnan(log_add(-kInfinity, kNaN)));
  }

  TEST_CASE("expm1mx keeps its digits near zero") {
    Random random(6);
    for (int i = 0; i < 2000; ++i) {
      const double z = (i % 2 == 0 ? 1.0 : -1.0) * random.log_uniform(1e-150, 30.0);
      const auto l = static_cast<long double>(z);
      const long double expected =
          std::abs(z) < 1e-3
              ? l * l * (0.5L + l * (1.0L / 6 + l * (1.0L / 24 + l * (1.0L / 120 + l / 720))))
              : std::expm1(l) - l;
      CHECK_MESSAGE(relative_error(expm1_minus_x(z), static_cast<double>(expected)) < 3e-15,
                    show({{"z", z}}));
    }
    CHECK(expm1_minus_x(0.0) == 0.0);
    CHECK(expm1_minus_x(-kInfinity) == kInfinity);
    CHECK(expm1_minus_x(1000.0) == kInfinity);
    CHECK(expm1_minus_x(kInfinity) == kInfinity);
    CHECK(std::isnan(expm1_minus_x(kNaN)));
  }

  TEST_CASE("power_excess and its logarithm against long double") {
    Random random(7);
    for (int i = 0; i < 4000; ++i) {
      const double order = 1.0 + random.log_uniform(0.01, 1e4);
      const double log_ratio = (i % 2 == 0 ? 1.0 : -1.0) *
                               random.log_uniform(1e-4 / order, std::min(600.0 / order, 40.0));
      const long double expected = power_excess_reference(log_ratio, order);
      const double tolerance = 4e-15 * order / (order - 1.0) * (1.0 + std::abs(order * log_ratio));
      CHECK_MESSAGE(
          relative_error(power_excess(log_ratio, order), static_cast<double>(expected)) < tolerance,
          show({{"log_ratio", log_ratio}, {"order", order}}));
      CHECK_MESSAGE(std::abs(log_power_excess(log_ratio, order) - log_of(expected)) <
                        tolerance + 1e-15 * std::abs(log_of(expected)),
                    show({{"log_ratio", log_ratio}, {"order", order}}));
    }
  }

  TEST_CASE("near order 1 power_excess keeps its digits") {
    Random random(8);
    for (int i = 0; i < 4000; ++i) {
      const double order = 1.0 + random.log_uniform(1e-9, 0.3);
      const double l = (i % 2 == 0 ? 1.0 : -1.0) * random.log_uniform(1e-8, 8.0);
      // The series of e^(order l) - 1 - order (e^l - 1), of which no difference is left.
      const auto r = static_cast<long double>(order - 1.0);
      long double sum = 0.0L;
      long double power = static_cast<long double>(l);
      for (int k = 2; k < 120; ++k) {
        power *= static_cast<long double>(l) / k;
        sum += (1.0L + r) * std::expm1((k - 1) * std::log1p(r)) * power;
      }
      CHECK_MESSAGE(relative_error(power_excess(l, order), static_cast<double>(sum)) < 2e-14,
                    show({{"log_ratio", l}, {"order", order}}));
      CHECK(std::abs(log_power_excess(l, order) - log_of(sum)) < 3e-14);
    }
    CHECK(power_excess(-kInfinity, 1.0 + 0x1p-20) == 0x1p-20);
    // Beyond doubles: e^l (e^(r l) - 1 - r + r l) with r l = 1/2.
    const double r = 0x1p-12;
    CHECK(relative_error(log_power_excess(2048.0, 1.0 + r),
                         2048.0 + std::log(std::expm1(0.5) - r)) < 1e-15);
  }

  TEST_CASE("a NaN is never passed over in a maximum") {
    const double nan = std::nan("");
    CHECK(std::isnan(max_or_nan(nan, 1.0)));
    CHECK(std::isnan(max_or_nan(1.0, nan)));
    CHECK(max_or_nan(1.0, 2.0) == 2.0);
    CHECK(max_or_nan(2.0, -kInfinity) == 2.0);
    CHECK(max_or_nan(-0.0, kInfinity) == kInfinity);
  }

  TEST_CASE("log_power_excess where the excess is beyond double") {
    // Small ratios: order (order - 1) / 2 log_ratio^2; large ones: order log_ratio.
    CHECK(relative_error(log_power_excess(1e-200, 3.0), std::log(3.0) - 400.0 * std::log(10.0)) <
          1e-15);
    CHECK(relative_error(log_power_excess(-1e-200, 3.0), std::log(3.0) - 400.0 * std::log(10.0)) <
          1e-15);
    CHECK(log_power_excess(500.0, 40.0) == 20000.0);
    for (const double log_ratio : {354.4, 354.6}) {  // both sides of the switch at e^709
      const auto twice = 2.0L * static_cast<long double>(log_ratio);
      const long double exact =
          twice + std::log1p(-2.0L * std::exp(-static_cast<long double>(log_ratio)));
      CHECK(relative_error(log_power_excess(log_ratio, 2.0), static_cast<double>(exact)) < 1e-15);
    }
    // Order 1.5 just above the switch: the linear term still counts.
    CHECK(relative_error(log_power_excess(473.0, 1.5),
                         static_cast<double>(709.5L + std::log1p(-1.5L * std::exp(-236.5L)))) <
          1e-15);
  }

  TEST_CASE("power_excess is never negative and vanishes at equality only") {
    Random random(8);
    for (int i = 0; i < 5000; ++i) {
      const double order = 1.0 + random.log_uniform(1e-3, 1e4);
      const double log_ratio = (i % 2 == 0 ? 1.0 : -1.0) * random.log_uniform(1e-140, 800.0);
      CHECK_MESSAGE(power_excess(log_ratio, order) > 0.0,
                    show({{"log_ratio", log_ratio}, {"order", order}}));
    }
    CHECK(power_excess(0.0, 5.0) == 0.0);
    CHECK(log_power_excess(0.0, 5.0) == -kInfinity);
  }

  TEST_CASE("power_excess at infinite ratios") {
    CHECK(power_excess(kInfinity, 3.0) == kInfinity);
    CHECK(power_excess(-kInfinity, 3.0) == 2.0);  // 0 - 1 - 3 (0 - 1)
    CHECK(log_power_excess(-kInfinity, 3.0) == std::log(2.0));
    CHECK(log_power_excess(kInfinity, 3.0) == kInfinity);
    CHECK(log_power_excess(1e300, 2.0) == 2e300);
    CHECK(log_power_excess(-kMaxDouble, 3.0) == std::log(2.0));
    CHECK(std::isnan(power_excess(kNaN, 3.0)));
    CHECK(std::isnan(log_power_excess(kNaN, 3.0)));
  }

  TEST_CASE("log_bernoulli_excess against its definition") {
    Random random(21);
    for (int i = 0; i < 3000; ++i) {
      const double p = random.uniform(0.01, 0.99);
      const double p_neighbour = random.uniform(0.01, 0.99);
      const double order = 1.0 + random.log_uniform(0.05, 60.0);
      const long double expected = excess_reference(p, p_neighbour, order);
      if (expected < 1e-4L) continue;  // the definition cancels
      CHECK_MESSAGE(std::abs(log_bernoulli_excess(pair_of(p, p_neighbour), order) -
                             static_cast<double>(std::log(expected))) < 1e-12,
                    show({{"p", p}, {"p_neighbour", p_neighbour}, {"order", order}}));
    }
  }

  TEST_CASE("log_bernoulli_excess of close pairs is the chi square") {
    // excess = order (order-1)/2 (p - p')^2 / (p' (1-p')) to first order in the difference
    for (const double p : {0.5, 0.1, 0.9, 1e-5}) {
      for (const double order : {1.5, 2.0, 7.0}) {
        const double d = 1e-9 * p;
        LogBernoulliPair pair = pair_of(p, p);
        pair.log_ratio = std::log1p(d / p);
        pair.log_not_ratio = std::log1p(-d / (1.0 - p));
        const double expected = std::log(0.5 * order * (order - 1.0) * d * d / (p * (1.0 - p)));
        CHECK_MESSAGE(std::abs(log_bernoulli_excess(pair, order) - expected) < 1e-7,
                      show({{"p", p}, {"order", order}}));
      }
    }
  }

  TEST_CASE("log_bernoulli_excess is -inf for equal probabilities and for a common zero") {
    CHECK(log_bernoulli_excess(pair_of(0.3, 0.3), 4.0) == -kInfinity);
    CHECK(log_bernoulli_excess({-kInfinity, 0.0, -kInfinity, 0.0, 0.0, 0.0}, 4.0) == -kInfinity);
  }

  TEST_CASE("log_bernoulli_excess far in the tail") {
    // p = e^-1000, p' = e^-1001, order 3: p'(e^3 - 1 - 3(e - 1)) dominates.
    const LogBernoulliPair pair{-1000.0, -0.0, -1001.0, -0.0, 1.0, -0.0};
    const double expected = -1001.0 + std::log(std::expm1(3.0) - 3.0 * std::expm1(1.0));
    CHECK(relative_error(log_bernoulli_excess(pair, 3.0), expected) < 1e-14);
  }

  TEST_CASE("reversed swaps the two sides and undoes itself") {
    const LogBernoulliPair pair = pair_of(0.2, 0.7);
    const LogBernoulliPair other = reversed(pair);
    const LogBernoulliPair expected = pair_of(0.7, 0.2);
    CHECK(other.log_p == expected.log_p);
    CHECK(other.log_not_p == expected.log_not_p);
    CHECK(other.log_p_neighbour == expected.log_p_neighbour);
    CHECK(other.log_not_p_neighbour == expected.log_not_p_neighbour);
    CHECK(relative_error(other.log_ratio, expected.log_ratio) < 1e-15);
    CHECK(relative_error(other.log_not_ratio, expected.log_not_ratio) < 1e-15);
    const LogBernoulliPair back = reversed(other);
    CHECK(back.log_p == pair.log_p);
    CHECK(back.log_not_ratio == pair.log_not_ratio);
    CHECK(std::abs(log_bernoulli_excess(other, 3.0) -
                   static_cast<double>(std::log(excess_reference(0.7, 0.2, 3.0)))) < 1e-14);
  }
}
