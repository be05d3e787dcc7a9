#include "pate/tuning/public_epsilons.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/mechanism_counts.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

double least_epsilon(const MechanismCounts& steps, const EpsilonKind& kind) {
  if (!(steps.delta() < kind.delta)) return kInfinity;
  const bool any_conversion = kind.as_headline && !kind.chosen_conversion;
  if (const auto squared = steps.squared_mu(); any_conversion && squared && steps.delta() == 0.0) {
    // Exact: no number by RDP is smaller.
    return gaussian_dp_epsilon(std::sqrt(*squared), kind.delta);
  }
  const std::span<const double> orders =
      kind.orders ? std::span<const double>(*kind.orders) : default_orders();
  std::vector<Notice> notices;
  double least = kInfinity;
  for (const CostEntry& cost :
       data_independent_entries(steps, orders, {kind.delta, kind.orders.has_value()}, notices)) {
    if (!any_conversion && name(cost.conversion) != name(kind.conversion)) continue;
    least = std::min(least, cost.epsilon);
  }
  return least;
}

// What tells the mechanisms of a grid apart, of those whose costs differ.
std::pair<double, double> noises_of(const Mechanism& mechanism) {
  if (const StabilityTest* const test = mechanism.ptr()) return {test->delta(), test->scale()};
  const Aggregator& aggregator = mechanism.noisy();
  return {aggregator.noisy_max.parameter(),
          aggregator.selection ? aggregator.selection->sigma1 : 0.0};
}

}  // namespace

double PublicEpsilons::of(const Mechanism& mechanism, std::int64_t queries) {
  const auto [answer, check] = noises_of(mechanism);
  const auto [found, is_new] = known_.try_emplace({answer, check, queries}, 0.0);
  if (is_new)
    found->second = least_epsilon(steps_of(mechanism, neighbours_, queries, queries), kind_);
  return found->second;
}

}  // namespace pate
