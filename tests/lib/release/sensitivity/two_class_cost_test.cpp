#include "pate/release/sensitivity/two_class_cost.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/base/error.hpp"
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
      const TwoClassCost cost(aggregator, {}, row.count("teachers"), 2, row.number("lambda"));
      CHECK_MESSAGE(covers(cost.cost(row.count("v")), row.number("rdp")), row.text(),
                    show({{"got", cost.cost(row.count("v"))}}));
    }
  }

  TEST_CASE("exact costs of one teacher, who has one neighbour: that of a vote that moves") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{3.0};
    for (const double order : {1.5, 4.0, 20.0}) {
      // The label is N(+-1, 2 * 3^2) by its sign: that of p from 1 - p.
      const double p = 0.5 * std::erfc(-1.0 / (std::sqrt(2.0) * std::sqrt(2.0) * 3.0));
      const double moment = std::pow(p, order) * std::pow(1.0 - p, 1.0 - order) +
                            std::pow(1.0 - p, order) * std::pow(p, 1.0 - order);
      const double expected = std::log(moment) / (order - 1.0);
      const double cost = TwoClassCost(aggregator, {}, 1, 2, order).cost(1);
      CHECK(cost >= expected * (1.0 - 1e-12));
      CHECK(cost <= expected * (1.0 + 1e-8));
    }
  }

  TEST_CASE("there is no exact cost to release for other aggregators") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{3.0};
    CHECK_THROWS_AS(TwoClassCost(aggregator, {}, 10, 3, 4.0), parameter_error);
    aggregator.noisy_max = LaplaceNoisyMax{3.0};
    CHECK_THROWS_AS(TwoClassCost(aggregator, {}, 10, 2, 4.0), parameter_error);
    aggregator.noisy_max = GaussianNoisyMax{3.0};
    aggregator.selection = ThresholdCheck{7.0, 2.0};
    aggregator.interactive = true;
    CHECK_THROWS_AS(TwoClassCost(aggregator, {}, 10, 2, 4.0), parameter_error);
  }
}
