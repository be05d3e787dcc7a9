#include "pate/release/curve/key_costs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
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

// The definition: the largest K of a top count w that is j above v, the second raised by what is
// left of d.
TEST_CASE("key costs: what is within d votes is the largest of the keys there") {
  constexpr std::int32_t kTeachers = 700;
  constexpr std::int32_t kClasses = 12;
  const TiltedCost cost({25.0}, ThresholdCheck{300, 90}, kTeachers, kClasses, 6.0);
  for (const std::int64_t cell : {1, 3}) {
    const KeyCosts keys(cost, KeyCosts::Keys::two, 2, {}, 1, cell);
    const auto is_key = [](std::int32_t v, std::int32_t x) {
      return x >= 0 && x <= v && v + x <= kTeachers && v + (kClasses - 1) * x >= kTeachers;
    };
    std::vector<std::vector<CostUnits>> at(kTeachers + 1);
    for (std::int32_t v = 0; v <= kTeachers; ++v) {
      for (std::int32_t x = 0; x <= std::min(v, kTeachers - v); ++x) {
        const bool has_key = is_key(v, x);
        const CostUnits before = x > 0 ? at[static_cast<std::size_t>(v)].back() : -1;
        const std::vector<std::int32_t> counts{v, x};
        at[static_cast<std::size_t>(v)].push_back(has_key ? keys.within(counts)[0] : before);
      }
    }
    for (const auto& [v, x2] : {std::pair(70, 60), {255, 200}, {400, 290}, {530, 40}, {699, 1}}) {
      CAPTURE(v);
      CAPTURE(x2);
      const std::vector<std::int32_t> counts{v, x2};
      const std::vector<CostUnits> within = keys.within(counts);
      for (std::int32_t d = 0; d < kTeachers; d += d < 300 ? 1 : 37) {
        CostUnits largest = -1;
        for (std::int32_t w = std::max(v - d, 1); w <= std::min(v + d, kTeachers); ++w) {
          const std::int32_t left = d - std::max(w - v, 0);
          const auto& row = at[static_cast<std::size_t>(w)];
          const auto x = static_cast<std::size_t>(std::min({x2 + left, w, kTeachers - w}));
          largest = std::max(largest, row[x]);
        }
        CHECK(within[static_cast<std::size_t>(d)] == largest);
      }
      CHECK(within.back() == keys.largest());
    }
  }
}

TEST_CASE("row maxima: of every stretch") {
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
    }
  }
  CHECK(rows.largest(0, 5, 4) == -1);
}

TEST_SUITE_END();
