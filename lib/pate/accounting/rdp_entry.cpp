#include "pate/accounting/rdp_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pate {

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
  set_epsilon(entry, best,
              std::isfinite(best.epsilon) ? function.parts(best.order) : decltype(entry.parts){},
              notices);
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
  if (best.at_lowest) entry.order_end = OrderEnd::lowest;
  if (best.at_highest) entry.order_end = OrderEnd::highest;
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

}  // namespace pate
