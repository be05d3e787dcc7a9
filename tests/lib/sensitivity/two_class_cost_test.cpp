#include "pate/sensitivity/two_class_cost.hpp"

#include <doctest/doctest.h>

#include "pate/error.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("sensitivity") {
  TEST_CASE("exact costs of two classes against the oracle") {
    for (const OracleRow& row : oracle("two_class_cost")) {
      Aggregator aggregator;
      aggregator.selection = ThresholdCheck{row.number("T"), row.number("sigma1")};
      aggregator.noisy_max = GaussianNoisyMax{row.number("sigma2")};
      const TwoClassCost cost(aggregator, row.count("teachers"), 2, row.number("lambda"));
      CHECK_MESSAGE(covers(cost.cost(row.count("v")), row.number("rdp")), row.text(),
                    show({{"got", cost.cost(row.count("v"))}}));
    }
  }

  TEST_CASE("there is no exact cost to release for other aggregators") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{3.0};
    CHECK_THROWS_AS(TwoClassCost(aggregator, 10, 3, 4.0), parameter_error);
    aggregator.noisy_max = LaplaceNoisyMax{3.0};
    CHECK_THROWS_AS(TwoClassCost(aggregator, 10, 2, 4.0), parameter_error);
    aggregator.noisy_max = GaussianNoisyMax{3.0};
    aggregator.selection = ThresholdCheck{7.0, 2.0};
    aggregator.interactive = true;
    CHECK_THROWS_AS(TwoClassCost(aggregator, 10, 2, 4.0), parameter_error);
  }
}
