#include "pate/composition/composed_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/math/decimal.hpp"
#include "pate/math/sums.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

namespace {

using Curve = std::vector<double>;

constexpr std::array kCurves{&RdpCurves::selection, &RdpCurves::noisy_max, &RdpCurves::joint,
                             &RdpCurves::noisy_max_realized, &RdpCurves::spent_variance};
constexpr std::array kExactCurves{&ExactCurves::forward, &ExactCurves::reverse};

// The curves of a part at `orders`, all of which it has.
template <class Curves>
Curves at_orders(const Curves& its, const auto& members, const std::vector<double>& its_orders,
                 std::span<const double> orders) {
  Curves result;
  for (const auto curve : members) {
    if ((its.*curve).empty()) continue;
    for (const double order : orders) {
      const auto at = std::ranges::lower_bound(its_orders, order);
      if (at == its_orders.end() || *at != order) throw std::logic_error("no such order");
      (result.*curve).push_back((its.*curve)[static_cast<std::size_t>(at - its_orders.begin())]);
    }
  }
  return result;
}

// What a part without votes costs under any bound and reading.
RdpCurves worst_case_curves(const Part& part, std::span<const double> orders) {
  RdpCurves curves;
  for (const double order : orders) {
    const QueryCost cost = part.steps.rdp(order);
    curves.selection.push_back(cost.selection);
    curves.noisy_max.push_back(cost.noisy_max);
    curves.joint.push_back(cost.total());
  }
  curves.noisy_max_realized = curves.noisy_max;
  curves.spent_variance.assign(orders.size(), 0.0);
  return curves;
}

RdpCurves curves_of(const Part& part, Bound bound, std::span<const double> orders) {
  if (part.curves.empty()) return worst_case_curves(part, orders);
  RdpCurves curves = at_orders(part.curves.at(bound), kCurves, part.orders, orders);
  if (!part.steps.has_checks()) {
    // Every query is answered: the readings coincide.
    curves.noisy_max_realized = curves.noisy_max;
    curves.spent_variance.assign(orders.size(), 0.0);
  }
  return curves;
}

ExactCurves exact_curves_of(const Part& part, std::span<const double> orders) {
  if (part.exact) return at_orders(*part.exact, kExactCurves, part.orders, orders);
  const Curve joint = worst_case_curves(part, orders).joint;
  return {joint, joint};
}

// The sum of each curve that all have.
template <class Curves>
Curves total_of(const std::vector<Curves>& all, const auto& members, std::size_t orders) {
  Curves result;
  for (const auto curve : members) {
    if (!std::all_of(all.begin(), all.end(),
                     [&](const Curves& its) { return (its.*curve).size() == orders; })) {
      continue;
    }
    for (std::size_t j = 0; j < orders; ++j) {
      CompensatedSum total;
      for (const Curves& its : all) total.add((its.*curve)[j]);
      (result.*curve).push_back(total.value());
    }
  }
  return result;
}

// RDP of curves under a reading, by order; empty where the curves do not have it. `has_selection`:
// whether a selection may refuse queries.
Curve rdp_of(const RdpCurves& curves, Reading reading, bool has_selection) {
  if (reading == Reading::joint) return curves.joint;
  Curve result = reading == Reading::realized ? curves.noisy_max_realized : curves.noisy_max;
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = (has_selection ? curves.selection[j] : 0.0) + result[j];
  }
  return result;
}

std::vector<std::pair<std::string, double>> parts_at(const RdpCurves& curves, Reading reading,
                                                     bool has_selection, std::size_t j) {
  if (reading == Reading::joint) return {{"steps", curves.joint[j]}};
  std::vector<std::pair<std::string, double>> parts;
  if (has_selection) parts.emplace_back("selection", curves.selection[j]);
  parts.emplace_back("noisy_max", reading == Reading::realized ? curves.noisy_max_realized[j]
                                                               : curves.noisy_max[j]);
  return parts;
}

