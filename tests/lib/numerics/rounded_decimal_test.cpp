#include "pate/numerics/rounded_decimal.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

using pate::digits_upwards;
using pate::fixed_upwards;
using pate::odds_upwards;

namespace {

double read(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

// Positive doubles of any size, decimals of few digits and their neighbours.
double any_double(std::mt19937_64& random) {
  double value = 0.0;
  switch (random() % 4) {
    case 0: {
      const std::uint64_t bits = random() >> 1U;
      std::memcpy(&value, &bits, sizeof value);
      return std::isfinite(value) ? value : 1.0;
    }
    case 1:
      value = std::pow(10.0, std::uniform_real_distribution<double>(-9.0, 9.0)(random));
      return value;
    default:
      value = read(fmt::format("{}e{}", random() % 100'000, static_cast<int>(random() % 16) - 10));
      if (random() % 3 == 0) value = std::nextafter(value, 1e300);
      if (random() % 3 == 0) value = std::nextafter(value, 0.0);
      return value;
  }
}

int significant(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const std::size_t first = digits.find_first_not_of('0');
  const std::size_t last = digits.find_last_not_of('0');
  return first == std::string::npos ? 0 : static_cast<int>(last - first + 1);
}

}  // namespace

TEST_SUITE_BEGIN("numerics");

TEST_CASE("rounded decimals: decimals of few digits stay, others go up") {
  CHECK(fixed_upwards(0.1, 4) == "0.1000");
  CHECK(fixed_upwards(std::nextafter(0.1, 1.0), 4) == "0.1001");
  CHECK(fixed_upwards(0.99991, 4) == "1.0000");
  CHECK(fixed_upwards(9.99999, 4) == "10.0000");
  CHECK(fixed_upwards(1e-300, 4) == "0.0001");
  CHECK(fixed_upwards(0.0, 4) == "0.0000");
  CHECK(fixed_upwards(12.0, 0) == "12");
  CHECK(fixed_upwards(12.0001, 0) == "13");
  CHECK(fixed_upwards(-0.00001, 4) == "0.0000");
  CHECK(fixed_upwards(-1.23456, 4) == "-1.2345");
  CHECK(fixed_upwards(std::numeric_limits<double>::infinity(), 4) == "inf");
  CHECK(digits_upwards(1e-5, 3) == "1e-05");
  CHECK(digits_upwards(0.0, 3) == "0");
  CHECK(digits_upwards(12341.0, 3) == "1.24e+04");
  CHECK(digits_upwards(12341.0, 3, 7) == "12400");
  CHECK(digits_upwards(9.991, 3) == "10");
  CHECK(digits_upwards(0.00009999, 3) == "0.0001");
  CHECK(digits_upwards(999.1, 3) == "1e+03");
  CHECK(odds_upwards(0.0) == "1");
  CHECK(odds_upwards(0.5) == "1.65");
  CHECK(odds_upwards(1e-9) == "1.01");
  CHECK(odds_upwards(712.4) == "e^712.4");
  CHECK(odds_upwards(712.400001) == "e^712.401");
}

TEST_CASE("rounded decimals: what is shown is no less, and less than a unit more") {
  std::mt19937_64 random(4040);
  for (int i = 0; i < 200'000; ++i) {
    const double value = any_double(random);
    const int places = static_cast<int>(random() % 7);
    const std::string fixed = fixed_upwards(value, places);
    const double shown = read(fixed);
    CAPTURE(value);
    CAPTURE(fixed);
    REQUIRE(shown >= value);
    // Compared with what rounds to nearest: that, or one unit more.
    const std::string nearest = fmt::format("{:.{}f}", value, places);
    const double unit = std::pow(10.0, -places);
    if (value < 1e6) REQUIRE(shown - read(nearest) <= unit * 1.001);
    REQUIRE(fixed.size() - std::min(fixed.find('.'), fixed.size()) ==
            nearest.size() - std::min(nearest.find('.'), nearest.size()));

    const int digits = 1 + static_cast<int>(random() % 9);
    const int longest = digits + static_cast<int>(random() % 5);
    const std::string few = digits_upwards(value, digits, longest);
    CAPTURE(few);
    REQUIRE(read(few) >= value);
    REQUIRE(significant(few) <= digits);
    if (value > 1e-300 && value < 1e300) {
      REQUIRE(read(few) <= value * (1.0 + std::pow(10.0, 1 - digits) * 1.001));
    }
    // Where it is a decimal of so few digits it is written as "%g" writes it.
    const std::string same = fmt::format("{:.{}g}", value, digits);
    if (read(same) == value) REQUIRE(digits_upwards(value, digits) == same);
  }
}

TEST_CASE("rounded decimals: negative numbers go towards zero") {
  std::mt19937_64 random(4041);
  for (int i = 0; i < 20'000; ++i) {
    const double value = -any_double(random);
    REQUIRE(read(fixed_upwards(value, static_cast<int>(random() % 7))) >= value);
    REQUIRE(read(digits_upwards(value, 1 + static_cast<int>(random() % 9))) >= value);
  }
}

TEST_CASE("rounded decimals: odds are no less than e^epsilon") {
  std::mt19937_64 random(4042);
  std::uniform_real_distribution<double> exponent(-12.0, 2.77);
  for (int i = 0; i < 20'000; ++i) {
    const double epsilon = std::pow(10.0, exponent(random));
    const long double odds = std::exp(static_cast<long double>(epsilon));
    REQUIRE(std::strtold(odds_upwards(epsilon).c_str(), nullptr) >= odds);
  }
}

TEST_SUITE_END();
