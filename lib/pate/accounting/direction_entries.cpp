#include "pate/accounting/direction_entries.hpp"

#include <algorithm>
#include <utility>

#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

namespace {

// Where no cost has an order.
constexpr double kDefaultHint = 16.0;

}  // namespace

std::vector<double> exact_epsilons(const BothDirections& rdp, double order, double delta) {
  std::vector<double> result;
  for (const EpsilonMethod conversion : fixed_conversions()) {
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      result.push_back(
          epsilon_from_rdp(rdp_conversion(conversion), rdp.of(direction), order, delta));
    }
  }
  return result;
}

std::vector<double> order_hints(std::span<const CostEntry> costs) {
  std::vector<double> hints;
  for (const CostEntry& cost : costs) {
    if (cost.bound == Bound::tradeoff && cost.order) hints.push_back(*cost.order);
  }
  for (const CostEntry& cost : costs) {
    if (hints.empty() && cost.order) hints.push_back(*cost.order);
  }
  if (hints.empty()) hints.push_back(kDefaultHint);
  return hints;
}

std::vector<OptimalOrder> optimal_orders(const OrderSearch& search, std::span<const double> orders,
                                         std::span<const CostEntry> costs, std::size_t functions,
                                         const EpsilonsAtOrders& evaluate) {
  return search.grid_only ? optimal_orders_among(orders, functions, evaluate)
                          : optimal_orders_in_batches(order_hints(costs), functions, evaluate);
}

DirectionOptima optima_by_direction(
    const std::function<std::vector<BothDirections>(std::span<const double> orders)>& rdp,
    const OrderSearch& search, std::span<const double> orders, std::span<const CostEntry> costs) {
  DirectionOptima result;
  const auto evaluate = [&](std::span<const double> some) {
    const std::vector<BothDirections> at = rdp(some);
    std::vector<std::vector<double>> epsilons;
    for (std::size_t k = 0; k < some.size(); ++k) {
      result.spent = result.spent || !(at[k].larger() <= 0.0);
      epsilons.push_back(exact_epsilons(at[k], some[k], search.delta));
    }
    return epsilons;
  };
  result.best = optimal_orders(search, orders, costs, 2 * fixed_conversions().size(), evaluate);
  return result;
}

std::vector<CostEntry> exact_entries(Bound bound, std::span<const OptimalOrder> best, bool spent,
                                     double delta, std::vector<Notice>& notices) {
  std::vector<CostEntry> entries;
  const std::size_t conversions = best.size() / 2;
  const auto last = fixed_conversions().last(conversions);
  for (std::size_t c = 0; c < conversions; ++c) {
    const EpsilonMethod conversion = last[c];
    CostEntry entry{bound, GuaranteeKind::joint, conversion, 0.0, delta};
    entry.data_dependent = true;
    if (is_forward_only(bound)) entry.promise = Promise::none;
    if (spent) {
      const OptimalOrder& forward = best[2 * c];
      const OptimalOrder& reverse = best[2 * c + 1];
      const OptimalOrder& larger = reverse.epsilon > forward.epsilon ? reverse : forward;
      // The optimal epsilon is no sum.
      const double term = conversion == EpsilonMethod::optimal
                              ? 0.0
                              : conversion_term(rdp_conversion(conversion), larger.order, delta);
      set_epsilon(entry, larger, {{"steps", std::max(larger.epsilon - term, 0.0)}}, notices);
    } else {
      entry.parts = {{"steps", 0.0}, {"delta", 0.0}};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace pate
