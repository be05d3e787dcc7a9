#include "pate/divergence/rdp/orders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

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

// Epsilons of Gaussian-like costs: rdp = slope * order.
struct Costs {
  std::vector<double> slopes;
  double delta;
  int batches = 0;
  int evaluations = 0;

  std::vector<std::vector<double>> operator()(std::span<const double> orders) {
    ++batches;
    std::vector<std::vector<double>> result;
    for (const double order : orders) {
      ++evaluations;
      std::vector<double> epsilons;
      for (const double slope : slopes) {
        epsilons.push_back(slope * order - std::log(delta) / (order - 1.0));
      }
      result.push_back(epsilons);
    }
    return result;
  }
};

}  // namespace

TEST_SUITE("rdp") {
  TEST_CASE("the common orders increase from 1.01 to 10000 without large gaps") {
    const auto orders = default_orders();
    REQUIRE(orders.size() > 50);
    CHECK(orders.front() == 1.01);
    CHECK(orders.back() == 10000.0);
    for (std::size_t i = 1; i < orders.size(); ++i) {
      CHECK(orders[i] > orders[i - 1]);
      CHECK_MESSAGE(orders[i] - 1.0 <= 2.0001 * (orders[i - 1] - 1.0), orders[i]);
      if (orders[i - 1] >= 2.0 && orders[i] <= 64.0) CHECK(orders[i] - orders[i - 1] <= 1.0);
    }
    for (const double order : {2.0, 20.0, 64.0}) {
      CHECK(std::find(orders.begin(), orders.end(), order) != orders.end());
    }
    CHECK(validated_orders({orders.begin(), orders.end()}) ==
          std::vector<double>(orders.begin(), orders.end()));
  }

  TEST_CASE("validated_orders sorts and removes repetitions") {
    CHECK(validated_orders({20.0, 2.0, 20.0, 1.5}) == std::vector<double>{1.5, 2.0, 20.0});
    CHECK(validated_orders({1.0000001}) == std::vector<double>{1.0000001});
    CHECK(validated_orders({1e9, 1.000000001}) == std::vector<double>{1.000000001, 1e9});
  }

  TEST_CASE("orders out of range are refused with their value") {
    CHECK_THROWS_AS(static_cast<void>(validated_orders({})), parameter_error);
    for (const double bad : {1.0, 1.0 + 2e-16, 1.0 + 0.9e-9, 1.1e9, 1e160, 0.5, 0.0, -3.0, kNaN,
                             kInfinity, -kInfinity}) {
      CHECK_THROWS_AS(static_cast<void>(validated_orders({2.0, bad})), parameter_error);
    }
    CHECK_THROWS_WITH(static_cast<void>(validated_orders({2.0, 0.5})),
                      "orders must be from 1 + 1e-9 to 1e9, got 0.5");
    CHECK_THROWS_WITH(static_cast<void>(validated_orders({2.0, kNaN})),
                      "orders must be from 1 + 1e-9 to 1e9, got nan");
  }

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

  TEST_CASE("a minimum beside either end of the orders is found") {
    for (const double minimum : {3.0, 9.0}) {
      const auto epsilon = [&](double order) {
        return 1.0 + (order - minimum) * (order - minimum);
      };
      const OptimalOrder found = minimise({2.0, 10.0}, epsilon, false);
      CHECK(std::abs(found.order - minimum) < 1e-2);
      CHECK(found.epsilon < 1.0 + 1e-4);
    }
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

  TEST_CASE("batches find the minima of several epsilons, wherever the search begins") {
    Random random(641);
    for (int i = 0; i < 200; ++i) {
      Costs costs{{random.log_uniform(1e-5, 30.0), random.log_uniform(1e-5, 30.0)},
                  random.log_uniform(1e-12, 1e-2)};
      const double hint = 1.0 + random.log_uniform(0.01, 5000.0);
      const auto best = optimal_orders_in_batches(std::span(&hint, 1), 2, std::ref(costs));
      REQUIRE(best.size() == 2);
      for (std::size_t f = 0; f < 2; ++f) {
        // slope order + L/(order - 1) is smallest at 1 + sqrt(L/slope)
        const double log = -std::log(costs.delta);
        const double order = 1.0 + std::sqrt(log / costs.slopes[f]);
        const double expected = costs.slopes[f] * order + log / (order - 1.0);
        INFO("slope ", costs.slopes[f], " delta ", costs.delta, " hint ", hint);
        CHECK(best[f].epsilon >= expected * (1.0 - 1e-12));
        CHECK(best[f].epsilon <= expected * (1.0 + 1e-9));
        CHECK_FALSE(best[f].at_lowest);
        CHECK_FALSE(best[f].at_highest);
      }
      CHECK(costs.evaluations < 80);
    }
  }

  TEST_CASE("minima beyond the orders are reported at their ends") {
    Costs free{{1e-12}, 1e-5};
    const auto high = optimal_orders_in_batches(std::array{20.0}, 1, std::ref(free));
    CHECK(high[0].order == default_orders().back());
    CHECK(high[0].at_highest);
    Costs dear{{1e15}, 1e-5};
    const auto low = optimal_orders_in_batches(std::array{20.0}, 1, std::ref(dear));
    CHECK(low[0].order == doctest::Approx(kLowestSearchedOrder).epsilon(1e-12));
    CHECK(low[0].at_lowest);
  }

  TEST_CASE("infinite epsilons are passed over in batches") {
    const auto best =
        optimal_orders_in_batches(std::array{40.0}, 1, [](std::span<const double> orders) {
          std::vector<std::vector<double>> result;
          for (const double order : orders) {
            result.push_back({order > 5.0 ? kInfinity : order + 3.0 / (order - 1.0)});
          }
          return result;
        });
    CHECK(best[0].epsilon == doctest::Approx(1.0 + 2.0 * std::sqrt(3.0)).epsilon(1e-8));
  }

  TEST_CASE("minima beside a wall are found, whatever its height and side") {
    Random random(17);
    for (int i = 0; i < 200; ++i) {
      // Falls up to the wall, or rises from it; where the wall is and how high changes.
      const double at = 1.0 + random.log_uniform(0.1, 2000.0);
      const bool falls = i % 4 != 0;
      const double height = i % 4 == 3 ? 1e3 * at : i % 4 == 2 ? std::nan("") : kInfinity;
      const auto epsilon = [&](double order) {
        const bool beyond = falls ? order > at : order < at;
        return beyond ? height : falls ? 1.0 / (order - 1.0) : order;
      };
      const std::array hints{1.0 + random.log_uniform(0.05, 4000.0)};
      const auto best = optimal_orders_in_batches(hints, 1, [&](std::span<const double> orders) {
        std::vector<std::vector<double>> result;
        for (const double order : orders) result.push_back({epsilon(order)});
        return result;
      });
      INFO("wall at ", at, " of ", height, " hint ", hints[0]);
      CHECK(best[0].epsilon == epsilon(best[0].order));
      CHECK(best[0].epsilon <= epsilon(at) * (1.0 + 3e-5));
    }
  }

  TEST_CASE("no minimum is above the value at a hint") {
    const std::array hints{30.0, 7.0, 1999.0};
    const auto best = optimal_orders_in_batches(hints, 1, [](std::span<const double> orders) {
      std::vector<std::vector<double>> result;
      for (const double order : orders) result.push_back({order == 1999.0 ? 0.25 : 5.0 + order});
      return result;
    });
    CHECK(best[0].epsilon == 0.25);
    CHECK(best[0].order == 1999.0);
  }

  TEST_CASE("given orders are all evaluated, and no others") {
    Costs costs{{0.1, 0.01}, 1e-5};
    const std::vector<double> orders{2.0, 8.0, 12.0, 40.0};
    const auto best = optimal_orders_among(orders, 2, std::ref(costs));
    CHECK(costs.evaluations == 4);
    CHECK(best[0].order == 12.0);
    CHECK(best[1].order == 40.0);
    CHECK(best[1].at_highest);
    CHECK_FALSE(best[0].at_lowest);
  }
}
