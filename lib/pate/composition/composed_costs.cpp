#include "pate/composition/composed_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/composition/summed_curves.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

namespace {

std::vector<std::pair<std::string, double>> parts_at(const RdpCurves& curves, Reading reading,
                                                     bool has_selection, std::size_t j) {
  if (reading == Reading::joint) return {{"steps", curves.joint[j]}};
  std::vector<std::pair<std::string, double>> parts;
  if (has_selection) parts.emplace_back("selection", curves.selection[j]);
  parts.emplace_back("noisy_max", reading == Reading::realized ? curves.noisy_max_realized[j]
                                                               : curves.noisy_max[j]);
  return parts;
}

// One cost of the sum from its curves, on the grid.
void fill_entry(const Composition& sum, const RdpCurves& curves, bool has_selection, double delta,
                CostEntry& entry, std::vector<Notice>& notices) {
  RdpFunction function;
  function.orders = sum.orders;
  function.rdp = rdp_of(curves, entry.reading, has_selection);
  const auto position = [&](double order) {
    return static_cast<std::size_t>(std::lower_bound(sum.orders.begin(), sum.orders.end(), order) -
                                    sum.orders.begin());
  };
  function.at = [&](double order) { return function.rdp[position(order)]; };
  function.parts = [&](double order) {
    return parts_at(curves, entry.reading, has_selection, position(order));
  };
  fill_rdp_entry(entry, function, {delta, true}, notices);
  entry.data_dependent = true;
  if (entry.reading == Reading::expected && has_selection && !curves.spent_variance.empty()) {
    entry.sd = entry.order ? std::sqrt(curves.spent_variance[position(*entry.order)]) : 0.0;
  }
}

void add_data_dependent(const Composition& sum, double delta, std::vector<CostEntry>& costs,
                        std::vector<Notice>& notices) {
  const bool has_selection = !sum.steps.threshold_checks.empty();
  for (const Bound bound : {Bound::tradeoff, Bound::published}) {
    const auto curves = sum.curves.find(bound);
    if (curves == sum.curves.end()) continue;
    for (const Reading reading : {Reading::joint, Reading::expected, Reading::realized}) {
      if (rdp_of(curves->second, reading, has_selection).empty()) continue;
      if (reading == Reading::joint && bound == Bound::published) continue;
      if (reading == Reading::realized && !sum.answered_realized) continue;
      for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
        CostEntry entry;
        entry.bound = bound;
        entry.reading = reading;
        entry.conversion = conversion;
        fill_entry(sum, curves->second, has_selection, delta, entry, notices);
        costs.push_back(std::move(entry));
      }
    }
  }
}

void add_exact(const Composition& sum, double delta, std::vector<CostEntry>& costs,
               std::vector<Notice>& notices) {
  if (!sum.exact) return;
  bool spent = false;
  std::size_t at = 0;
  const auto best = optimal_orders_among(
      sum.orders, 2 * exact_conversions().size(), [&](std::span<const double> orders) {
        std::vector<std::vector<double>> epsilons;
        for (const double order : orders) {
          const BothDirections rdp{sum.exact->forward[at], sum.exact->reverse[at]};
          ++at;
          spent = spent || rdp.larger() > 0.0;
          epsilons.push_back(exact_epsilons(rdp, order, delta));
        }
        return epsilons;
      });
  for (CostEntry& entry : exact_entries(Bound::exact, best, spent, delta, notices)) {
    costs.push_back(std::move(entry));
  }
}

void add_released(const Released& released, CostEntry& entry) {
  entry.epsilon = added_up(entry.epsilon, released.epsilon);
  entry.delta = added_up(entry.delta, released.delta);
  entry.parts.emplace_back("released", released.epsilon);
}

// Where nothing but released epsilons is added.
CostEntry released_entry(const Released& released) {
  CostEntry entry;
  entry.epsilon = released.epsilon;
  entry.delta = released.delta;
  entry.parts = {{"released", released.epsilon}};
  entry.releasable = true;
  return entry;
}

}  // namespace

double added_up(double a, double b) {
  if (a == 0.0 || b == 0.0) return a + b;
  return std::nextafter(a + b, std::numeric_limits<double>::infinity());
}

std::vector<CostEntry> composed_costs(const Composition& sum, std::optional<double> delta,
                                      bool grid_only, std::vector<Notice>& notices) {
  if (!delta) return {released_entry(*sum.released)};
  std::vector<CostEntry> costs;
  add_data_dependent(sum, *delta, costs, notices);
  add_exact(sum, *delta, costs, notices);
  for (CostEntry& entry :
       data_independent_entries(sum.steps, sum.orders, {*delta, grid_only}, notices)) {
    costs.push_back(std::move(entry));
  }
  if (sum.released) {
    for (CostEntry& entry : costs) add_released(*sum.released, entry);
  }
  return costs;
}

}  // namespace pate
