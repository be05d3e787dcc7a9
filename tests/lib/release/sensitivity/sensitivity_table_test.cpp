#include "pate/release/sensitivity/sensitivity_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "pate/release/sensitivity/q_grid.hpp"

using namespace pate;

namespace {

constexpr double kOrder = 6.0;

// The grid does not know the threshold: any number of teachers does.
struct Grid {
  NoisyMax noise{GaussianNoisyMax{5.0}};
  ExcessCurve curve{noise, 100, 5, kOrder, 1};
  QGrid grid{curve, noise, 5, GridResolution::rough(), 1};

  [[nodiscard]] SensitivityTable table(double threshold, std::int64_t teachers, std::int64_t first,
                                       std::int64_t last) const {
    const AnswerTable ladder(ThresholdCheck{threshold, 8.0}, 0, teachers, teachers);
    return {grid, ladder, kOrder, curve.log_cap(), first, last, 1};
  }
};

}  // namespace

TEST_SUITE_BEGIN("sensitivity");

TEST_CASE(
    "a row depends on how far the statistic is from the threshold, wherever the table begins") {
  const Grid grid;
  const SensitivityTable near_zero = grid.table(10.0, 60, 0, 40);
  for (const std::int64_t first : {96, 102, 103}) {
    // Beyond 32 rows another task goes on.
    const SensitivityTable shifted = grid.table(110.0, 200, first, 140);
    CHECK(shifted.first() == first);
    CHECK(shifted.last() == 140);
    // A neighbour of 0 and 1 has no votes to lose.
    for (std::int64_t v = std::max<std::int64_t>(first - 100, 2); v <= 40; ++v) {
      CAPTURE(v);
      const auto a = near_zero.row(v);
      const auto b = shifted.row(v + 100);
      CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      CHECK(near_zero.largest_of_row(v) == shifted.largest_of_row(v + 100));
    }
  }
}

TEST_CASE("rows of several statistics have the largest of their entries") {
  const Grid grid;
  constexpr std::int64_t kFirst = 1480;
  constexpr std::int64_t kLast = 1496;
  const SensitivityTable several = grid.table(1490.0, 3100, kFirst, kLast);
  const SensitivityTable single = grid.table(1490.0, 1499, kFirst - 2, kLast + 2);
  REQUIRE(several.row_of(kFirst) == kFirst / 3);
  REQUIRE(single.row_of(kFirst) == kFirst);
  CHECK(several.first() <= several.row_of(kFirst));
  CHECK(several.last() >= several.row_of(kLast));
  for (std::int64_t row = several.row_of(kFirst); row <= several.row_of(kLast); ++row) {
    for (std::size_t k = 0; k < grid.grid.size(); ++k) {
      float largest = 0.0F;
      for (std::int64_t v = 3 * row; v < 3 * row + 3; ++v) {
        largest = std::max(largest, single.row(v)[k]);
      }
      CHECK(several.row(row)[k] == largest);
    }
  }
}

TEST_SUITE_END();
