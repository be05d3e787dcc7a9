#include "pate/release/curve/three_key_costs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/top_count_costs.hpp"
#include "support/random.hpp"

using namespace pate;

namespace {

struct Run {
  std::int64_t teachers, classes;
  double threshold, sigma1, sigma2;
};

std::vector<TiltedCost> costs_of(const Run& run, const std::vector<double>& orders) {
  std::vector<TiltedCost> costs;
  for (const double order : orders) {
    costs.emplace_back(GaussianNoisyMax{run.sigma2}, ThresholdCheck{run.threshold, run.sigma1},
                       run.teachers, run.classes, order);
  }
  return costs;
}

}  // namespace

TEST_SUITE_BEGIN("release");

// By the sums of `TiltedMoment`, over the noise of the top class and not over a noisy count.
TEST_CASE("three keys: costs are those of each move summed for itself, at several orders at once") {
  pate_test::Random random(83);
  int compared = 0;
  for (const Run& run :
       {Run{250, 10, 200, 150, 40}, Run{100, 10, 60, 15, 15}, Run{60, 4, 40, 10, 3},
        Run{20, 3, 12, 4, 1}, Run{40, 2, 20, 12, 8}, Run{90, 7, 40, 30, 2},
        Run{150, 5000, 60, 15, 30}, Run{12, 6, 5, 2, 0.3}}) {
    CAPTURE(run.teachers);
    CAPTURE(run.sigma2);
    const auto costs = costs_of(run, {1.5, 4, 7.25, 12, 24});
    const ThreeKeyCosts computed(costs);
    ThreeKeyCosts::Scratch scratch(computed);
    for (int trial = 0; trial < 120; ++trial) {
      const std::int64_t m = run.classes;
      const std::int64_t v = random.integer((run.teachers + m - 1) / m, run.teachers);
      const std::int64_t behind = run.teachers - v;
      const std::int64_t least = (behind + m - 2) / (m - 1);
      if (least > std::min(v, behind)) continue;
      const std::int64_t x2 = random.integer(least, std::min(v, behind));
      const std::int64_t rest = behind - x2;
      std::int64_t x3 = 0;
      if (m > 2) {
        const std::int64_t least_third = (rest + m - 3) / (m - 2);
        if (least_third > std::min(x2, rest)) continue;
        x3 = random.integer(least_third, std::min(x2, rest));
      }
      CAPTURE(v);
      CAPTURE(x2);
      CAPTURE(x3);
      std::vector<CostUnits> units(costs.size());
      computed.compute(v + x2, x3, v, v, scratch, units);
      for (std::size_t i = 0; i < costs.size(); ++i) {
        CostUnits each = units_far_behind(costs[i], v, v - x2);
        if (each == kNoKey) {
          each = units_of_excess(costs[i], three_key_moves(costs[i], v, x2, x3).largest_joint());
        }
        CHECK(static_cast<double>(std::abs(units[i] - each)) <=
              1.0 + 1e-11 * static_cast<double>(each));
        ++compared;
      }
    }
  }
  CHECK(compared > 3000);
}

TEST_CASE("three keys: other orders and threads change no bit") {
  const Run run{40, 6, 25, 9, 7};
  const auto costs = costs_of(run, {2.5, 6, 11});
  const auto together = KeyCosts::at_orders(costs, 2);
  const auto stored = [](const KeyCosts& keys) {
    std::vector<CostUnits> numbers;
    keys.store(numbers);
    return numbers;
  };
  for (std::size_t i = 0; i < costs.size(); ++i) {
    CHECK(stored(together[i]) == stored(KeyCosts(costs[i], KeyCosts::Keys::automatic, 1)));
  }
}

TEST_SUITE_END();
