#include "pate/tuning/exact_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "pate/accounting/cost_sums.hpp"
#include "pate/math/log_space.hpp"
#include "pate/rdp/optimal_order.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/tuning/order_search.hpp"

namespace pate {

namespace {

// Without a hint orders this far apart are tried first: enough to find the valley.
constexpr std::size_t kStride = 8;
// More than interpolation makes a difference by, also to the order at which the search ends.
constexpr double kOutwards = 4e-10;
// How well sums over the votes are known.
constexpr double kAccuracy = 1e-11;

using EpsilonsOf = std::function<std::vector<double>(std::span<const double> orders)>;

// The smallest epsilon: at the orders of an account, then on the continuum as an account does it.
ExactEpsilon smallest_epsilon(const EpsilonKind& kind, double hint, const EpsilonsOf& epsilons_of) {
  const auto epsilon_at = [&](double order) { return epsilons_of(std::span(&order, 1)).front(); };

  const std::span<const double> orders = kind.orders ? *kind.orders : default_orders();
  std::vector<double> epsilons(orders.size(), kInfinity);
  if (kind.orders) {
    epsilons = epsilons_of(orders);
  } else {
    std::vector<char> known(orders.size(), 0);
    const auto value_at = [&](std::size_t i) {
      if (known[i] == 0) epsilons[i] = epsilon_at(orders[i]);
      known[i] = 1;
      return epsilons[i];
    };
    std::size_t start = 0;
    if (hint > 0.0) {
      start = static_cast<std::size_t>(std::lower_bound(orders.begin(), orders.end(), hint) -
                                       orders.begin());
      start = std::min(start, orders.size() - 1);
    } else {
      std::vector<double> few;
      for (std::size_t i = 0; i < orders.size(); i += kStride) few.push_back(orders[i]);
      const auto values = epsilons_of(few);
      for (std::size_t i = 0; i < few.size(); ++i) {
        epsilons[i * kStride] = values[i];
        known[i * kStride] = 1;
      }
      start = static_cast<std::size_t>(std::min_element(values.begin(), values.end()) -
                                       values.begin()) *
              kStride;
    }
    (void)downhill(orders.size(), start, hint > 0.0 ? 1 : 4, 1, value_at);
  }
  const OptimalOrder best = optimal_order(orders, epsilons, epsilon_at, kind.orders.has_value());
  return {std::max(0.0, best.epsilon), best.order};
}

}  // namespace

ExactEpsilon exact_epsilon(const Tally& tally, const Aggregator& aggregator,
                           const EpsilonKind& kind, double hint, unsigned threads) {
  const CostInputs inputs(tally, aggregator);
  bool spent = false;
  const ExactEpsilon result = smallest_epsilon(kind, hint, [&](std::span<const double> orders) {
    std::vector<double> epsilons;
    for (const RunCost& cost : run_costs(inputs, kind.cost.bound, orders, threads)) {
      const double rdp = cost.rdp(kind.cost.reading);
      spent = spent || rdp > 0.0;
      epsilons.push_back(epsilon_from_rdp(kind.conversion, rdp, cost.order, kind.delta));
    }
    return epsilons;
  });
  return spent ? result : ExactEpsilon{};
}

ExactEpsilon exact_epsilon(const QueryNodes& nodes, const ThresholdCheck& selection,
                           const EpsilonKind& kind, double hint) {
  const auto& distinct = nodes.tally().distinct;
  if (distinct.empty()) return {};
  const AnswerLadder ladder(selection, distinct.front().statistic, distinct.back().statistic,
                            nodes.tally().teachers);
  bool spent = false;
  const auto epsilon = [&](const QueryNodes::AtOrder& at) {
    const double rdp = nodes.rdp(ladder, at, kAccuracy);
    spent = spent || rdp > 0.0;
    return epsilon_from_rdp(kind.conversion, rdp, at.order, kind.delta);
  };
  const auto fixed = kind.orders ? std::span<const double>(*kind.orders) : default_orders();
  const ExactEpsilon result = smallest_epsilon(kind, hint, [&](std::span<const double> orders) {
    std::vector<double> epsilons;
    for (const double order : orders) {
      const bool shared = std::binary_search(fixed.begin(), fixed.end(), order);
      epsilons.push_back(shared ? epsilon(nodes.kept(order)) : epsilon(nodes.at(order)));
    }
    return epsilons;
  });
  return spent ? ExactEpsilon{result.epsilon * (1.0 + kOutwards), result.order} : ExactEpsilon{};
}

}  // namespace pate
