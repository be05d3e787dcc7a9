#include "pate/tuning/exact_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/accounting/cost_sums.hpp"
#include "pate/rdp/optimal_order.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/tuning/order_search.hpp"

namespace pate {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Without a hint orders this far apart are tried first: enough to find the valley.
constexpr std::size_t kStride = 8;

}  // namespace

ExactEpsilon exact_epsilon(const Tally& tally, const Aggregator& aggregator,
                           const EpsilonKind& kind, double hint, unsigned threads) {
  const CostInputs inputs(tally, aggregator);
  bool spent = false;
  const auto epsilons_of = [&](std::span<const double> orders) {
    std::vector<double> epsilons;
    for (const RunCost& cost : run_costs(inputs, kind.cost.bound, orders, threads)) {
      const double rdp = cost.rdp(kind.cost.reading);
      spent = spent || rdp > 0.0;
      epsilons.push_back(epsilon_from_rdp(kind.conversion, rdp, cost.order, kind.delta));
    }
    return epsilons;
  };
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
  if (!spent) return {};
  const OptimalOrder best = optimal_order(orders, epsilons, epsilon_at, kind.orders.has_value());
  return {std::max(0.0, best.epsilon), best.order};
}

}  // namespace pate
