#include "pate/as_published/local_sensitivity_table.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("as_published") {
  TEST_CASE("tabulated local sensitivities are those of the curve") {
    Random random(451);
    for (int i = 0; i < 100; ++i) {
      const PublishedCostCurve curve(random.log_uniform(0.3, 300.0),
                                     1.0 + random.log_uniform(0.1, 50.0), random.integer(2, 100));
      const double lowest = curve.log_q1() * random.log_uniform(1.01, 1000.0);
      const LocalSensitivityTable table(curve, lowest);
      for (int k = 0; k < 200; ++k) {
        // Beyond the lowest, too.
        const double log_q =
            curve.log_q1() * (1.0 + random.log_uniform(1e-9, 1.2 * lowest / curve.log_q1()));
        const double expected = curve.local_sensitivity(log_q);
        // Differences of nearly equal costs have the rounding of the costs.
        const double rounding = 1e-13 * curve.cost(curve.log_q_upper(log_q));
        CHECK_MESSAGE(std::abs(table(log_q) - expected) <= 1e-10 * expected + rounding + 1e-300,
                      show({{"sigma", curve.sigma()},
                            {"order", curve.order()},
                            {"log_q", log_q},
                            {"got", table(log_q)},
                            {"expected", expected}}));
      }
    }
  }
}
