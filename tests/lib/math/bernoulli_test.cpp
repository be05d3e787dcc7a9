#include "pate/math/bernoulli.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

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
