#include "pate/accounting/rdp_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/rdp/gaussian_dp.hpp"
#include "pate/rdp/optimal_order.hpp"
#include "pate/rdp/pure_dp.hpp"

namespace pate {

namespace {

CostEntry exact_entry(ReportedConversion conversion, double epsilon, double delta,
                      const std::string& part) {
  CostEntry entry;
  entry.conversion = conversion;
  entry.epsilon = epsilon;
  entry.delta = delta;
  entry.parts = {{part, epsilon}};
  entry.releasable = true;
  return entry;
}

}  // namespace

Conversion rdp_conversion(ReportedConversion conversion) {
  return conversion == ReportedConversion::classic ? Conversion::classic : Conversion::improved;
}

std::string label(const CostEntry& entry) {
  return fmt::format("{}/{}/{}", name(entry.bound), name(entry.reading), name(entry.conversion));
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
  std::vector<double> epsilons(function.orders.size());
  for (std::size_t j = 0; j < epsilons.size(); ++j) {
    epsilons[j] = epsilon_from_rdp(conversion, function.rdp[j], function.orders[j], search.delta);
  }
  const auto epsilon_at = [&](double order) {
    return epsilon_from_rdp(conversion, function.at(order), order, search.delta);
  };
  const OptimalOrder best = optimal_order(function.orders, epsilons, epsilon_at, search.grid_only);
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
  entry.parts = function.parts(best.order);
  double rdp = 0.0;
  for (const auto& part : entry.parts) rdp += part.second;
  entry.parts.emplace_back("delta", entry.epsilon - rdp);
  if (best.at_lowest) entry.order_end = OrderEnd::lowest;
  if (best.at_highest) entry.order_end = OrderEnd::highest;
}

std::vector<CostEntry> data_independent_entries(const Aggregator& aggregator, std::int64_t queries,
                                                std::span<const double> orders,
                                                const OrderSearch& search,
                                                std::vector<Notice>& notices) {
  const auto n = static_cast<double>(queries);
  RdpFunction function;
  function.orders = orders;
  function.at = [&](double order) { return n * data_independent_cost(aggregator, order).total(); };
  for (const double order : orders) function.rdp.push_back(function.at(order));
  function.parts = [&](double order) {
    const QueryCost cost = data_independent_cost(aggregator, order);
    std::vector<std::pair<std::string, double>> parts;
    if (aggregator.selection) parts.emplace_back("selection", n * cost.selection);
    parts.emplace_back("noisy_max", n * cost.noisy_max);
    return parts;
  };
  std::vector<CostEntry> entries;
  for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
    CostEntry entry;
    entry.conversion = conversion;
    entry.releasable = true;
    fill_rdp_entry(entry, function, search, notices);
    entries.push_back(std::move(entry));
  }
  if (aggregator.is_gaussian()) {
    const double mu = std::sqrt(n * squared_gaussian_sensitivity(aggregator));
    entries.push_back(exact_entry(ReportedConversion::gdp, gaussian_dp_epsilon(mu, search.delta),
                                  search.delta, "steps"));
  } else {
    const double step = 2.0 * std::get<LaplaceNoisyMax>(aggregator.noisy_max).gamma();
    // The product is rounded; one unit in the last place covers it.
    entries.push_back(
        exact_entry(ReportedConversion::pure, n * step * (1.0 + 4e-16), 0.0, "noisy_max"));
    entries.push_back(exact_entry(ReportedConversion::kov,
                                  composed_pure_dp_epsilon(step, queries, search.delta),
                                  search.delta, "noisy_max"));
  }
  return entries;
}

}  // namespace pate
