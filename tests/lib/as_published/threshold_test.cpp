#include "pate/as_published/threshold.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/bounds/published.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("as_published") {
  TEST_CASE("no two neighbours at a distance have threshold costs that differ by more") {
    Random random(431);
    for (int i = 0; i < 60; ++i) {
      const std::int64_t teachers = random.integer(1, 40);
      const ThresholdCheck check{random.uniform(-5.0, 50.0), random.log_uniform(1.0, 60.0)};
      const double order = 1.0 + random.log_uniform(0.2, 20.0);
      const auto cost = [&](std::int64_t v) {
        return threshold_published(log_q(check, v), check.sigma1, order);
      };
      const WeightedStatistic query{random.integer(0, teachers), 1.0};
      const auto got = published_threshold_sensitivity(check, order, std::vector{query}, teachers);
      REQUIRE(static_cast<std::int64_t>(got.size()) == teachers);
      for (std::int64_t d = 0; d < teachers; ++d) {
        double truth = 0.0;
        for (std::int64_t v = 0; v <= teachers; ++v) {
          if (std::abs(v - query.statistic) > d) continue;
          if (v > 0) truth = std::max(truth, std::abs(cost(v) - cost(v - 1)));
          if (v < teachers) truth = std::max(truth, std::abs(cost(v) - cost(v + 1)));
        }
        CHECK(got[static_cast<std::size_t>(d)] == truth);
      }
      CHECK(std::is_sorted(got.begin(), got.end()));
    }
  }

  TEST_CASE("threshold sensitivities of several queries add up with their weights") {
    const ThresholdCheck check{200.0, 150.0};
    const std::vector<WeightedStatistic> both{{240, 3.0}, {90, 0.5}};
    const auto sum = published_threshold_sensitivity(check, 14.0, both, 250);
    const auto a = published_threshold_sensitivity(check, 14.0, std::span(both).first(1), 250);
    const auto b = published_threshold_sensitivity(check, 14.0, std::span(both).last(1), 250);
    for (std::size_t d = 0; d < sum.size(); ++d) CHECK(sum[d] == a[d] + b[d]);
  }
}
