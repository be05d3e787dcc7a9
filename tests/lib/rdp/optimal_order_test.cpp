#include "pate/rdp/optimal_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

OptimalOrder minimise(const std::vector<double>& orders,
                      const std::function<double(double)>& epsilon_at, bool grid_only) {
  std::vector<double> epsilons;
  for (const double order : orders) epsilons.push_back(epsilon_at(order));
  return optimal_order(orders, epsilons, epsilon_at, grid_only);
}

std::vector<double> common() {
  return {default_orders().begin(), default_orders().end()};
}

}  // namespace

TEST_SUITE("rdp") {
  TEST_CASE("the optimal order of a Gaussian mechanism in closed form") {
    const double delta = 1e-5;
    for (double optimum = 1.02; optimum < 9900.0; optimum = 1.0 + (optimum - 1.0) * 1.07) {
      const double slope = -std::log(delta) / (optimum - 1.0) / (optimum - 1.0);
      const auto epsilon = [&](double order) {
        return epsilon_from_rdp(Conversion::classic, slope * order, order, delta);
      };
      const OptimalOrder best = minimise(common(), epsilon, false);
      // slope k + L / (k - 1) is smallest at k = 1 + sqrt(L / slope).
      const double spread = std::sqrt(-std::log(delta) / slope);
      CHECK(relative_error(best.order, 1.0 + spread) < 1e-4);
      CHECK(relative_error(best.epsilon, slope + 2.0 * slope * spread) < 2e-10);
      CHECK(best.epsilon == epsilon(best.order));
      CHECK_FALSE(best.at_lowest);
      CHECK_FALSE(best.at_highest);
    }
  }

  TEST_CASE("the grid alone gives the best of its orders") {
    const auto epsilon = [](double order) { return (order - 7.1) * (order - 7.1) + 1.0; };
    const OptimalOrder best = minimise({2.0, 4.0, 8.0, 16.0}, epsilon, true);
    CHECK(best.order == 8.0);
    CHECK(best.epsilon == epsilon(8.0));
    const OptimalOrder refined = minimise({2.0, 4.0, 8.0, 16.0}, epsilon, false);
    CHECK(relative_error(refined.order, 7.1) < 1e-3);
    CHECK(refined.epsilon < best.epsilon);
  }

  TEST_CASE("a minimum at an end of the orders is marked") {
    const OptimalOrder low = minimise(
        {2.0, 4.0, 8.0}, [](double order) { return order; }, false);
    CHECK(low.order == 2.0);
    CHECK(low.at_lowest);
    CHECK_FALSE(low.at_highest);
    const OptimalOrder high = minimise(
        {2.0, 4.0, 8.0}, [](double order) { return 9.0 - order; }, false);
    CHECK(high.order == 8.0);
    CHECK(high.at_highest);
    CHECK_FALSE(high.at_lowest);
    const OptimalOrder only = minimise(
        {5.0}, [](double order) { return order; }, false);
    CHECK(only.order == 5.0);
    CHECK(only.epsilon == 5.0);
    CHECK(only.at_lowest);
    CHECK(only.at_highest);
  }

  TEST_CASE("infinite epsilons are passed over") {
    const auto wall = [](double order) { return order > 5.0 ? kInfinity : 10.0 - order; };
    const OptimalOrder best = minimise({2.0, 4.0, 8.0, 16.0}, wall, false);
    CHECK(best.order >= 4.0);
    CHECK(best.order <= 5.0);
    CHECK(best.epsilon == wall(best.order));
    const OptimalOrder none = minimise(
        {2.0, 4.0}, [](double) { return kInfinity; }, false);
    CHECK(none.epsilon == kInfinity);
  }

  TEST_CASE("the optimum is never above the best of the grid") {
    for (int k = 1; k < 40; ++k) {
      // Bumps that mislead a local search.
      const auto epsilon = [k](double order) {
        return 3.0 + std::sin(static_cast<double>(k) * std::log(order)) + 0.01 * order;
      };
      const OptimalOrder grid = minimise(common(), epsilon, true);
      const OptimalOrder best = minimise(common(), epsilon, false);
      CHECK(best.epsilon <= grid.epsilon);
      CHECK(best.epsilon == epsilon(best.order));
    }
  }
}
