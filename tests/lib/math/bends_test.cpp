#include "pate/math/bends.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

// Both against long double, at arguments of every size and of one size together.

namespace pate {

namespace {

long double bend(long double z) {
  if (std::abs(z) > 0.1L) return std::expm1(z) - z;
  long double sum = 0.0L;
  long double term = z * z / 2.0L;
  for (int k = 3; k < 40; ++k) {
    sum += term;
    term *= z / static_cast<long double>(k);
  }
  return sum;
}

}  // namespace

TEST_SUITE("bends") {
  TEST_CASE("bends are those of long double") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (int trial = 0; trial < 400; ++trial) {
      const double most = std::exp(std::log(1e-12) + unit(random) * std::log(kLargestBend / 1e-12));
      const double factor = (trial % 2 == 0 ? 1.0 : -1.0) * std::exp(6.0 * unit(random));
      std::vector<double> l(1 + static_cast<std::size_t>(trial % 67));
      for (double& value : l) {
        const double size = trial % 3 == 0 ? std::exp(-40.0 * unit(random)) : unit(random);
        value = (unit(random) < 0.5 ? -1.0 : 1.0) * size * most / std::abs(factor);
      }
      l.front() = trial % 5 == 0 ? 0.0 : most / factor * (1.0 - 1e-15);
      std::vector<double> result(l.size());
      bends(l.data(), factor, most, l.size(), result.data());
      for (std::size_t i = 0; i < l.size(); ++i) {
        const double z = factor * l[i];
        CAPTURE(z);
        CAPTURE(most);
        const long double reference = bend(z);
        CHECK(std::abs(static_cast<long double>(result[i]) - reference) <= 2e-14L * reference);
        CHECK(result[i] >= 0.0);
      }
    }
  }

  TEST_CASE("what is not finite stays that") {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> l{0.1, infinity, -0.2, std::nan("")};
    std::vector<double> result(l.size());
    bends(l.data(), 3.0, 2.0, l.size(), result.data());
    CHECK(result[0] == doctest::Approx(std::expm1(0.3) - 0.3).epsilon(1e-13));
    CHECK_FALSE(std::isfinite(result[1]));
    CHECK_FALSE(std::isfinite(result[3]));
  }

  TEST_CASE("logarithms of one and more are those of long double") {
    std::vector<double> x{0.0, 1.0, std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::max(), std::sqrt(2.0) - 1.0};
    std::mt19937_64 random(82);
    for (int i = 0; i < 20'000; ++i) {
      const double range = i % 2 == 0 ? 2.0 : 700.0;
      x.push_back(std::exp(std::uniform_real_distribution<double>(-range, range)(random)));
    }
    std::vector<double> result = x;
    log1p_positive(result.data(), result.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      const long double reference = std::log1p(static_cast<long double>(x[i]));
      CHECK(std::abs(static_cast<long double>(result[i]) - reference) <= 1e-15L * reference);
    }
    std::vector<double> beyond{std::numeric_limits<double>::infinity(), std::nan("")};
    log1p_positive(beyond.data(), beyond.size());
    for (const double value : beyond) CHECK_FALSE(std::isfinite(value));
  }

  TEST_CASE("logarithms near one are those of long double") {
    std::vector<double> x;
    for (double size = 0.25; size > 1e-300; size *= 0.37) {
      x.push_back(size);
      if (size <= 0.2) x.push_back(-size);
    }
    x.push_back(-0.2);
    x.push_back(0.0);
    std::vector<double> result = x;
    log1p_near_zero(result.data(), result.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      CHECK(is_near_zero(x[i]));
      const long double reference = std::log1p(static_cast<long double>(x[i]));
      CHECK(std::abs(static_cast<long double>(result[i]) - reference) <=
            1e-15L * std::abs(reference));
    }
    CHECK_FALSE(is_near_zero(-0.21));
    CHECK_FALSE(is_near_zero(0.26));
    CHECK_FALSE(is_near_zero(std::nan("")));
  }
}

}  // namespace pate
