#include "pate/math/shifted_tail.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("math") {
  TEST_CASE("shifted tails against the oracle") {
    for (const OracleRow& row : oracle("shifted_tail")) {
      const double log_p = row.number("log_p");
      const double got = log_shifted_tail(log_p, row.number("shift"));
      CHECK_MESSAGE(relative_error(got, row.number("log_shifted")) < 1e-14, row.text());
      // By how much the tail grew: log_p and the result are rounded, which is all that is lost.
      const double rounding = 3e-16 * (std::abs(log_p) + std::abs(got));
      CHECK_MESSAGE(std::abs((got - log_p) - row.number("growth")) <
                        1e-13 * std::abs(row.number("growth")) + rounding,
                    row.text());
    }
  }

  TEST_CASE("a tail shifted there and back is itself") {
    Random random(31);
    for (int i = 0; i < 3000; ++i) {
      const double log_p = -random.log_uniform(1e-3, 1e5);
      const double shift = random.log_uniform(1e-6, 3.0);
      const double up = log_shifted_tail(log_p, shift);
      const double down = log_shifted_tail(log_p, -shift);
      CHECK(up > log_p);
      CHECK(down < log_p);
      // A tail close to one cannot hold what lies below it, so only the safe way round is tested.
      CHECK_MESSAGE(relative_error(log_shifted_tail(down, shift), log_p) < 1e-12,
                    show({{"log_p", log_p}, {"shift", shift}}));
    }
  }

  TEST_CASE("shifts of nothing, of everything, and by nothing") {
    CHECK(log_shifted_tail(0.0, 1.0) == 0.0);
    CHECK(log_shifted_tail(0.0, -1.0) == 0.0);
    CHECK(log_shifted_tail(-kInfinity, 1.0) == -kInfinity);
    CHECK(log_shifted_tail(-kInfinity, -1.0) == -kInfinity);
    CHECK(std::isnan(log_shifted_tail(kNaN, 1.0)));
    for (const double log_p : {-1e-3, -0.7, -5.0, -4000.0, -1e6}) {
      CHECK(log_shifted_tail(log_p, 0.0) == log_p);
    }
    CHECK(log_shifted_tail(-1e-3, 40.0) <= 0.0);
  }
}
