#include "pate/mechanisms/sampling/largest_deviate.hpp"

#include <doctest/doctest.h>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/numerics/normal.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

using pate::BinaryDigits;
using pate::BitSource;
using pate::draw_binomial;
using pate::exact_laplace;
using pate::exact_laplace_above;
using pate::exact_normal;
using pate::exact_normal_above;
using pate::ExactDeviate;
using pate::Integer;
using pate::laplace_tail;
using pate::LargestDeviate;
using pate::normal_tail;
using pate::test::BiasedBits;
using pate::test::ConstantBits;
using pate::test::is_plausible;
using pate::test::message_of;
using pate::test::TestBits;

namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<240>>;

// By erf's series of positive terms. Boost's erfc of so many digits would prepare its constants at
// every start of the program, before any test.
Wide wide_normal_tail(std::uint64_t level) {
  const Wide x = level;
  Wide sum = 0;
  Wide term = x;
  for (unsigned n = 1; sum + term != sum; ++n) {
    sum += term;
    term *= x * x / (2 * n + 1);
  }
  using boost::math::constants::pi;
  return (1 - sum * exp(-x * x / 2) * sqrt(2 / pi<Wide>())) / 2;
}
Wide wide_laplace_tail(std::uint64_t level) {
  return exp(-Wide(level)) / 2;
}

// The first `count` digits as a number.
Wide number_of(BinaryDigits& digits, unsigned count) {
  Wide result = 0;
  for (unsigned i = count; i-- > 0;) result = (result + (digits[i] ? 1 : 0)) / 2;
  return result;
}

double tail_of_normal(double x) {
  return pate::normal_cdf(-x);
}
double tail_of_laplace(double x) {
  return x < 0.0 ? 1.0 - 0.5 * std::exp(x) : 0.5 * std::exp(-x);
}

// p of the test of equally likely cells for numbers that should be uniform on (0, 1).
double uniform_p(int draws, std::size_t cells, const std::function<double()>& draw) {
  std::vector<std::int64_t> counts(cells, 0);
  for (int i = 0; i < draws; ++i) {
    const auto cell = static_cast<std::size_t>(draw() * static_cast<double>(cells));
    ++counts.at(std::min(cells - 1, cell));
  }
  return pate::test::chi_square_p(counts,
                                  std::vector<double>(cells, 1.0 / static_cast<double>(cells)));
}

// Whether the largest of `drawn` deviates looks like the largest of `n`: Pr[largest <= x] is
// (1 - tail(x))^n.
double p_of_largest(const LargestDeviate::Law& law, double (*tail)(double), std::uint64_t drawn,
                    std::uint64_t n, int draws, BitSource& source) {
  LargestDeviate largest(law);
  return uniform_p(draws, 32, [&] {
    const double x = largest.draw(drawn, source).approximation(source);
    return std::exp(static_cast<double>(n) * std::log1p(-tail(x)));
  });
}

double p_of_binomial(std::uint64_t n, BinaryDigits digits, double probability, BitSource& source) {
  constexpr int kDraws = 40000;
  const boost::math::binomial_distribution<double> law(static_cast<double>(n), probability);
  std::vector<std::int64_t> observed{0};
  std::vector<double> expected{0.0};
  std::vector<std::int64_t> counts(n + 1, 0);
  for (int i = 0; i < kDraws; ++i) ++counts.at(draw_binomial(n, digits, source));
  for (std::size_t k = 0; k <= n; ++k) {  // neighbours together until ten are expected
    observed.back() += counts[k];
    expected.back() += pdf(law, static_cast<double>(k));
    if (expected.back() * kDraws > 10.0 && k < n) {
      observed.push_back(0);
      expected.push_back(0.0);
    }
  }
  if (expected.back() * kDraws < 10.0) {
    observed[observed.size() - 2] += observed.back();
    expected[expected.size() - 2] += expected.back();
    observed.pop_back();
    expected.pop_back();
  }
  return pate::test::chi_square_p(observed, expected);
}

}  // namespace

TEST_SUITE_BEGIN("sampling");

