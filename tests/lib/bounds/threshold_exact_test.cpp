#include "pate/bounds/threshold_exact.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "pate/bounds/data_independent.hpp"
#include "pate/error.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

Probabilities answers(const ThresholdCheck& check, std::int64_t v) {
  const long double z =
      (static_cast<long double>(check.threshold) - static_cast<long double>(v)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(check.sigma1));
  return {0.5L * std::erfc(z), 0.5L * std::erfc(-z)};
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the exact threshold cost against the oracle") {
    for (const OracleRow& row : oracle("threshold_exact")) {
      const ThresholdCheck check{row.number("T"), row.number("sigma1")};
      const std::int64_t v = row.count("max");
      const std::int64_t teachers = row.has("teachers") ? row.count("teachers") : v + 1;
      const double got = threshold_exact(check, v, teachers, row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), show({{"got", got}}));
    }
  }

  TEST_CASE("the exact threshold cost is the larger divergence over the neighbours") {
    Random random(221);
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t teachers = random.integer(1, 400);
      const std::int64_t v = random.integer(0, teachers);
      const ThresholdCheck check{random.uniform(0.0, 1.2) * static_cast<double>(teachers),
                                 random.log_uniform(1.0, 300.0)};
      const double order = 1.0 + random.log_uniform(0.05, 60.0);
      double expected = 0.0;
      for (const std::int64_t w : {v - 1, v + 1}) {
        if (w < 0 || w > teachers) continue;
        expected =
            std::max({expected, renyi_divergence(answers(check, v), answers(check, w), order),
                      renyi_divergence(answers(check, w), answers(check, v), order)});
      }
      if (expected < 1e-14) continue;  // long double runs out of digits
      const double got = threshold_exact(check, v, teachers, order);
      CHECK_MESSAGE(relative_error(got, expected) < 1e-9, show({{"T", check.threshold},
                                                                {"sigma1", check.sigma1},
                                                                {"order", order},
                                                                {"v", static_cast<double>(v)}}));
    }
  }

  TEST_CASE("the exact threshold cost is at most data-independent and grows with the order") {
    Random random(222);
    for (int i = 0; i < 300; ++i) {
      const ThresholdCheck check{random.uniform(-50.0, 300.0), random.log_uniform(0.05, 1e4)};
      const std::int64_t v = random.integer(0, 250);
      double previous = 0.0;
      for (const double order : default_orders()) {
        const double cost = threshold_exact(check, v, 250, order);
        CHECK(cost <= threshold_data_independent(check.sigma1, order));
        CHECK_MESSAGE(cost >= previous * (1.0 - 1e-12), show({{"T", check.threshold},
                                                              {"sigma1", check.sigma1},
                                                              {"order", order},
                                                              {"v", static_cast<double>(v)}}));
        previous = cost;
      }
    }
  }

  TEST_CASE("the exact threshold cost at the ends of the range") {
    // A certain answer is worth nothing; a lone teacher that cannot change costs the least.
    CHECK(covers(threshold_exact({1000.0, 1.0}, 10, 250, 20.0), 0.0));
    CHECK(covers(threshold_exact({5.0, 1.0}, 0, 0, 20.0), 0.0));
    // Symmetric about the threshold.
    const ThresholdCheck check{100.0, 20.0};
    CHECK(relative_error(threshold_exact(check, 90, 250, 5.0),
                         threshold_exact(check, 110, 250, 5.0)) < 1e-12);
  }

  TEST_CASE("a statistic out of range is refused with its value") {
    CHECK_THROWS_WITH_AS(static_cast<void>(threshold_exact({200.0, 150.0}, 251, 250, 2.0)),
                         "the selection statistic must be in 0..250, got 251", parameter_error);
    CHECK_THROWS_AS(static_cast<void>(threshold_exact({200.0, 150.0}, -1, 250, 2.0)),
                    parameter_error);
    CHECK_THROWS_AS(static_cast<void>(threshold_exact({200.0, 0.0}, 1, 250, 2.0)), parameter_error);
    CHECK_THROWS_AS(static_cast<void>(threshold_exact({kNaN, 1.0}, 1, 250, 2.0)), parameter_error);
  }
}
