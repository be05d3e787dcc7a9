#include "pate/accounting/data_independent_entries.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "pate/rdp/gaussian_dp.hpp"
#include "pate/rdp/pure_dp.hpp"

namespace pate {

namespace {

CostEntry entry_of(ReportedConversion conversion) {
  CostEntry entry;
  entry.conversion = conversion;
  entry.releasable = true;
  return entry;
}

CostEntry exact_entry(ReportedConversion conversion, double epsilon, double delta,
                      const std::string& part) {
  CostEntry entry = entry_of(conversion);
  entry.epsilon = epsilon;
  entry.delta = delta;
  entry.parts = {{part, epsilon}};
  return entry;
}

// Of Laplace steps alone.
void add_pure_entries(const StepCounts& steps, double delta, std::vector<CostEntry>& entries) {
  const auto& counts = steps.laplace_maxima;
  double pure = 0.0;
  for (const auto& [scale, count] : counts) pure += static_cast<double>(count) * (2.0 / scale);
  // Products and sums are rounded; a unit in the last place for each kind covers them.
  pure *= 1.0 + 4e-16 * static_cast<double>(counts.size());
  entries.push_back(exact_entry(ReportedConversion::pure, pure, 0.0, "noisy_max"));
  if (counts.size() != 1) return;
  const auto& [scale, count] = *counts.begin();
  entries.push_back(exact_entry(ReportedConversion::kov,
                                composed_pure_dp_epsilon(2.0 / scale, count, delta), delta,
                                "noisy_max"));
}

}  // namespace

std::vector<CostEntry> data_independent_entries(const StepCounts& steps,
                                                std::span<const double> orders,
                                                const OrderSearch& search,
                                                std::vector<Notice>& notices) {
  RdpFunction function;
  function.orders = orders;
  function.at = [&](double order) { return steps.rdp(order).total(); };
  for (const double order : orders) function.rdp.push_back(function.at(order));
  function.parts = [&](double order) {
    const QueryCost cost = steps.rdp(order);
    std::vector<std::pair<std::string, double>> parts;
    if (!steps.threshold_checks.empty()) parts.emplace_back("selection", cost.selection);
    parts.emplace_back("noisy_max", cost.noisy_max);
    return parts;
  };
  std::vector<CostEntry> entries;
  for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
    CostEntry entry = entry_of(conversion);
    fill_rdp_entry(entry, function, search, notices);
    entries.push_back(std::move(entry));
  }
  if (const auto squared_mu = steps.squared_mu()) {
    entries.push_back(exact_entry(ReportedConversion::gdp,
                                  gaussian_dp_epsilon(std::sqrt(*squared_mu), search.delta),
                                  search.delta, "steps"));
  } else if (steps.threshold_checks.empty() && steps.gaussian_maxima.empty()) {
    add_pure_entries(steps, search.delta, entries);
  }
  return entries;
}

}  // namespace pate
