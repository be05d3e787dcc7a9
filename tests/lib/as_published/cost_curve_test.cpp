#include "pate/as_published/cost_curve.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "pate/bounds/step_cost.hpp"
#include "pate/error.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("as_published") {
  TEST_CASE("q0, q1 and the largest local sensitivity against the oracle") {
    for (const OracleRow& row : oracle("log_q0_q1")) {
      const PublishedCostCurve curve(row.number("sigma"), row.number("lambda"), row.count("m"));
      CHECK_MESSAGE(relative_error(curve.log_q0(), row.number("log_q0")) < 1e-11, row.text());
      CHECK_MESSAGE(relative_error(curve.log_q1(), row.number("log_q1")) < 1e-11, row.text());
      CHECK_MESSAGE(
          relative_error(curve.log_q_upper(curve.log_q0()), row.number("log_bu_q0")) < 1e-11,
          row.text());
      if (!row.has("largest")) continue;
      const double largest = row.number("largest");
      CHECK_MESSAGE(relative_error(curve.largest_local_sensitivity(), largest) < 1e-9, row.text());
    }
  }

  TEST_CASE("B_U and B_L against the oracle") {
    for (const OracleRow& row : oracle("bu_bl")) {
      const PublishedCostCurve curve(row.number("sigma"), 2.0, row.count("m"));
      const double log_q = row.number("log_q");
      CHECK_MESSAGE(relative_error(curve.log_q_upper(log_q), row.number("log_bu")) < 1e-13,
                    row.text(), show({{"got", curve.log_q_upper(log_q)}}));
      CHECK_MESSAGE(relative_error(curve.log_q_lower(log_q), row.number("log_bl")) < 1e-13,
                    row.text(), show({{"got", curve.log_q_lower(log_q)}}));
    }
  }

  TEST_CASE("the published cost is Theorem 6 below q0 and constant from there on") {
    Random random(401);
    for (int i = 0; i < 400; ++i) {
      const double sigma = random.log_uniform(0.5, 500.0);
      const double order = 1.0 + random.log_uniform(0.05, 60.0);
      const PublishedCostCurve curve(sigma, order, random.integer(2, 100));
      CHECK(curve.log_q1() < curve.log_q0());
      const double below = curve.log_q0() * random.log_uniform(1.0 + 1e-9, 100.0);
      CHECK(curve.cost(below) == published_cost(GaussianNoisyMax{sigma}, below, order));
      CHECK(curve.cost(curve.log_q0() * random.uniform(0.0, 1.0)) ==
            data_independent_cost(GaussianNoisyMax{sigma}, order));
      CHECK(curve.cost(-kInfinity) == 0.0);
    }
  }

  TEST_CASE("one vote moves q by no more than B_U and B_L say, however small q is") {
    Random random(402);
    for (int i = 0; i < 500; ++i) {
      const double sigma = random.log_uniform(0.5, 500.0);
      const PublishedCostCurve curve(sigma, 5.0, random.integer(2, 100));
      const double log_q = -random.log_uniform(0.1, 1e6);
      CHECK(curve.log_q_upper(log_q) >= log_q);
      CHECK(curve.log_q_upper(log_q) <= 0.0);
      CHECK(curve.log_q_lower(log_q) <= log_q);
      // They are each other's inverse.
      CHECK_MESSAGE(relative_error(curve.log_q_upper(curve.log_q_lower(log_q)), log_q) < 1e-11,
                    show({{"sigma", sigma}, {"log_q", log_q}}));
    }
  }

  TEST_CASE(
      "the local sensitivity is the same from q1 to q0 and vanishes where nothing can change") {
    const PublishedCostCurve curve(40.0, 14.0, 10);
    const double middle = 0.5 * (curve.log_q0() + curve.log_q1());
    CHECK(curve.local_sensitivity(middle) == curve.largest_local_sensitivity());
    CHECK(curve.local_sensitivity(curve.log_q1()) == curve.largest_local_sensitivity());
    CHECK(curve.local_sensitivity(curve.log_q0()) == curve.largest_local_sensitivity());
    CHECK(curve.local_sensitivity(0.5 * curve.log_q_upper(curve.log_q0())) == 0.0);
    CHECK(curve.local_sensitivity(-kInfinity) == 0.0);
    CHECK(curve.local_sensitivity(-1e5) < 1e-300);
    const double log_q = -6.0;
    CHECK(curve.local_sensitivity(log_q) ==
          std::max(curve.cost(curve.log_q_upper(log_q)) - curve.cost(log_q),
                   curve.cost(log_q) - curve.cost(curve.log_q_lower(log_q))));
  }

  TEST_CASE("a published cost curve refuses what is outside its domain") {
    CHECK_THROWS_AS(PublishedCostCurve(0.0, 2.0, 10), parameter_error);
    CHECK_THROWS_AS(PublishedCostCurve(kNaN, 2.0, 10), parameter_error);
    CHECK_THROWS_AS(PublishedCostCurve(40.0, 1.0, 10), parameter_error);
    CHECK_THROWS_AS(PublishedCostCurve(40.0, kInfinity, 10), parameter_error);
    CHECK_THROWS_AS(PublishedCostCurve(40.0, 2.0, 1), parameter_error);
  }

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
