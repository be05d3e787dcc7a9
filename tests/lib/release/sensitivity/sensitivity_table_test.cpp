#include "pate/release/sensitivity/sensitivity_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
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
    const AnswerTable ladder(ThresholdCheck{threshold, 8.0}, {}, 0, teachers, teachers);
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

TEST_CASE("beyond doubles: entries are those of the noisy maximum, where the check tells nothing") {
  // Moments of e^870.
  constexpr double kHighOrder = 30.0;
  const NoisyMax noise{GaussianNoisyMax{1.0}};
  const ExcessCurve curve(noise, 12, 3, kHighOrder, 1);
  REQUIRE(curve.log_cap() > 800.0);
  const QGrid grid(curve, noise, 3, GridResolution::rough(), 1);
  const NoisyMaxSensitivity alone(grid, kHighOrder, curve.log_cap());
  const SensitivityTable all(grid, std::nullopt, kHighOrder, curve.log_cap(), 0, 0, 1);
  const AnswerTable ladder(ThresholdCheck{-1e8, 1e6}, {}, 0, 12, 12);
  const SensitivityTable checked(grid, ladder, kHighOrder, curve.log_cap(), 0, 12, 1);
  REQUIRE(alone.up.size() == grid.size());
  for (std::size_t k = 0; k < grid.size(); ++k) {
    CAPTURE(k);
    const double expected = std::max(alone.up[k], alone.down[k]);
    CHECK(all.row(0)[k] >= expected);
    CHECK(all.row(0)[k] == doctest::Approx(expected).epsilon(1e-6));
    CHECK(checked.row(6)[k] == doctest::Approx(expected).epsilon(1e-6));
  }
  // In the middle of the threshold there is more to tell.
  const AnswerTable near(ThresholdCheck{6.0, 0.5}, {}, 0, 12, 12);
  const SensitivityTable at_threshold(grid, near, kHighOrder, curve.log_cap(), 0, 12, 1);
  CHECK(at_threshold.largest() > all.largest());
}

TEST_CASE("beyond every number: orders whose moments nothing can hold are refused") {
  const char* const words =
      "the order is too large for so little noise: the moments of one query are beyond every "
      "floating point number; choose a smaller order";
  CHECK_NOTHROW(require_moments(10999.0));
  for (const double log_moment : {11000.0, kInfinity, std::nan("")}) {
    CHECK_THROWS_WITH_AS(require_moments(log_moment), words, validity_error);
  }
  const Grid grid;
  const AnswerTable ladder(ThresholdCheck{10.0, 0.03}, {}, 0, 20, 20);
  CHECK_THROWS_WITH_AS(SensitivityTable(grid.grid, ladder, kOrder, grid.curve.log_cap(), 0, 20, 1),
                       words, validity_error);
  CHECK_THROWS_WITH_AS(NoisyMaxSensitivity(grid.grid, kOrder, 2e4), words, validity_error);
}

TEST_SUITE_END();
