#include "pate/numerics/sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double compensated_sum_of(const std::vector<double>& terms) {
  CompensatedSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

double upward_sum_of(const std::vector<double>& terms) {
  UpwardSum sum;
  for (const double term : terms) sum.add(UpwardSum(term));
  return sum.value();
}

}  // namespace

TEST_SUITE("math") {
  TEST_CASE("a compensated sum keeps what plain addition loses") {
    CHECK(compensated_sum_of({}) == 0.0);
    CHECK(compensated_sum_of({0.1}) == 0.1);
    CHECK(compensated_sum_of({1.0, 1e100, 1.0, -1e100}) == 2.0);
    std::vector<double> terms{1.0};
    for (int i = 0; i < 1024; ++i) terms.push_back(std::ldexp(1.0, -54));
    CHECK(compensated_sum_of(terms) == 1.0 + std::ldexp(1.0, -44));
  }

  TEST_CASE("a compensated sum of many costs is exact to a unit in the last place") {
    Random random(31);
    std::vector<double> terms;
    long double exact = 0.0L;
    for (int i = 0; i < 100000; ++i) {
      // Multiples of 2^-60 below 8: their sum is exact in long double.
      terms.push_back(std::ldexp(std::floor(std::ldexp(random.log_uniform(1e-12, 1.0), 43)), -43));
      exact += terms.back();
    }
    CHECK(relative_error(compensated_sum_of(terms), static_cast<double>(exact)) < 2.3e-16);
    std::shuffle(terms.begin(), terms.end(), random.engine());
    CHECK(relative_error(compensated_sum_of(terms), static_cast<double>(exact)) < 2.3e-16);
  }

  TEST_CASE("a compensated sum lets infinities and NaN through") {
    CHECK(compensated_sum_of({1.0, kInfinity, 2.0}) == kInfinity);
    CHECK(compensated_sum_of({-kInfinity, 5.0}) == -kInfinity);
    CHECK(compensated_sum_of({1e308, 1e308}) == kInfinity);
    CHECK(std::isnan(compensated_sum_of({kInfinity, -kInfinity})));
    CHECK(std::isnan(compensated_sum_of({1.0, kNaN, 1.0})));
  }

  TEST_CASE("upward sums are never below and hardly above") {
    Random random(631);
    for (int i = 0; i < 50; ++i) {
      std::vector<double> terms(1000);
      long double exact = 0.0L;
      for (double& term : terms) {
        term = random.log_uniform(1e-12, 1e3);
        exact += static_cast<long double>(term);
      }
      const auto got = static_cast<long double>(upward_sum_of(terms));
      CHECK(got >= exact);
      CHECK(got <= exact * (1.0L + 1e-15L) + 1000.0L * 0x1p-64L);
    }
    CHECK(upward_sum_of({}) == 0.0);
    CHECK(upward_sum_of({0.0, 0.0}) == 0.0);
    CHECK(upward_sum_of({1e-300}) >= 1e-300);
    CHECK(upward_sum_of({1e-300}) < 1e-19);
    CHECK(upward_sum_of({1.0 - 0x1p-53}) >= 1.0 - 0x1p-53);
    CHECK(upward_sum_of({0.75, 0.75}) == doctest::Approx(1.5).epsilon(1e-15));
  }

  TEST_CASE("upward sums do not depend on the order of the terms or how they are grouped") {
    Random random(632);
    std::vector<double> terms(500);
    for (double& term : terms) term = random.log_uniform(1e-30, 1e6);
    const double expected = upward_sum_of(terms);
    for (int i = 0; i < 20; ++i) {
      std::shuffle(terms.begin(), terms.end(), random.engine());
      CHECK(upward_sum_of(terms) == expected);
      const std::size_t cut = static_cast<std::size_t>(random.integer(0, 500));
      UpwardSum first;
      UpwardSum second;
      for (std::size_t k = 0; k < terms.size(); ++k) {
        (k < cut ? first : second).add(UpwardSum(terms[k]));
      }
      first.add(second);
      CHECK(first.value() == expected);
    }
  }

  TEST_CASE("upward sums of infinite and absurd terms are infinite") {
    CHECK(upward_sum_of({1.0, kInfinity, 1.0}) == kInfinity);
    CHECK(upward_sum_of({kNaN}) == kInfinity);
    CHECK(upward_sum_of({1e30}) == kInfinity);
    CHECK(upward_sum_of({1e15, 0.5}) == doctest::Approx(1e15).epsilon(1e-12));
  }
}
