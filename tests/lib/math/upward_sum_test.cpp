#include "pate/math/upward_sum.hpp"

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
  UpwardSum sum;
  for (const double term : terms) sum.add(UpwardSum(term));
  return sum.value();
}

}  // namespace

TEST_SUITE("math") {
  TEST_CASE("upward sums are never below and hardly above") {
    Random random(631);
    for (int i = 0; i < 50; ++i) {
      std::vector<double> terms(1000);
      long double exact = 0.0L;
      for (double& term : terms) {
        term = random.log_uniform(1e-12, 1e3);
        exact += static_cast<long double>(term);
      }
      const auto got = static_cast<long double>(sum_of(terms));
      CHECK(got >= exact);
      CHECK(got <= exact * (1.0L + 1e-15L) + 1000.0L * 0x1p-64L);
    }
    CHECK(sum_of({}) == 0.0);
    CHECK(sum_of({0.0, 0.0}) == 0.0);
    CHECK(sum_of({1e-300}) >= 1e-300);
    CHECK(sum_of({1e-300}) < 1e-19);
    CHECK(sum_of({1.0 - 0x1p-53}) >= 1.0 - 0x1p-53);
    CHECK(sum_of({0.75, 0.75}) == doctest::Approx(1.5).epsilon(1e-15));
  }

  TEST_CASE("upward sums do not depend on the order of the terms or how they are grouped") {
    Random random(632);
    std::vector<double> terms(500);
    for (double& term : terms) term = random.log_uniform(1e-30, 1e6);
    const double expected = sum_of(terms);
    for (int i = 0; i < 20; ++i) {
      std::shuffle(terms.begin(), terms.end(), random.engine());
      CHECK(sum_of(terms) == expected);
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
    CHECK(sum_of({1.0, kInfinity, 1.0}) == kInfinity);
    CHECK(sum_of({kNaN}) == kInfinity);
    CHECK(sum_of({1e30}) == kInfinity);
    CHECK(sum_of({1e15, 0.5}) == doctest::Approx(1e15).epsilon(1e-12));
  }
}
