#include "pate/mechanisms/sampling/exact_deviate.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>
#include "pate/base/error.hpp"
#include "pate/numerics/normal.hpp"
#include "support/accuracy.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

using pate::BitSource;
using pate::Dyadic;
using pate::DyadicInterval;
using pate::exact_exponential;
using pate::exact_laplace;
using pate::exact_normal;
using pate::ExactDeviate;
using pate::Integer;
using pate::LazyUniform;
using pate::NoisyValue;
using pate::released_on_grid;
using pate::test::BiasedBits;
using pate::test::ConstantBits;
using pate::test::is_plausible;
using pate::test::ScriptedBits;
using pate::test::TestBits;

namespace {

constexpr int kDraws = 600000;

using Draw = std::function<double()>;
using Distribution = double (*)(double);

double exponential_cdf(double x) {
  return x < 0.0 ? 0.0 : -std::expm1(-x);
}
double laplace_cdf(double x) {
  return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x);
}

// p of the test of 128 equally likely cells.
double fit(const Draw& draw, Distribution cdf) {
  constexpr std::size_t kCells = 128;
  std::array<std::int64_t, kCells> counts{};
  for (int i = 0; i < kDraws; ++i) {
    ++counts.at(std::min(kCells - 1, static_cast<std::size_t>(cdf(draw()) * kCells)));
  }
  std::array<double, kCells> fair{};
  fair.fill(1.0 / kCells);
  return pate::test::chi_square_p(counts, fair);
}

// The largest deviation of the first moments from their values, in standard deviations.
double moments(const Draw& draw, const std::vector<double>& expected) {
  std::vector<double> sums(expected.size() / 2, 0.0);
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw();
    double power = 1.0;
    for (double& sum : sums) sum += power *= x;
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double variance = expected[2 * i + 1] - expected[i] * expected[i];
    worst =
        std::max(worst, std::abs(sums[i] / kDraws - expected[i]) / std::sqrt(variance / kDraws));
  }
  return worst;
}

// E x^1 .. E x^8
const std::vector<double> kNormalMoments{0, 1, 0, 3, 0, 15, 0, 105};
const std::vector<double> kExponentialMoments{1, 2, 6, 24, 120, 720, 5040, 40320};
const std::vector<double> kLaplaceMoments{0, 2, 0, 24, 0, 720, 0, 40320};

template <class Source>
Draw drawing(ExactDeviate (*sampler)(BitSource&), Source& source) {
  return [sampler, &source] { return sampler(source).approximation(source); };
}

// How far the number of draws beyond x is from what it should be, in standard deviations.
double tail(const Draw& draw, double x, double probability) {
  int beyond = 0;
  for (int i = 0; i < kDraws; ++i) beyond += draw() > x ? 1 : 0;
  const double expected = kDraws * probability;
  return std::abs(beyond - expected) / std::sqrt(expected * (1.0 - probability));
}

}  // namespace

TEST_SUITE_BEGIN("sampling");

TEST_CASE("normal deviates have the normal distribution") {
  TestBits source(1);
  const Draw draw = drawing(exact_normal, source);
  CHECK(is_plausible(fit(draw, pate::normal_cdf)));
  CHECK(moments(draw, kNormalMoments) < 3.0);
  for (const double x : {2.0, 3.0, 4.0}) {
    CAPTURE(x);
    CHECK(tail(draw, x, pate::normal_cdf(-x)) < 3.0);
    CHECK(tail([&] { return -draw(); }, x, pate::normal_cdf(-x)) < 3.0);
  }
}

TEST_CASE("exponential and Laplace deviates have theirs") {
  TestBits source(3);
  const Draw exponential = drawing(exact_exponential, source);
  CHECK(is_plausible(fit(exponential, exponential_cdf)));
  CHECK(moments(exponential, kExponentialMoments) < 3.0);
  CHECK(tail(exponential, 8.0, std::exp(-8.0)) < 3.0);
  const Draw laplace = drawing(exact_laplace, source);
  CHECK(is_plausible(fit(laplace, laplace_cdf)));
  CHECK(moments(laplace, kLaplaceMoments) < 3.0);
  CHECK(tail(laplace, 7.0, 0.5 * std::exp(-7.0)) < 3.0);
}

