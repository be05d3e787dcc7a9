#include "pate/rdp/batched_orders.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

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
  TEST_CASE("batches find the minima of several epsilons, wherever the search begins") {
    Random random(641);
    for (int i = 0; i < 200; ++i) {
      Costs costs{{random.log_uniform(1e-5, 30.0), random.log_uniform(1e-5, 30.0)},
                  random.log_uniform(1e-12, 1e-2)};
      const double hint = 1.0 + random.log_uniform(0.01, 5000.0);
      const auto best = optimal_orders_in_batches(hint, 2, std::ref(costs));
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
    const auto high = optimal_orders_in_batches(20.0, 1, std::ref(free));
    CHECK(high[0].order == default_orders().back());
    CHECK(high[0].at_highest);
    Costs dear{{1e9}, 1e-5};
    const auto low = optimal_orders_in_batches(20.0, 1, std::ref(dear));
    CHECK(low[0].order == default_orders().front());
    CHECK(low[0].at_lowest);
  }

  TEST_CASE("infinite epsilons are passed over in batches") {
    const auto best = optimal_orders_in_batches(40.0, 1, [](std::span<const double> orders) {
      std::vector<std::vector<double>> result;
      for (const double order : orders) {
        result.push_back({order > 5.0 ? kInfinity : order + 3.0 / (order - 1.0)});
      }
      return result;
    });
    CHECK(best[0].epsilon == doctest::Approx(1.0 + 2.0 * std::sqrt(3.0)).epsilon(1e-8));
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
