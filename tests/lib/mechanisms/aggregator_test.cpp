#include "pate/mechanisms/aggregator.hpp"
#include "pate/divergence/bounds/query_cost.hpp"

#include <doctest/doctest.h>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const Aggregator kLnmax{std::nullopt, {LaplaceNoisyMax{20.0}}};
const Aggregator kGnmax{std::nullopt, {GaussianNoisyMax{40.0}}};
const Aggregator kConfident{ThresholdCheck{200.0, 150.0}, {GaussianNoisyMax{40.0}}};
const Aggregator kInteractive{ThresholdCheck{200.0, 150.0}, {GaussianNoisyMax{40.0}}, true};

}  // namespace

TEST_SUITE("aggregators") {
  TEST_CASE("aggregators have their names") {
    CHECK(kLnmax.name() == "lnmax");
    CHECK(kGnmax.name() == "gnmax");
    CHECK(kConfident.name() == "confident");
    CHECK(kInteractive.name() == "interactive");
    CHECK_FALSE(kLnmax.is_gaussian());
    CHECK(kGnmax.is_gaussian());
  }

  TEST_CASE("valid aggregators are accepted") {
    for (const Aggregator& aggregator : {kLnmax, kGnmax, kConfident, kInteractive}) {
      CHECK_NOTHROW(validate(aggregator));
    }
  }

  TEST_CASE("aggregators that make no sense are refused") {
    Aggregator laplace_after_check = kLnmax;
    laplace_after_check.selection = ThresholdCheck{200.0, 150.0};
    CHECK_THROWS_WITH_AS(validate(laplace_after_check),
                         doctest::Contains("threshold check goes with Gaussian noise"),
                         parameter_error);
    Aggregator no_check = kGnmax;
    no_check.interactive = true;
    CHECK_THROWS_WITH_AS(validate(no_check),
                         doctest::Contains("interactive aggregator needs a threshold"),
                         parameter_error);
    no_check.noisy_max = LaplaceNoisyMax{20.0};
    CHECK_THROWS_AS(validate(no_check), parameter_error);
  }

  TEST_CASE("parameters out of range are refused by name and value") {
    for (const double bad : {0.0, -1.0, kNaN, kInfinity}) {
      Aggregator noise = kConfident;
      noise.noisy_max = GaussianNoisyMax{bad};
      CHECK_THROWS_WITH_AS(validate(noise), doctest::Contains("sigma2 must be > 0"),
                           parameter_error);
      Aggregator check = kConfident;
      check.selection->sigma1 = bad;
      CHECK_THROWS_WITH_AS(validate(check), doctest::Contains("sigma1 must be > 0"),
                           parameter_error);
      Aggregator laplace = kLnmax;
      laplace.noisy_max = LaplaceNoisyMax{bad};
      CHECK_THROWS_WITH_AS(validate(laplace), doctest::Contains("scale must be > 0"),
                           parameter_error);
    }
    Aggregator threshold = kInteractive;
    threshold.selection->threshold = kInfinity;
    CHECK_THROWS_WITH_AS(validate(threshold),
                         doctest::Contains("threshold must be finite, got inf"), parameter_error);
  }

  TEST_CASE("the data-independent cost of a query is that of its steps") {
    for (const double order : {1.5, 20.0, 300.0}) {
      CHECK(data_independent_cost(kLnmax, {}, order).selection == 0.0);
      CHECK(data_independent_cost(kLnmax, {}, order).noisy_max ==
            data_independent_cost(LaplaceNoisyMax{20.0}, order));
      CHECK(data_independent_cost(kGnmax, {}, order).total() ==
            data_independent_cost(GaussianNoisyMax{40.0}, order));
      for (const Aggregator& aggregator : {kConfident, kInteractive}) {
        const QueryCost cost = data_independent_cost(aggregator, {}, order);
        CHECK(cost.selection == threshold_data_independent(150.0, order));
        CHECK(cost.noisy_max == data_independent_cost(GaussianNoisyMax{40.0}, order));
        CHECK(cost.total() == cost.selection + cost.noisy_max);
      }
    }
  }

  TEST_CASE("the Gaussian sensitivity of a query adds up in squares") {
    CHECK(relative_error(squared_gaussian_sensitivity(kGnmax, {}), 2.0 / 1600.0) < 1e-15);
    for (const Aggregator& aggregator : {kConfident, kInteractive}) {
      CHECK(relative_error(squared_gaussian_sensitivity(aggregator, {}),
                           2.0 / 1600.0 + 1.0 / 22500.0) < 1e-15);
      // Renyi cost of a Gaussian mechanism: order mu^2 / 2.
      CHECK(relative_error(10.0 * squared_gaussian_sensitivity(aggregator, {}),
                           data_independent_cost(aggregator, {}, 20.0).total()) < 1e-9);
    }
    CHECK_THROWS_AS(static_cast<void>(squared_gaussian_sensitivity(kLnmax, {})), parameter_error);
  }
}
