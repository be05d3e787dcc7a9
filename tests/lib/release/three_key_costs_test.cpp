#include "pate/release/curve/three_key_costs.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/top_count_costs.hpp"
#include "support/random.hpp"
#include "support/three_keys.hpp"

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
    compared += pate_test::compare_three_keys(costs, random, 1e-11);
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