// One cost of the sum from its curves, at some of its orders.
void fill_entry(const Composition& sum, const RdpCurves& curves, std::span<const double> orders,
                double delta, CostEntry& entry, std::vector<Notice>& notices) {
  const bool has_selection = sum.steps.has_checks();
  const Curve rdp = rdp_of(curves, entry.reading, has_selection);
  const auto position = [&](double order) {
    return static_cast<std::size_t>(std::lower_bound(sum.orders.begin(), sum.orders.end(), order) -
                                    sum.orders.begin());
  };
  RdpFunction function;
  function.orders = orders;
  for (const double order : orders) function.rdp.push_back(rdp[position(order)]);
  function.at = [&](double order) { return rdp[position(order)]; };
  function.parts = [&](double order) {
    return parts_at(curves, entry.reading, has_selection, position(order));
  };
  fill_rdp_entry(entry, function, {delta, true, sum.steps.delta()}, notices);
  if (orders.size() == 1) entry.order_end = OrderEnd::none;  // one was fixed on purpose
  entry.data_dependent = true;
  if (entry.reading == Reading::expected && has_selection && !curves.spent_variance.empty()) {
    entry.sd = entry.order ? std::sqrt(curves.spent_variance[position(*entry.order)]) : 0.0;
  }
}

// Whether joint costs are told at an order that was chosen after answers that decided on them.
bool is_chosen_after(const Composition& sum) {
  return sum.provenance.adaptive_rounds && !sum.provenance.fixed_order;
}

void add_data_dependent(const Composition& sum, const RealizedOrders& realized, double delta,
                        std::vector<CostEntry>& costs, std::vector<Notice>& notices) {
  const bool has_selection = sum.steps.has_checks();
  for (const Bound bound : {Bound::tradeoff, Bound::published}) {
    const auto curves = sum.curves.find(bound);
    if (curves == sum.curves.end()) continue;
    for (const Reading reading : {Reading::joint, Reading::expected, Reading::realized}) {
      if (rdp_of(curves->second, reading, has_selection).empty()) continue;
      if (reading == Reading::joint && bound == Bound::published) continue;
      const bool is_realized = reading == Reading::realized;
      if (is_realized && (!sum.answered_realized || realized.orders.empty())) continue;
      for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
        CostEntry entry;
        entry.bound = bound;
        entry.reading = reading;
        entry.conversion = conversion;
        entry.order_chosen_after =
            is_realized ? realized.chosen_after : reading == Reading::joint && is_chosen_after(sum);
        entry.promise =
            entry.order_chosen_after || bound == Bound::published || reading == Reading::expected
                ? Promise::none
            : is_realized || sum.provenance.fixed_order ? Promise::outcome
                                                        : Promise::fixed;
        fill_entry(sum, curves->second,
                   is_realized ? std::span(realized.orders) : std::span(sum.orders), delta, entry,
                   notices);
        costs.push_back(std::move(entry));
      }
    }
  }
}

void add_exact(const Composition& sum, double delta, const std::optional<CostEntry>& profile,
               std::vector<CostEntry>& costs, std::vector<Notice>& notices) {
  if (!sum.exact) return;
  const ExactOptima found = exact_optima(*sum.exact, sum.orders, delta);
  for (CostEntry& entry : exact_entries(Bound::exact, found.best, found.spent, delta, notices)) {
    entry.order_chosen_after = is_chosen_after(sum);
    if (entry.order_chosen_after) entry.promise = Promise::none;
    costs.push_back(std::move(entry));
  }
  if (!profile) return;
  CostEntry entry = *profile;
  const double improved = costs[costs.size() - exact_conversions().size()].epsilon;
  if (improved < entry.epsilon) entry.epsilon = improved;
  entry.lower = std::min(*entry.lower, entry.epsilon);
  entry.parts = {{"steps", entry.epsilon}};
  costs.push_back(std::move(entry));
}

