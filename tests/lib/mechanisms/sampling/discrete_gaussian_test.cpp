#include "pate/mechanisms/sampling/discrete_gaussian.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/test_bits.hpp"

using namespace pate;
using pate::test::chi_square_p;
using pate::test::ConstantBits;
using pate::test::is_plausible;
using pate::test::TestBits;
using pate_test::relative_error;

namespace {

// Pr[-reach], ..., Pr[reach], and what is further out.
std::vector<double> cells_of(const DiscreteGaussian& law, std::int64_t reach) {
  std::vector<double> cells;
  double left = 1.0;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    cells.push_back(std::exp(law.log_probability(z)));
    left -= cells.back();
  }
  cells.push_back(left);
  return cells;
}

double fit(const DiscreteGaussian& drawn, const DiscreteGaussian& law, std::int64_t reach) {
  TestBits bits(20);
  const std::vector<double> cells = cells_of(law, reach);
  std::vector<std::int64_t> counts(cells.size());
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t z = drawn.draw(bits);
    ++counts[std::abs(z) > reach ? cells.size() - 1 : static_cast<std::size_t>(z + reach)];
  }
  return chi_square_p(counts, cells);
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("discrete Gaussian: drawn as often as it says") {
    for (const double s : {0.6, 1.0, 3.7}) {
      CAPTURE(s);
      const DiscreteGaussian law(s);
      const auto reach = static_cast<std::int64_t>(2.5 * s);
      CHECK(is_plausible(fit(law, law, reach)));
      CHECK(fit(DiscreteGaussian(1.05 * s), law, reach) < 1e-3);
    }
  }

  TEST_CASE("discrete Gaussian: probabilities of all integers are one") {
    for (const double s : {DiscreteGaussian::kLeast, 0.1, 0.5, 1.0, 3.9, 4.1, 100.0, 4096.0}) {
      CAPTURE(s);
      const DiscreteGaussian law(s);
      long double sum = 0.0L;
      const auto reach = static_cast<std::int64_t>(40.0 * s) + 2;
      for (std::int64_t z = -reach; z <= reach; ++z) {
        sum += std::exp(static_cast<long double>(law.log_probability(z)));
      }
      CHECK(std::abs(static_cast<double>(sum - 1.0L)) < 1e-12);
      CHECK(relative_error(law.s() * law.s(), law.variance()) < 1e-15);
      for (const std::int64_t z : {-3, 0, 2}) {
        const double ratio = law.log_probability(z) - law.log_probability(z - 2);
        CHECK(std::abs(ratio - law.log_ratio(z, 2)) <= 1e-12 * (1.0 + std::abs(ratio)));
      }
    }
  }

  TEST_CASE("discrete Gaussian: s out of range, and sources that repeat themselves") {
    for (const double s : {0.0, -1.0, 0.0078, 4096.1, HUGE_VAL, std::nan("")}) {
      CHECK_THROWS_AS(DiscreteGaussian{s}, parameter_error);
    }
    const DiscreteGaussian law(2.0);
    ConstantBits ones(~std::uint64_t{0});  // nothing is below 3
    CHECK_THROWS_AS(static_cast<void>(law.draw(ones)), input_error);
    ConstantBits zeros(0);  // nothing is as large as 1
    CHECK_THROWS_AS(static_cast<void>(law.draw(zeros)), input_error);
    // Any other word: all draws end, and nearly all words are noticed.
    TestBits words(3);
    int refused = 0;
    std::int64_t largest = 0;
    for (int i = 0; i < 100; ++i) {
      ConstantBits repeated(std::uint64_t{words.bits(32)} << 32U | words.bits(32));
      try {
        for (int draw = 0; draw < 100; ++draw) {
          largest = std::max(largest, std::abs(law.draw(repeated)));
        }
      } catch (const input_error&) {
        ++refused;
      }
    }
    CHECK(refused > 30);
    CHECK(largest < 100);
  }
}
