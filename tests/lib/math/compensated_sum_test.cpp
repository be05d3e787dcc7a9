#include "pate/math/compensated_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double sum_of(const std::vector<double>& terms) {
  CompensatedSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

}  // namespace

TEST_SUITE("math") {
  TEST_CASE("a compensated sum keeps what plain addition loses") {
    CHECK(sum_of({}) == 0.0);
    CHECK(sum_of({0.1}) == 0.1);
    CHECK(sum_of({1.0, 1e100, 1.0, -1e100}) == 2.0);
    std::vector<double> terms{1.0};
    for (int i = 0; i < 1024; ++i) terms.push_back(std::ldexp(1.0, -54));
    CHECK(sum_of(terms) == 1.0 + std::ldexp(1.0, -44));
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
    CHECK(relative_error(sum_of(terms), static_cast<double>(exact)) < 2.3e-16);
    std::shuffle(terms.begin(), terms.end(), random.engine());
    CHECK(relative_error(sum_of(terms), static_cast<double>(exact)) < 2.3e-16);
  }

  TEST_CASE("a compensated sum lets infinities and NaN through") {
    CHECK(sum_of({1.0, kInfinity, 2.0}) == kInfinity);
    CHECK(sum_of({-kInfinity, 5.0}) == -kInfinity);
    CHECK(sum_of({1e308, 1e308}) == kInfinity);
    CHECK(std::isnan(sum_of({kInfinity, -kInfinity})));
    CHECK(std::isnan(sum_of({1.0, kNaN, 1.0})));
  }
}
