#include "pate/mechanisms/positive_parameter.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "pate/error.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("mechanisms") {
  TEST_CASE("require_positive accepts every positive finite number") {
    for (const double value :
         {1e-300, 0.5, 40.0, 1e300, std::numeric_limits<double>::denorm_min()}) {
      CHECK_NOTHROW(require_positive(value, "sigma2"));
    }
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
