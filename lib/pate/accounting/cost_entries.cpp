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
                     restricted ? "widen \1orders" : "other orders could give a smaller epsilon")});
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
  // Both steps of a sampled query are known in one.
  const bool in_one = !steps.sampled_queries.empty();
  const auto costs_at = [&](std::span<const double> some) {
    std::vector<RunCost> costs;
    for (const double order : some) {
      const QueryCost cost = steps.rdp(order);
      RunCost& its = costs.emplace_back(RunCost{order});
      if (in_one) {
        its.joint = cost.total();
      } else {
        its.selection = cost.selection;
        its.noisy_max_expected = cost.noisy_max;
      }
    }
    return costs;
  };
  RunCurve curve(orders, costs_at,
                 in_one               ? CostParts::steps
                 : steps.has_checks() ? CostParts::selection_and_noisy_max
                                      : CostParts::noisy_max);
  CostEntry like{Bound::data_independent, GuaranteeKind::worst_case};
  like.releasable = true;
  std::vector<CostEntry> entries =
      curve.entries(like, fixed_conversions(search.spent), search, notices);
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