TEST_CASE("digits of tails are those of 240 digits") {
  for (const std::uint64_t level : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 11U, 20U}) {
    CAPTURE(level);
    // The reference is good to 2^-700; digits cut off what is below 2^-count.
    for (const unsigned count : {1U, 64U, 128U, 129U, 500U}) {
      BinaryDigits normal = normal_tail(level);
      BinaryDigits laplace = laplace_tail(level);
      const Wide cut = ldexp(Wide(1), -static_cast<int>(count));
      const Wide below_normal = wide_normal_tail(level) - number_of(normal, count);
      const Wide below_laplace = wide_laplace_tail(level) - number_of(laplace, count);
      CHECK(below_normal > -ldexp(Wide(1), -700));
      CHECK(below_normal < cut);
      CHECK(below_laplace > -ldexp(Wide(1), -700));
      CHECK(below_laplace < cut);
      CHECK(Wide(normal.lower_128()) <= ldexp(wide_normal_tail(level) + ldexp(Wide(1), -700), 128));
      CHECK(Wide(normal.lower_128()) > ldexp(wide_normal_tail(level), 128) - 4);
    }
  }
  BinaryDigits half = normal_tail(0);
  CHECK(half[0]);
  for (unsigned i = 1; i < 300; ++i) CHECK_FALSE(half[i]);
  CHECK(message_of<pate::parameter_error>([] { (void)normal_tail(65); }) ==
        "the level of a tail must be <= 64, got 65");
  CHECK(message_of<pate::parameter_error>([] { (void)laplace_tail(65); }) ==
        "the level of a tail must be <= 64, got 65");
  CHECK(normal_tail(64).lower_128() == 0);
  CHECK_FALSE(normal_tail(64)[127]);
}

TEST_CASE("digits that are open at 128 bits are worked out further") {
  // 2^-1 - 2^-200: a row of ones that ends far away.
  BinaryDigits digits([](unsigned bits) -> BinaryDigits::Interval {
    const Integer half = Integer(1) << (bits - 1);
    if (bits < 200) return {half - 1, half};
    const Integer exact = half - (Integer(1) << (bits - 200));
    return {exact, exact};
  });
  CHECK_FALSE(digits[0]);
  CHECK(digits[1]);
  CHECK(digits[199]);
  CHECK_FALSE(digits[200]);
  BinaryDigits never([](unsigned bits) -> BinaryDigits::Interval {
    const Integer half = Integer(1) << (bits - 1);
    return {half - 1, half};
  });
  CHECK(message_of<pate::input_error>([&] { (void)never[0]; }) ==
        "the random source repeats itself: 2^12 digits of a probability decided nothing");
}

TEST_CASE("the number of events is binomial") {
  TestBits source(11);
  for (const std::uint64_t n : {1U, 2U, 7U, 31U, 32U, 33U, 64U, 200U, 1000U}) {
    CAPTURE(n);
    CHECK(is_plausible(p_of_binomial(n, normal_tail(0), 0.5, source)));
    CHECK(is_plausible(p_of_binomial(n, normal_tail(1), pate::normal_cdf(-1.0), source)));
    CHECK(is_plausible(p_of_binomial(n, laplace_tail(2), 0.5 * std::exp(-2.0), source)));
  }
  CHECK(p_of_binomial(200, normal_tail(1), 1.03 * pate::normal_cdf(-1.0), source) < 1e-6);
  CHECK(p_of_binomial(205, normal_tail(1), 200.0 / 205.0 * 1.03 * pate::normal_cdf(-1.0), source) <
        1e-4);
  BiasedBits biased(12, 5);
  CHECK(p_of_binomial(200, normal_tail(1), pate::normal_cdf(-1.0), biased) < 1e-6);
  BinaryDigits half = normal_tail(0);
  CHECK(draw_binomial(0, half, source) == 0);
  // Coins that never fall on the other side, where no digit is a one.
  BinaryDigits zero([](unsigned) { return BinaryDigits::Interval{0, 0}; });
  ConstantBits stuck(0);
  CHECK_THROWS_AS((void)draw_binomial(3, zero, stuck), pate::input_error);
  CHECK(draw_binomial(3, zero, source) == 0);
}

