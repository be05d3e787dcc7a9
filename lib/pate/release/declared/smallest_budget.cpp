#include "pate/release/declared/smallest_budget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr double kStepsInOne = 1000.0;

// No run passes with a probability of p at less: the condition at its own level.
double floor_of(const CostsByOrder& costs, std::span<const double> orders, double delta, double p) {
  double least = kInfinity;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const double term = conversion_term(Conversion::improved, orders[k], std::min(delta / p, 0.5));
    least = std::min(least, cost_of_units(costs[k].front()) + term);
  }
  return least;
}

// The first multiple of 1 / steps at which it passes with probability p; `test(E)` gives the test
// and the costs at its orders.
template <class At>
std::optional<double> first_of_scan(const At& at, double steps, double from, double p,
                                    double largest) {
  auto k = static_cast<std::int64_t>(
      std::floor(std::clamp(from, kLeastDeclaredEpsilon, largest) * steps));
  for (;; ++k) {
    const double epsilon = std::max(static_cast<double>(k) / steps, kLeastDeclaredEpsilon);
    if (epsilon > largest) return std::nullopt;
    if (at(epsilon) >= p) return epsilon;
  }
}

}  // namespace

std::vector<std::optional<double>> smallest_declared(const DeclaredBudget& like,
                                                     std::span<const double> passes,
                                                     const CostsAtOrders& costs, double largest) {
  const auto at = [&](double epsilon) {
    const DeclaredTest test({epsilon, like.delta, like.has_fallback});
    return test.ladder().pass(test.level(costs(test.orders())));
  };
  // From the table of the epsilon at hand to the first that is of use: each takes time to compute.
  const std::span<const DeclaredOrders> tables = declared_order_tables();
  const auto beginning = [&](double p) {
    constexpr double kNear = 1.2;  // below the beginning of a table the one before may do
    std::size_t k = 0;
    while (!(like.epsilon < tables[k].below)) ++k;
    const auto floor = [&](std::size_t table) {
      return floor_of(costs(tables[table].orders), tables[table].orders, like.delta, p);
    };
    while (k > 0 && floor(k) < kNear * tables[k].from) --k;
    while (floor(k) >= tables[k].below) ++k;
    return std::max(floor(k), tables[k].from);
  };
  std::vector<std::optional<double>> result;
  for (const double p : passes) {
    result.push_back(first_of_scan(at, kStepsInOne, beginning(p), p, largest));
  }
  return result;
}

std::vector<std::optional<double>> smallest_declared_at(const DeclaredBudget& like,
                                                        std::span<const double> passes,
                                                        const CostsByOrder& costs,
                                                        const std::vector<double>& orders,
                                                        double step, double largest) {
  const auto at = [&](double epsilon) {
    const DeclaredBudget budget{epsilon, like.delta, like.has_fallback};
    const DeclaredTest test(epsilon, budget.test_delta(), PassLadder(budget.ladder()), orders);
    return test.ladder().pass(test.level(costs));
  };
  std::vector<std::optional<double>> result;
  for (const double p : passes) {
    result.push_back(
        first_of_scan(at, 1.0 / step, floor_of(costs, orders, like.delta, p), p, largest));
  }
  return result;
}

}  // namespace pate
