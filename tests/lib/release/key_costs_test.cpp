#include "pate/release/curve/key_costs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace pate;

TEST_SUITE_BEGIN("release");

// With counts in steps a row is too short to be interpolated: every cost is evaluated.
TEST_CASE("key costs: interpolated ones are not below those evaluated, and within 1e-9") {
  constexpr std::int64_t kTeachers = 1200;
  constexpr std::int32_t kStep = 60;
  for (const std::int64_t classes : {3, 10}) {
    for (const double sigma : {20.0, 60.0}) {
      CAPTURE(classes);
      CAPTURE(sigma);
      const TiltedCost cost({sigma}, ThresholdCheck{700, 250}, kTeachers, classes, 9.0);
      const KeyCosts all(cost, KeyCosts::Keys::two, 2);
      const KeyCosts some(cost, KeyCosts::Keys::two, 2, {}, kStep);
      int compared = 0;
      for (std::int32_t v = 1; v <= kTeachers / kStep; ++v) {
        for (std::int32_t x2 = 0; x2 <= v && v + x2 <= kTeachers / kStep; ++x2) {
          if (v + (classes - 1) * x2 < kTeachers / kStep) continue;
          const std::vector<std::int32_t> steps{v, x2};
          const std::vector<std::int32_t> counts{v * kStep, x2 * kStep};
          const CostUnits evaluated = some.within(steps)[0];
          const CostUnits interpolated = all.within(counts)[0];
          CHECK(interpolated >= evaluated);
          CHECK(interpolated <= evaluated + evaluated / 1'000'000'000 + 1);
          ++compared;
        }
      }
      CHECK(compared > 40);
    }
  }
}

TEST_CASE("row maxima: with a hint or a least value as without") {
  constexpr std::int64_t kWidth = 700;
  std::vector<CostUnits> values;
  for (std::int64_t i = 0; i < 2 * kWidth; ++i) values.push_back((i * 7919 + i * i) % 1000);
  const RowMaxima rows(kWidth, values);
  for (std::int64_t from = 0; from < kWidth; from += 37) {
    for (std::int64_t to = from; to < kWidth; to += 13) {
      CostUnits largest = -1;
      for (std::int64_t i = from; i <= to; ++i) {
        largest = std::max(largest, values[static_cast<std::size_t>(kWidth + i)]);
      }
      CHECK(rows.largest(1, from, to) == largest);
      for (std::int64_t hint : {from - 1, (from + to) / 2, to + 1}) {
        CHECK(rows.raised(-1, 1, from, to, hint) == largest);
        CHECK(rows.raised(900, 1, from, to, hint) == std::max<CostUnits>(largest, 900));
      }
    }
  }
  CHECK(rows.largest(0, 5, 4) == -1);
}

TEST_SUITE_END();