TEST_CASE("deviates above a level have the distribution given that") {
  TestBits source(13);
  for (const std::uint64_t level : {0U, 1U, 3U, 9U}) {
    CAPTURE(level);
    bool all_above = true;
    const auto share = [&](ExactDeviate deviate, double (*tail)(double)) {
      all_above = all_above && !deviate.is_negative() && deviate.whole() >= level;
      return tail(deviate.approximation(source)) / tail(static_cast<double>(level));
    };
    CHECK(is_plausible(uniform_p(
        20000, 64, [&] { return share(exact_normal_above(level, source), tail_of_normal); })));
    CHECK(is_plausible(uniform_p(
        20000, 64, [&] { return share(exact_laplace_above(level, source), tail_of_laplace); })));
    CHECK(all_above);
    // Deviates that are a little too large are noticed.
    CHECK(uniform_p(20000, 64, [&] {
            const double x = exact_normal_above(level, source).approximation(source) + 0.05;
            return tail_of_normal(x) / tail_of_normal(static_cast<double>(level));
          }) < 1e-6);
  }
  CHECK(message_of<pate::parameter_error>([&] { (void)exact_normal_above(65, source); }) ==
        "the level of a normal deviate must be <= 64, got 65");
}

TEST_CASE("deviates are compared as the numbers they are") {
  TestBits source(14);
  for (int i = 0; i < 500; ++i) {
    ExactDeviate a = i % 2 == 0 ? exact_normal(source) : exact_laplace(source);
    ExactDeviate b = exact_normal(source);
    const bool smaller = a.approximation(source) < b.approximation(source);
    CHECK(less(a, b, source) == smaller);
    CHECK(less(b, a, source) == !smaller);
  }
}

TEST_CASE("the largest of many deviates has the distribution of the largest") {
  TestBits source(15);
  for (const std::uint64_t n : {1U, 2U, 3U, 31U, 32U, 128U, 1000U}) {
    CAPTURE(n);
    CHECK(is_plausible(p_of_largest(LargestDeviate::kNormal, tail_of_normal, n, n, 20000, source)));
    CHECK(
        is_plausible(p_of_largest(LargestDeviate::kLaplace, tail_of_laplace, n, n, 20000, source)));
  }
  CHECK(is_plausible(
      p_of_largest(LargestDeviate::kNormal, tail_of_normal, 128000, 128000, 2000, source)));
  CHECK(is_plausible(
      p_of_largest(LargestDeviate::kLaplace, tail_of_laplace, 128000, 128000, 5000, source)));
  LargestDeviate largest(LargestDeviate::kNormal);
  CHECK(message_of<pate::parameter_error>([&] { (void)largest.draw(0, source); }) ==
        "the largest of no deviates is none");
}

TEST_CASE("the largest of a few more or a few less fails the same test") {
  TestBits source(16);
  CHECK(p_of_largest(LargestDeviate::kNormal, tail_of_normal, 1100, 1000, 20000, source) < 1e-6);
  CHECK(p_of_largest(LargestDeviate::kLaplace, tail_of_laplace, 90, 100, 20000, source) < 1e-6);
  CHECK(p_of_largest(LargestDeviate::kNormal, tail_of_normal, 3, 2, 20000, source) < 1e-6);
}

TEST_CASE("the largest of one, of two and of very many, with few draws") {
  TestBits source(17);
  for (const std::uint64_t n : {1U, 2U, 3U, 40U, 5000U}) {
    CAPTURE(n);
    CHECK(is_plausible(p_of_largest(LargestDeviate::kNormal, tail_of_normal, n, n, 300, source)));
    CHECK(is_plausible(p_of_largest(LargestDeviate::kLaplace, tail_of_laplace, n, n, 300, source)));
  }
  LargestDeviate none(LargestDeviate::kNormal);
  CHECK_THROWS_WITH_AS((void)none.draw(0, source), "the largest of no deviates is none",
                       pate::parameter_error);
}

TEST_SUITE_END();
