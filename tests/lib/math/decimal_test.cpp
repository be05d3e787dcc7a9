#include "pate/math/decimal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "pate/math/sums.hpp"

using pate::decimal;

TEST_SUITE_BEGIN("math");

TEST_CASE("decimal: sums of decimals are shown as decimals") {
  CHECK(decimal(1e-5) == "1e-05");
  CHECK(decimal(1e-5 + 2e-5) == "3e-05");  // 3.0000000000000004e-05
  CHECK(decimal(pate::sum_upwards(0.1, 0.2)) == "0.3");
  double sum = 0.0;
  for (int i = 0; i < 20; ++i) sum = pate::sum_upwards(sum, 1e-6);
  CHECK(decimal(sum) == "2e-05");
  CHECK(decimal(0.0) == "0");
  CHECK(decimal(12.0) == "12");
  CHECK(decimal(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("decimal: other numbers keep every digit") {
  std::mt19937_64 random(19);
  std::uniform_real_distribution<double> exponent(-300.0, 300.0);
  int shortened = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    const double read = std::strtod(decimal(value).c_str(), nullptr);
    shortened += read != value;
    CHECK(std::abs(read - value) <= 4e-15 * value);
  }
  CHECK(shortened < 100);
  CHECK(decimal(4.126996251062132) == "4.126996251062132");
}

TEST_SUITE_END();
