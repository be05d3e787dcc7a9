#include "pate/sampling/exact_deviate.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "pate/error.hpp"
#include "pate/math/normal.hpp"
#include "support/accuracy.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

using pate::Dyadic;
using pate::exact_normal;
using pate::ExactDeviate;
using pate::Integer;
using pate::LazyUniform;
using pate::NoisyValue;
using pate::released_on_grid;
using pate::test::ScriptedBits;
using pate::test::TestBits;

namespace {

// sign * (whole + a fraction of whatever digits the source gives)
ExactDeviate deviate(bool negative, std::uint64_t whole) {
  return {negative, whole, LazyUniform()};
}

NoisyValue noisy(double location, double scale, ExactDeviate noise) {
  return {Dyadic(location), Dyadic(scale), std::move(noise)};
}

// Digits of a fraction that is 2^-(64 n): n words of zeros, then ones.
ScriptedBits small_fraction(std::size_t n) {
  std::vector<std::uint64_t> words(n, 0);
  words.resize(n + 64, ~std::uint64_t{0});
  return ScriptedBits(std::move(words));
}

// In steps of 2^exponent from 1, a number a message can show.
int steps_above_one(NoisyValue& value, int exponent, pate::BitSource& source) {
  Integer steps = value.rounded_up(exponent, source);
  steps -= Integer(1) << -exponent;
  return steps.convert_to<int>();
}

std::string refusal(auto action) {
  return pate::test::message_of<pate::parameter_error>(action);
}

}  // namespace

TEST_SUITE_BEGIN("sampling");

TEST_CASE("rounding takes as many digits as it needs") {
  // 1 + 2^-640 or so: above the grid point by less than any fixed number of digits shows.
  ScriptedBits above = small_fraction(10);
  NoisyValue value = noisy(1.0, 1.0, deviate(false, 0));
  CHECK(steps_above_one(value, -30, above) == 1);
  ScriptedBits below = small_fraction(10);
  value = noisy(1.0, 1.0, deviate(true, 0));
  CHECK(steps_above_one(value, -30, below) == 0);
  // A location just below the grid point, by less than the noise.
  ScriptedBits crossing = small_fraction(10);
  value = {Dyadic(1.0) - Dyadic(Integer(1), -2000), Dyadic(1.0), deviate(false, 0)};
  CHECK(steps_above_one(value, -30, crossing) == 1);
}

TEST_CASE("comparisons take as many digits as they need") {
  for (const bool negative : {false, true}) {
    ScriptedBits bits = small_fraction(10);
    NoisyValue value = noisy(3.0, 5.0, deviate(negative, 0));
    CHECK(value.reaches(Dyadic(3.0), bits) == !negative);
  }
  // Two deviates that agree in their first 4 digits of 32 bits: the source gives each four.
  ScriptedBits bits({0x1111111111111111U, 0x1111111111111111U, 0x1111111111111111U,
                     0x1111111111111111U, 5, 5, 7, 7});
  NoisyValue a = noisy(3.0, 5.0, deviate(false, 1));
  NoisyValue b = noisy(3.0, 5.0, deviate(false, 1));
  CHECK_FALSE(a.exceeds(b, bits));
  CHECK(b.exceeds(a, bits));
}

TEST_CASE("no noise at all: exact comparisons with the location") {
  ScriptedBits bits({1, 1, 1, 1, 1, 1});
  NoisyValue value = noisy(3.0, 0.0, deviate(false, 0));
  CHECK(value.reaches(Dyadic(3.0), bits));
  CHECK_FALSE(value.reaches(Dyadic(std::nextafter(3.0, 4.0)), bits));
  CHECK(steps_above_one(value, 0, bits) == 2);
  NoisyValue same = noisy(3.0, 0.0, deviate(true, 0));
  CHECK_FALSE(value.exceeds(same, bits));
  CHECK_FALSE(same.exceeds(value, bits));
}

TEST_CASE("what is rounded is the value: never below it, less than a step above") {
  TestBits source(11);
  pate_test::Random random(12);
  for (int i = 0; i < 3000; ++i) {
    const double location = random.uniform(-3.0, 3.0);
    const double scale = random.log_uniform(1e-12, 100.0);
    NoisyValue value = noisy(location, scale, exact_normal(source));
    const Integer steps = value.rounded_up(-30, source);
    const pate::DyadicInterval exact = value.interval(200, source);
    CHECK(Dyadic(steps, -30) >= exact.high);
    CHECK(Dyadic(steps, -30) - Dyadic(0x1p-30) < exact.low);
  }
}

TEST_CASE("a released number is clamped and on the grid") {
  TestBits source(13);
  pate_test::Random random(14);
  int low = 0;
  int high = 0;
  for (int i = 0; i < 3000; ++i) {
    NoisyValue value = noisy(1.0, 1.0, exact_normal(source));
    const double exact = std::ldexp(value.rounded_up(-30, source).convert_to<double>(), -30);
    const double z = released_on_grid(value, 1.7, source);
    CHECK(z * 0x1p30 == std::floor(z * 0x1p30));
    if (exact <= 0.0) {
      CHECK(z == 0.0);
      ++low;
    } else if (exact > 1.7) {
      CHECK(z == std::ceil(1.7 * 0x1p30) * 0x1p-30);  // the clamp comes before the rounding
      ++high;
    } else {
      CHECK(z == exact);
    }
  }
  CHECK(low > 300);
  CHECK(high > 500);
}

TEST_CASE("a large released number is rounded up to a double") {
  ScriptedBits bits = small_fraction(1);
  NoisyValue value = noisy(0x1p40, 1.0, deviate(false, 0));
  CHECK(released_on_grid(value, 0x1p50, bits) == std::nextafter(0x1p40, 0x1p41));
}

TEST_CASE("noise reaches a threshold as often as it should") {
  TestBits source(15);
  for (const auto& [location, scale, threshold] :
       {std::array{100.0, 15.0, 110.0}, std::array{60.0, 40.0, 60.0}, std::array{3.0, 2.5, 0.1}}) {
    std::array<std::int64_t, 2> counts{};
    for (int i = 0; i < 100000; ++i) {
      NoisyValue value = noisy(location, scale, exact_normal(source));
      ++counts.at(value.reaches(Dyadic(threshold), source) ? 1 : 0);
    }
    const double p = pate::normal_cdf((location - threshold) / scale);
    CHECK(pate::test::is_plausible(pate::test::chi_square_p(counts, std::array{1.0 - p, p})));
  }
}

TEST_CASE("parameters out of range are refused") {
  CHECK(refusal([] { (void)noisy(0.0, -1.0, deviate(false, 0)); }) ==
        "the scale of noise must be >= 0, got -1");
  TestBits source(16);
  NoisyValue value = noisy(0.0, 1.0, deviate(false, 0));
  CHECK(refusal([&] { (void)released_on_grid(value, -1.0, source); }) ==
        "the largest released value must be >= 0 and finite, got -1");
  CHECK(refusal([&] {
          (void)released_on_grid(value, pate_test::kNaN, source);
        }).starts_with("the largest released value must be >= 0"));
  CHECK(refusal([&] {
          (void)released_on_grid(value, pate_test::kInfinity, source);
        }).starts_with("an exact number must be finite"));
}

TEST_SUITE_END();
