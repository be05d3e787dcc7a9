#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/declared/smallest_budget.hpp"

using namespace pate;

namespace {

constexpr std::array kPasses{.9, .99, .999};

// A made-up run: min(.02 a + .0004 a d, .05 a) at order a.
CostsByOrder made_up_costs(std::span<const double> orders, std::int64_t teachers = 100) {
  CostsByOrder costs;
  for (const double order : orders) {
    std::vector<CostUnits>& at = costs.emplace_back();
    for (std::int64_t d = 0; d <= teachers; ++d) {
      const double cost =
          std::min(.02 * order + .0004 * order * static_cast<double>(d), .05 * order);
      at.push_back(static_cast<CostUnits>(std::ceil(std::ldexp(cost, 40))));
    }
  }
  return costs;
}

}  // namespace

TEST_CASE("smallest declared epsilon: as a reference of its own finds it") {
  // From a separate program, by bisection: the probability of a fixed level falls with epsilon, so
  // the two may differ by a few steps.
  const std::vector<double> orders{4, 6, 8, 12, 16};
  const std::array reference{.934649, .952943, .972056};
  const auto found =
      smallest_declared_at({1.0, 1e-5, false}, kPasses, made_up_costs(orders), orders, 1e-4);
  for (std::size_t k = 0; k < reference.size(); ++k) {
    REQUIRE(found[k]);
    CHECK(*found[k] == doctest::Approx(reference[k]).epsilon(2e-3));
  }
}

TEST_CASE("smallest declared epsilon: the run passes there, and not a step before") {
  const auto costs_at = [](std::span<const double> orders) -> const CostsByOrder& {
    static CostsByOrder costs;
    costs = made_up_costs(orders);
    return costs;
  };
  const auto passes = [&](double epsilon) {
    const DeclaredTest test({epsilon, 1e-5, false});
    return test.ladder().pass(test.level(costs_at(test.orders())));
  };
  for (const double at_hand : {.1, 1.0, 3.0, 9.0}) {  // wherever the search begins
    const auto found = smallest_declared({at_hand, 1e-5, false}, kPasses, costs_at);
    for (std::size_t k = 0; k < kPasses.size(); ++k) {
      REQUIRE(found[k]);
      CHECK(passes(*found[k]) >= kPasses[k]);
      for (int step = 1; step < 50; ++step) {
        CHECK(passes(*found[k] - .001 * step) < kPasses[k]);
      }
    }
    CHECK(*found[0] <= *found[1]);
    CHECK(*found[1] <= *found[2]);
  }
}

TEST_CASE("declared test: edges of costs and thresholds") {
  const std::vector<double> orders{8.0};
  const DeclaredTest test(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), orders);
  const std::size_t last = test.ladder().last();
  // What costs nothing is at the best level, what costs more than any threshold at the last.
  CHECK(test.level({std::vector<CostUnits>(5, 0)}) == test.best_level());
  CHECK(test.level({std::vector<CostUnits>(5, CostUnits{1} << 60)}) == last);
  // One unit decides.
  CostUnits least = CostUnits{1} << 60;
  for (std::size_t i = 0; i < last; ++i) least = std::min(least, test.threshold(i, 0));
  CHECK(test.level({std::vector<CostUnits>(5, least)}) == 0);
  CHECK(test.level({std::vector<CostUnits>(5, least + 1)}) > 0);
  CHECK_THROWS_AS((void)test.level({}), parameter_error);
  CHECK_THROWS_AS((void)test.level({{}}), parameter_error);
  CHECK_THROWS_AS((void)test.level({{2, 1}}), parameter_error);
  CHECK_THROWS_AS((void)test.level({{1, 2}, {1, 2}}), parameter_error);
  CHECK_THROWS_AS(DeclaredTest(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), {}), parameter_error);
  CHECK_THROWS_AS(DeclaredTest(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), {1.0}), parameter_error);
  CHECK_THROWS_AS(DeclaredTest(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), {std::nan("")}),
                  parameter_error);
}
