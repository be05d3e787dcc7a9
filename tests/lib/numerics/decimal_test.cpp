#include "pate/numerics/decimal.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "pate/numerics/sums.hpp"

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

TEST_CASE("decimal: sums of short decimals are those decimals, others are rounded up") {
  using pate::decimal_sum;
  CHECK(decimal_sum(1e-5, 2e-5) == 3e-5);
  CHECK(decimal_sum(0.1, 0.2) == 0.3);
  CHECK(decimal_sum(0.0, 1e-5) == 1e-5);
  CHECK(decimal_sum(1e-5, 0.0) == 1e-5);
  CHECK(decimal_sum(0.0, 0.0) == 0.0);
  CHECK(decimal_sum(1e-5, 1e-9) == 1.0001e-5);
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) sum = decimal_sum(sum, 1.1e-6);
  CHECK(sum == 1.1e-3);
  CHECK(decimal_sum(1e-5, 1e-25) > 1e-5);
  CHECK(decimal_sum(1e-9, 1e-5) == 1.0001e-5);
  // What is no number makes none with anything.
  for (const double delta : {0.0, 0.25, 1e-5, 1.0 / 3.0}) {
    CHECK(std::isnan(decimal_sum(delta, std::nan(""))));
    CHECK(std::isnan(decimal_sum(std::nan(""), delta)));
  }
  CHECK(decimal_sum(1e-5, 1.0 / 3.0) == pate::sum_upwards(1e-5, 1.0 / 3.0));
  CHECK(decimal_sum(123456789012.0, 1.0) == 123456789013.0);
  std::mt19937_64 random(20);
  std::uniform_int_distribution<int> digits(1, 999999);
  std::uniform_int_distribution<int> power(-12, -3);
  for (int i = 0; i < 20000; ++i) {
    const auto number = [](int n, int e) {
      return std::strtod(fmt::format("{}e{}", n, e).c_str(), nullptr);
    };
    const int n = digits(random), m = digits(random), e = power(random);
    CHECK(decimal_sum(number(n, e), number(m, e)) == number(n + m, e));
    const double any = std::pow(number(n, e), 0.7);
    CHECK(decimal_sum(any, number(m, e)) >= any);
  }
}

TEST_SUITE_END();
