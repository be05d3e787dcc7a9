#include "pate/mechanisms/positive_parameter.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "pate/error.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("mechanisms") {
  TEST_CASE("require_positive accepts noise whose costs a double holds") {
    for (const double value : {1e-100, 0.5, 40.0, 1e100}) {
      CHECK_NOTHROW(require_positive(value, "sigma2"));
    }
    for (const double value : {9e-101, 1.1e100, 1e300, std::numeric_limits<double>::denorm_min()}) {
      CHECK_THROWS_AS(require_positive(value, "sigma2"), parameter_error);
    }
    CHECK_THROWS_WITH_AS(require_positive(1e-200, "sigma2"),
                         "sigma2 must be between 1e-100 and 1e+100 votes, got 1e-200",
                         parameter_error);
  }

  TEST_CASE("require_positive names the parameter and the value") {
    CHECK_THROWS_WITH_AS(require_positive(0.0, "sigma2"), "sigma2 must be > 0 and finite, got 0",
                         parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(-1.0, "sigma1"), "sigma1 must be > 0 and finite, got -1",
                         parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(kNaN, "laplace-scale"),
                         "laplace-scale must be > 0 and finite, got nan", parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(kInfinity, "x"), "x must be > 0 and finite, got inf",
                         parameter_error);
    CHECK_THROWS_WITH_AS(require_positive(-kInfinity, "x"), "x must be > 0 and finite, got -inf",
                         parameter_error);
  }
}
