#include "pate/release/as_published/cost_curve.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <string>
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

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

namespace {

double step_up(const PublishedCostCurve& curve, double log_q) {
  return curve.cost(curve.log_q_upper(log_q)) - curve.cost(log_q);
}

// By how much the function falls at most over a dense grid, relative to the cost: 0 if it never
// does.
template <class Function>
double largest_fall(const PublishedCostCurve& curve, double low, double high,
                    const Function& function) {
  double worst = 0.0;
  double highest = 0.0;
  for (int i = 0; i <= 4000; ++i) {
    const double log_q = high + (low - high) * std::pow(1.0 - i / 4000.0, 3);
    const double value = function(log_q);
    worst = std::max(worst, (highest - value) / curve.cost(curve.log_q_upper(log_q)));
    highest = std::max(highest, value);
  }
  return worst;
}

}  // namespace

TEST_SUITE("as_published") {
  TEST_CASE("the known cases of C5 and C6") {
    const PublishedCostCurve narrow(20.0, 25.0, 10);
    const CurveConditions fails = check_conditions(narrow, -4000.0);
    CHECK(fails.c5());
    CHECK_FALSE(fails.c6());
    const CurveConditions holds = check_conditions(PublishedCostCurve(30.0, 25.0, 10), -4000.0);
    CHECK(holds.c5());
    CHECK(holds.c6());
    // 40 votes, 3 classes.
    CHECK_FALSE(check_conditions(PublishedCostCurve(5.0, 8.0, 3), -100.0).c6());
    // S18's own.
    for (const auto& [order, classes] : {std::pair(14.0, 10), std::pair(15.5, 2)}) {
      const PublishedCostCurve curve(40.0, order, classes);
      CHECK(check_conditions(curve, -4000.0).c5());
      CHECK(check_conditions(curve, -4000.0).c6());
    }
  }

  TEST_CASE("where a condition fails the function does fall there") {
    const PublishedCostCurve curve(20.0, 25.0, 10);
    const CurveConditions conditions = check_conditions(curve, -4000.0);
    REQUIRE(conditions.c6_fails);
    const Descent where = *conditions.c6_fails;
    CHECK(where.log_q_from < where.log_q_to);
    CHECK(where.log_q_to <= curve.log_q1());
    const double end = where.log_q_to < curve.log_q1()
                           ? step_up(curve, where.log_q_to)
                           : curve.data_independent() - curve.cost(curve.log_q1());
    CHECK(step_up(curve, where.log_q_from) > end);

    const std::string message =
        pate::test::message_of<validity_error>([&] { require(conditions, curve); });
    CHECK(message.find("C6") != std::string::npos);
    CHECK(message.find("sigma2 = 20, order = 25, 10 classes") != std::string::npos);
    CHECK(message.find("log q = ") != std::string::npos);
    CHECK_NOTHROW(require(CurveConditions{}, curve));
    CHECK_THROWS_AS(require(CurveConditions{Descent{-5.0, -4.0}, {}}, curve), validity_error);
  }

  TEST_CASE("the conditions agree with a dense grid") {
    Random random(411);
    int failing = 0;
    int holding = 0;
    for (int i = 0; i < 150; ++i) {
      const double sigma = random.log_uniform(1.0, 200.0);
      const double order = 1.0 + random.log_uniform(0.2, 40.0);
      const PublishedCostCurve curve(sigma, order, random.integer(2, 30));
      const double low = curve.log_q1() * random.log_uniform(1.5, 100.0);
      const CurveConditions conditions = check_conditions(curve, low);
      const std::string text = show({{"sigma", sigma}, {"order", order}, {"low", low}});
      const double fall_c5 =
          largest_fall(curve, low, curve.log_q0(), [&](double log_q) { return curve.cost(log_q); });
      const double fall_c6 = largest_fall(curve, low, curve.log_q1() * (1.0 + 1e-9),
                                          [&](double log_q) { return step_up(curve, log_q); });
      CHECK_MESSAGE((fall_c5 < 1e-10 || !conditions.c5()), text);
      CHECK_MESSAGE((fall_c6 < 1e-10 || !conditions.c6()), text);
      // And a descent that was found is one.
      if (conditions.c6_fails && conditions.c6_fails->log_q_to < curve.log_q1()) {
        CHECK_MESSAGE(step_up(curve, conditions.c6_fails->log_q_to) <
                          step_up(curve, conditions.c6_fails->log_q_from),
                      text);
      }
      if (fall_c6 > 1e-6) ++failing;
      if (conditions.c6()) ++holding;
    }
    CHECK(failing > 10);
    CHECK(holding > 10);
  }

  TEST_CASE("an ensemble that cannot come below q1 has nothing to check") {
    const PublishedCostCurve curve(20.0, 25.0, 10);
    CHECK(check_conditions(curve, curve.log_q1()).c6());
    CHECK(check_conditions(curve, -1.0).c6());
  }

  TEST_CASE("the conditions are checked where costs underflow") {
    const PublishedCostCurve curve(40.0, 14.0, 10);
    CHECK(check_conditions(curve, -1e6).c5());
    CHECK(check_conditions(curve, -1e6).c6());
  }
}
