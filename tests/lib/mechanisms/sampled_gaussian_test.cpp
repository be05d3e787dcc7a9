#include "pate/mechanisms/sampled_gaussian.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using pate_test::relative_error;

TEST_SUITE("mechanisms") {
  TEST_CASE("sampled queries: both steps add up in squares, rounded up") {
    // 1/3^2 + 1/4^2 = (5/12)^2.
    const double both = SampledGaussian{0.1, 4.0, 3.0}.mu();
    CHECK(both >= 5.0 / 12.0);
    CHECK(relative_error(both, 5.0 / 12.0) < 1e-14);
    const double alone = SampledGaussian{0.1, 4.0}.mu();
    CHECK(alone > 0.25);
    CHECK(relative_error(alone, 0.25) < 1e-14);
    CHECK_FALSE(SampledGaussian{0.1, 4.0}.has_check());
    // A vote of a record moves by sqrt 2, the top count by one: 2/6^2 + 1/3^2 = 1/6.
    const double moved = SampledGaussian{0.1, 6.0, 3.0, SampleOf::records}.mu();
    CHECK(moved * moved >= 1.0 / 6.0);
    CHECK(relative_error(moved, std::sqrt(1.0 / 6.0)) < 1e-14);
  }

  TEST_CASE("sampled queries: what is out of range") {
    CHECK_NOTHROW(validate(SampledGaussian{0.5, 4.0}));
    CHECK_NOTHROW(validate(SampledGaussian{0.5, 4.0, 3.0}));
    for (const double rate : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
      CHECK_THROWS_AS(validate(SampledGaussian{rate, 4.0}), parameter_error);
    }
    for (const double sigma : {-1.0, HUGE_VAL, std::nan("")}) {
      CHECK_THROWS_AS(validate(SampledGaussian{0.5, sigma}), parameter_error);
      CHECK_THROWS_AS(validate(SampledGaussian{0.5, 4.0, sigma}), parameter_error);
    }
    CHECK_THROWS_AS(validate(SampledGaussian{0.5, 0.0}), parameter_error);
  }
}