void add_released(const Released& released, bool is_releasable, CostEntry& entry) {
  entry.epsilon = sum_upwards(entry.epsilon, released.epsilon);
  entry.delta = decimal_sum(entry.delta, released.delta);
  entry.parts.emplace_back("released", released.epsilon);
  if (entry.promise == Promise::fixed) entry.promise = Promise::outcome;
  if (entry.data_dependent) return;
  if (!is_releasable) entry.promise = Promise::none;
  entry.bound = Bound::released;
  entry.reading = Reading::released;
  entry.releasable = is_releasable;
}

}  // namespace

std::map<Bound, RdpCurves> summed_curves(std::span<const Part> parts,
                                         std::span<const double> orders,
                                         std::vector<Notice>& notices) {
  std::set<Bound> bounds;
  for (const Part& part : parts) {
    for (const auto& entry : part.curves) bounds.insert(entry.first);
  }
  std::map<Bound, RdpCurves> result;
  for (const Bound bound : bounds) {
    const auto lacks = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return !part.curves.empty() && !part.curves.contains(bound);
    });
    if (lacks != parts.end()) {
      notices.push_back({"bound_left_out", fmt::format("{}: the bound {} is not in this report, "
                                                       "and therefore not in the sum",
                                                       lacks->name, name(bound))});
      continue;
    }
    std::vector<RdpCurves> all;
    for (const Part& part : parts) all.push_back(curves_of(part, bound, orders));
    result[bound] = total_of(all, kCurves, orders.size());
  }
  return result;
}

std::optional<ExactCurves> summed_exact_curves(std::span<const Part> parts,
                                               std::span<const double> orders,
                                               std::vector<Notice>& notices) {
  const auto has = [](const Part& part) { return part.exact.has_value(); };
  if (std::none_of(parts.begin(), parts.end(), has)) return std::nullopt;
  const auto lacks = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return !has(part) && !part.curves.empty();
  });
  if (lacks != parts.end()) {
    notices.push_back(
        {"bound_left_out", fmt::format("{}: exact RDP at the orders is not in this report, and "
                                       "therefore not in the sum; analyze with --exact --orders",
                                       lacks->name)});
    return std::nullopt;
  }
  std::vector<ExactCurves> all;
  for (const Part& part : parts) all.push_back(exact_curves_of(part, orders));
  return total_of(all, kExactCurves, orders.size());
}

ExactOptima exact_optima(const ExactCurves& exact, std::span<const double> orders, double delta) {
  ExactOptima result;
  std::size_t at = 0;
  result.best = optimal_orders_among(
      orders, 2 * exact_conversions().size(), [&](std::span<const double> some) {
        std::vector<std::vector<double>> epsilons;
        for (const double order : some) {
          const BothDirections rdp{exact.forward[at], exact.reverse[at]};
          ++at;
          result.spent = result.spent || rdp.larger() > 0.0;
          epsilons.push_back(exact_epsilons(rdp, order, delta));
        }
        return epsilons;
      });
  return result;
}

std::vector<CostEntry> composed_costs(const Composition& sum, const RealizedOrders& realized,
                                      std::optional<double> delta, bool grid_only,
                                      const std::optional<CostEntry>& profile,
                                      std::vector<Notice>& notices) {
  std::vector<CostEntry> costs;
  if (delta) {
    add_data_dependent(sum, realized, *delta, costs, notices);
    add_exact(sum, *delta, profile, costs, notices);
    // Where costs that depend on the votes have one order, these may have any.
    const bool any_order = !grid_only && sum.orders.size() == 1;
    for (CostEntry& entry :
         data_independent_entries(sum.steps, any_order ? default_orders() : std::span(sum.orders),
                                  {*delta, grid_only}, notices)) {
      costs.push_back(std::move(entry));
    }
  } else {
    costs.emplace_back();  // nothing but released epsilons is added
  }
  if (sum.released) {
    const bool is_releasable = sum.provenance.parameters_chosen != true;
    for (CostEntry& entry : costs) add_released(*sum.released, is_releasable, entry);
  }
  return costs;
}

}  // namespace pate