// The statistics above notice samplers that are only a little wrong.
TEST_CASE("wrong samplers fail the same tests") {
  TestBits source(4);
  const Draw draw = drawing(exact_normal, source);
  CHECK(fit([&] { return 1.02 * draw(); }, pate::normal_cdf) < 1e-6);
  CHECK(fit([&] { return draw() + 0.02; }, pate::normal_cdf) < 1e-6);
  CHECK(moments([&] { return draw() + 0.01; }, kNormalMoments) > 5.0);
  CHECK(tail([&] { return 1.02 * draw(); }, 3.0, pate::normal_cdf(-3.0)) > 3.0);
  // A sum of twelve uniform deviates: right mean and variance, tails too light.
  const Draw sum = [&] {
    double total = -6.0;
    for (int i = 0; i < 12; ++i) total += std::ldexp(source.bits(32) + 0.5, -32);
    return total;
  };
  CHECK(moments(sum, kNormalMoments) > 5.0);
  CHECK(tail(sum, 3.0, pate::normal_cdf(-3.0)) > 5.0);
  // Coins that fall on one side with probability 0.516.
  BiasedBits biased(5, 5);
  CHECK(fit(drawing(exact_normal, biased), pate::normal_cdf) < 1e-6);
  CHECK(fit(drawing(exact_laplace, biased), laplace_cdf) < 1e-6);
  CHECK(fit(drawing(exact_exponential, biased), exponential_cdf) < 1e-6);
}

TEST_CASE("digits beyond the compared ones are fair, and independent of the deviate") {
  const auto check = [](BitSource& source, auto sampler) {
    constexpr unsigned kFirst = 40;
    constexpr unsigned kBytes = 10;
    constexpr int kDeviates = 20000;
    std::vector<std::int64_t> bytes(256, 0);
    std::vector<std::int64_t> by_size(4, 0);  // larger than the median or not, next digit
    for (int i = 0; i < kDeviates; ++i) {
      ExactDeviate deviate = sampler(source);
      const bool large = std::abs(deviate.approximation(source)) > 0.674489750196082;
      const Dyadic low = deviate.interval(kFirst + 8 * kBytes, source).low;
      Integer digits = abs(low.mantissa()) - (deviate.is_negative() ? 1 : 0);
      for (unsigned k = 0; k < kBytes; ++k, digits >>= 8) {
        ++bytes[static_cast<std::size_t>(digits & 255)];
      }
      ++by_size[(large ? 2U : 0U) + static_cast<std::size_t>(digits & 1)];
    }
    const std::vector<double> fair(256, 1.0 / 256);
    const std::vector<double> quarters(4, 0.25);
    return std::pair(pate::test::chi_square_p(bytes, fair),
                     pate::test::chi_square_p(by_size, quarters));
  };
  TestBits source(6);
  const auto [bytes, by_size] = check(source, exact_normal);
  CHECK(is_plausible(bytes));
  CHECK(is_plausible(by_size));
  BiasedBits biased(7, 6);
  CHECK(check(biased, exact_normal).first < 1e-6);
}

TEST_CASE("an interval of more digits lies within one of fewer; digits never change") {
  TestBits source(8);
  for (int i = 0; i < 300; ++i) {
    ExactDeviate deviate = i % 2 == 0 ? exact_normal(source) : exact_laplace(source);
    DyadicInterval outer = deviate.interval(0, source);
    CHECK(outer.high - outer.low == Dyadic(1.0));
    for (const unsigned bits : {1U, 31U, 32U, 33U, 64U, 100U, 500U}) {
      const DyadicInterval inner = deviate.interval(bits, source);
      CHECK(inner.high - inner.low == Dyadic(Integer(1), -static_cast<int>(bits)));
      CHECK(outer.low <= inner.low);
      CHECK(inner.high <= outer.high);
      outer = inner;
    }
    CHECK(deviate.interval(500, source).low == outer.low);
    const double approximation = deviate.approximation(source);
    const double error = static_cast<double>(deviate.whole() + 1) * std::ldexp(1.0, -32);
    CHECK(outer.low >= Dyadic(approximation - error));
    CHECK(outer.high <= Dyadic(approximation + error));
    CHECK(deviate.is_negative() == (outer.high <= Dyadic(0.0)));
  }
}

TEST_CASE("a source that repeats itself is noticed") {
  for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    ConstantBits stuck(word);
    for (const auto sampler : {exact_normal, exact_exponential, exact_laplace}) {
      CHECK(pate::test::message_of<pate::input_error>([&] {
              (void)sampler(stuck);
            }).starts_with("the random source repeats itself: "));
    }
  }
}

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
