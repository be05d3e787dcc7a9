#include "pate/numerics/dyadic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using pate::ceil_to_multiple;
using pate::Dyadic;
using pate::Integer;
using pate::round_up_to_double;
using pate_test::kInfinity;
using pate_test::kNaN;

TEST_SUITE_BEGIN("math");

TEST_CASE("every finite double is a dyadic number, and comes back") {
  using Limits = std::numeric_limits<double>;
  for (const double x :
       {0.0, 1.0, -1.0, 0.1, -0.1, 1e-300, Limits::denorm_min(), -Limits::denorm_min(),
        Limits::min(), Limits::max(), Limits::lowest(), 1e22, std::ldexp(1.0, 53)}) {
    CAPTURE(x);
    CHECK(round_up_to_double(Dyadic(x)) == x);
  }
  pate_test::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const double x = random.log_uniform(1e-308, 1e308) * (i % 2 == 0 ? 1.0 : -1.0);
    CHECK(round_up_to_double(Dyadic(x)) == x);
  }
}

TEST_CASE("a number that is not finite is refused") {
  for (const double x : {kInfinity, -kInfinity, kNaN}) {
    CHECK(pate::test::message_of<pate::parameter_error>([&] {
            (void)Dyadic(x);
          }).starts_with("an exact number must be finite, got "));
  }
}

TEST_CASE("sums, differences and products do not round") {
  const Dyadic tiny(1e-300);
  const Dyadic huge(1e300);
  CHECK(huge + tiny > huge);
  CHECK((huge + tiny) - huge == tiny);
  CHECK(huge - (huge + tiny) == Dyadic(-1.0) * tiny);
  // (1/10 as a double) * 10 is not 1.
  CHECK(Dyadic(0.1) * Dyadic(10.0) > Dyadic(1.0));
  CHECK(Dyadic(0.1) * Dyadic(10.0) - Dyadic(1.0) == Dyadic(std::ldexp(1.0, -54)));
  CHECK(Dyadic(0.5) == Dyadic(Integer(1) << 70, -71));
}

TEST_CASE("comparison is that of doubles") {
  pate_test::Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const double x = random.uniform(-2.0, 2.0);
    const double y = i % 5 == 0 ? x : random.uniform(-2.0, 2.0);
    CHECK(((Dyadic(x) <=> Dyadic(y)) < 0) == (x < y));
    CHECK((Dyadic(x) == Dyadic(y)) == (x == y));
  }
}

TEST_CASE("rounding up to a multiple of a power of two") {
  struct Case {
    double value;
    int exponent;
    int expected;
  };
  for (const Case& c : {Case{0.0, 0, 0},
                        {0.5, 0, 1},
                        {1.0, 0, 1},
                        {1.25, 0, 2},
                        {-0.5, 0, 0},
                        {-1.0, 0, -1},
                        {-1.25, 0, -1},
                        {-1.25, -1, -2},
                        {1.25, -2, 5},
                        {1.25, -1, 3},
                        {5.0, 1, 3},
                        {-5.0, 1, -2},
                        {4.0, 2, 1},
                        {3.0, -3, 24}}) {
    CAPTURE(c.value);
    CAPTURE(c.exponent);
    CHECK(ceil_to_multiple(Dyadic(c.value), c.exponent).convert_to<int>() == c.expected);
  }
}

TEST_CASE("rounding up to a double: the next above where there is none") {
  const Dyadic bit(Integer(1), -200);
  CHECK(round_up_to_double(Dyadic(1.0) + bit) == std::nextafter(1.0, 2.0));
  CHECK(round_up_to_double(Dyadic(1.0) - bit) == 1.0);
  CHECK(round_up_to_double(Dyadic(-1.0) - bit) == -1.0);
  CHECK(round_up_to_double(Dyadic(-1.0) + bit) == -std::nextafter(1.0, 0.0));
  CHECK(round_up_to_double(Dyadic(Integer(1), -5000)) == std::numeric_limits<double>::denorm_min());
  CHECK(round_up_to_double(Dyadic(Integer(-1), -5000)) == 0.0);
  CHECK(round_up_to_double(Dyadic(Integer(1), 5000)) == kInfinity);
  CHECK(round_up_to_double(Dyadic(Integer(-1), 5000)) == std::numeric_limits<double>::lowest());
}

TEST_SUITE_END();
