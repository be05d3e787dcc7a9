#include "pate/accounting/cost_entries.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/step_composition.hpp"

namespace pate {

namespace {

constexpr std::array kConversions{EpsilonMethod::optimal, EpsilonMethod::improved,
                                  EpsilonMethod::classic};
// Orders below those of the grid, where the optimal conversion of tiny costs is best.
constexpr std::array kLowOrders{kLowestSearchedOrder, 1.0 + 1e-5, 1.0 + 1e-4, 1.0 + 1e-3};

}  // namespace

double OrderSearch::conversion_delta() const {
  const double left = spent > 0.0 ? std::nextafter(delta - spent, 0.0) : delta;
  if (left > 0.0) return left;
  throw parameter_error(fmt::format(
      "the deltas of the queries add up to {}, which leaves nothing of delta {} for their "
      "composition: a smaller delta of a query (ptr-delta) does, or a larger one of the run",
      spent, delta));
}

Conversion rdp_conversion(EpsilonMethod conversion) {
  if (conversion == EpsilonMethod::optimal) return Conversion::optimal;
  return conversion == EpsilonMethod::classic ? Conversion::classic : Conversion::improved;
}

std::span<const EpsilonMethod> fixed_conversions(double spent) {
  // What the optimal conversion is with deltas that are added apart is not known.
  return spent > 0.0 ? std::span(kConversions).subspan(1) : std::span(kConversions);
}

std::string label(const CostEntry& entry) {
  return fmt::format("{}/{}/{}", name(entry.bound), name(entry.reading), name(entry.conversion));
}

void set_epsilon(CostEntry& entry, const OptimalOrder& best,
                 std::vector<std::pair<std::string, double>> parts, std::vector<Notice>& notices) {
  entry.epsilon = best.epsilon;
  if (!std::isfinite(best.epsilon)) {
    notices.push_back(
        {"epsilon_infinite", fmt::format("{}: the cost is infinite at every order", label(entry))});
    return;
  }
  if (entry.epsilon < 0.0) {
    entry.epsilon = 0.0;
    notices.push_back(
        {"epsilon_clamped", fmt::format("{}: the conversion gives {:.6g}, so epsilon = 0 holds",
                                        label(entry), best.epsilon)});
  }
  entry.order = best.order;
  entry.parts = std::move(parts);
  double rdp = 0.0;
  for (const auto& part : entry.parts) rdp += part.second;
  entry.parts.emplace_back("delta", entry.epsilon - rdp);
  if (best.epsilon == 0.0) return;  // no other order gives less
  // Orders still nearer to 1 make no difference.
  if (best.at_lowest && best.order > kLowestSearchedOrder) entry.order_end = OrderEnd::lowest;
  if (best.at_highest) entry.order_end = OrderEnd::highest;
}

void set_parts(CostEntry& entry, std::vector<std::pair<std::string, double>> parts,
               const OrderSearch& search) {
  double rdp = 0.0;
  for (const auto& part : parts) rdp += part.second;
  entry.epsilon = std::max(0.0, epsilon_from_rdp(rdp_conversion(entry.conversion), rdp,
                                                 *entry.order, search.conversion_delta()));
  entry.parts = std::move(parts);
  entry.parts.emplace_back("delta", entry.epsilon - rdp);
}

void fill_rdp_entry(CostEntry& entry, const RdpFunction& function, const OrderSearch& search,
                    std::vector<Notice>& notices) {
  entry.delta = search.delta;
  if (std::all_of(function.rdp.begin(), function.rdp.end(), [](double x) { return x == 0.0; })) {
    entry.epsilon = 0.0;
    entry.parts = function.parts(function.orders.front());
    entry.parts.emplace_back("delta", 0.0);
    return;
  }
  const Conversion conversion = rdp_conversion(entry.conversion);
  const double delta = search.conversion_delta();
  std::vector<double> epsilons(function.orders.size());
  for (std::size_t j = 0; j < epsilons.size(); ++j) {
    epsilons[j] = epsilon_from_rdp(conversion, function.rdp[j], function.orders[j], delta);
  }
  const auto epsilon_at = [&](double order) {
    return epsilon_from_rdp(conversion, function.at(order), order, delta);
  };
  OptimalOrder best = optimal_order(function.orders, epsilons, epsilon_at, search.grid_only);
  if (conversion == Conversion::optimal && best.at_lowest && best.epsilon > 0.0 &&
      !search.grid_only && function.orders.front() > kLowOrders.back()) {
    std::vector<double> orders(kLowOrders.begin(), kLowOrders.end());
    std::vector<double> values;
    for (const double order : orders) values.push_back(epsilon_at(order));
    for (std::size_t j = 0; j < std::min<std::size_t>(2, epsilons.size()); ++j) {
      orders.push_back(function.orders[j]);
      values.push_back(epsilons[j]);
    }
    best = optimal_order(orders, values, epsilon_at, false);
    best.at_highest = false;  // of these
  }
  set_epsilon(entry, best,
              std::isfinite(best.epsilon) ? function.parts(best.order) : decltype(entry.parts){},
              notices);
}

void add_order_notices(std::span<const CostEntry> costs, std::span<const double> orders,
                       bool restricted, std::vector<Notice>& notices) {
  for (const OrderEnd end : {OrderEnd::lowest, OrderEnd::highest}) {
    std::string labels;
    for (const CostEntry& cost : costs) {
      if (cost.order_end == end) labels += (labels.empty() ? "" : ", ") + label(cost);
    }
    if (labels.empty()) continue;
    const bool lowest = end == OrderEnd::lowest;
    notices.push_back(
        {"order_at_end",
         fmt::format("the best order is the {} that was allowed, {}, for {}; {}",
                     lowest ? "smallest" : "largest", lowest ? orders.front() : orders.back(),
                     labels,
                     restricted ? "widen --orders" : "other orders could give a smaller epsilon")});
  }
}

CostEntry data_independent_entry(EpsilonMethod conversion, double epsilon, double delta,
                                 const std::string& part) {
  CostEntry entry{Bound::data_independent, GuaranteeKind::worst_case, conversion, epsilon, delta};
  entry.parts = {{part, epsilon}};
  entry.releasable = true;
  return entry;
}

void add_pure_entries(std::span<const PureSteps> steps, const OrderSearch& search,
                      const std::string& part, std::vector<CostEntry>& entries) {
  double pure = 0.0;
  for (const PureSteps& step : steps) pure += static_cast<double>(step.count) * step.epsilon;
  // Products and sums are rounded; a unit in the last place for each kind covers them.
  pure *= 1.0 + 4e-16 * static_cast<double>(steps.size());
  entries.push_back(data_independent_entry(EpsilonMethod::pure, pure, search.spent, part));
  if (steps.size() != 1 || !(search.delta > search.spent)) return;
  entries.push_back(data_independent_entry(
      EpsilonMethod::kov,
      composed_pure_dp_epsilon(steps[0].epsilon, steps[0].count, search.conversion_delta()),
      search.delta, part));
}

std::vector<CostEntry> data_independent_entries(const MechanismCounts& steps,
                                                std::span<const double> orders,
                                                const OrderSearch& wanted,
                                                std::vector<Notice>& notices) {
  OrderSearch search = wanted;
  search.spent = std::max(search.spent, steps.delta());
  RdpFunction function;
  function.orders = orders;
  function.at = [&](double order) { return steps.rdp(order).total(); };
  for (const double order : orders) function.rdp.push_back(function.at(order));
  function.parts = [&](double order) {
    const QueryCost cost = steps.rdp(order);
    std::vector<std::pair<std::string, double>> parts;
    if (!steps.sampled_queries.empty()) {  // both steps of a query in one
      parts.emplace_back("steps", cost.total());
      return parts;
    }
    if (steps.has_checks()) parts.emplace_back("selection", cost.selection);
    parts.emplace_back("noisy_max", cost.noisy_max);
    return parts;
  };
  std::vector<CostEntry> entries;
  for (const auto conversion : fixed_conversions(search.spent)) {
    CostEntry entry{Bound::data_independent, GuaranteeKind::worst_case, conversion};
    entry.releasable = true;
    fill_rdp_entry(entry, function, search, notices);
    entries.push_back(std::move(entry));
  }
  if (const auto squared_mu = steps.squared_mu()) {
    entries.push_back(data_independent_entry(
        EpsilonMethod::gdp, gaussian_dp_epsilon(std::sqrt(*squared_mu), search.conversion_delta()),
        search.delta, "steps"));
  } else if (const auto pure = steps.pure_steps()) {
    add_pure_entries(*pure, search, steps.has_checks() ? "steps" : "noisy_max", entries);
  }
  return entries;
}

}  // namespace pate
