#include "pate/tuning/account_epsilon.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "pate/accounting/cost_sums.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/margin.hpp"
#include "pate/parallel/parallel_for.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/tuning/tuning_orders.hpp"

namespace pate {

namespace {

// Without a hint orders this far apart are tried first: enough to find the valley.
constexpr std::size_t kStride = 8;
// How well sums over the votes are known.
constexpr double kAccuracy = 1e-11;

using Values = std::vector<double>;
using ValuesAt = std::function<Values(std::span<const double> orders)>;

// The epsilons at the orders of an account that a search for the best looks at, +inf elsewhere.
Values epsilons_around_best(std::span<const double> orders, double hint, const ValuesAt& at) {
  Values epsilons(orders.size(), kInfinity);
  std::vector<char> known(orders.size(), 0);
  std::size_t start = 0;
  if (hint > 0.0) {
    const auto after = std::lower_bound(orders.begin(), orders.end(), hint) - orders.begin();
    start = std::min(static_cast<std::size_t>(after), orders.size() - 1);
  } else {
    Values few;
    for (std::size_t i = 0; i < orders.size(); i += kStride) few.push_back(orders[i]);
    const Values values = at(few);
    for (std::size_t i = 0; i < few.size(); ++i) {
      epsilons[i * kStride] = values[i];
      known[i * kStride] = 1;
    }
    const auto least = std::min_element(values.begin(), values.end()) - values.begin();
    start = static_cast<std::size_t>(least) * kStride;
  }
  (void)downhill(orders.size(), start, hint > 0.0 ? 1 : 4, 1, [&](std::size_t i) {
    if (known[i] == 0) epsilons[i] = at(orders.subspan(i, 1)).front();
    known[i] = 1;
    return epsilons[i];
  });
  return epsilons;
}

// The smallest epsilon: at the orders of an account, then on the continuum as an account does it.
AccountEpsilon smallest_epsilon(const EpsilonKind& kind, double hint, const ValuesAt& rdp_at) {
  bool spent = false;
  const ValuesAt epsilons_at = [&](std::span<const double> orders) {
    Values values = rdp_at(orders);
    for (std::size_t i = 0; i < values.size(); ++i) {
      spent = spent || values[i] > 0.0;
      values[i] = epsilon_from_rdp(kind.conversion, values[i], orders[i], kind.delta);
    }
    return values;
  };
  const std::span<const double> orders = kind.orders ? *kind.orders : default_orders();
  const OptimalOrder best = optimal_order(
      orders, kind.orders ? epsilons_at(orders) : epsilons_around_best(orders, hint, epsilons_at),
      [&](double order) { return epsilons_at(std::span(&order, 1)).front(); },
      kind.orders.has_value());
  return spent ? AccountEpsilon{std::max(0.0, best.epsilon), best.order} : AccountEpsilon{};
}

}  // namespace

AccountEpsilon account_epsilon(const Tally& tally, const Aggregator& aggregator,
                               const EpsilonKind& kind, double hint, unsigned threads) {
  const CostInputs inputs(tally, aggregator);
  return smallest_epsilon(kind, hint, [&](std::span<const double> orders) {
    Values rdp;
    for (const RunCost& cost : run_costs(inputs, kind.cost.bound, orders, threads)) {
      rdp.push_back(cost.rdp(kind.cost.reading));
    }
    return rdp;
  });
}

AccountEpsilon account_epsilon(const QueryNodes& nodes, const ThresholdCheck& selection,
                               const EpsilonKind& kind, double hint) {
  const auto& distinct = nodes.tally().distinct;
  if (distinct.empty()) return {};
  const AnswerLadder ladder(selection, distinct.front().statistic, distinct.back().statistic,
                            nodes.tally().teachers);
  const auto shared = kind.orders ? std::span<const double>(*kind.orders) : default_orders();
  const auto rdp_at = [&](double order) {
    return std::binary_search(shared.begin(), shared.end(), order)
               ? nodes.rdp(ladder, nodes.kept(order), kAccuracy)
               : nodes.rdp(ladder, nodes.at(order), kAccuracy);
  };
  const AccountEpsilon result = smallest_epsilon(kind, hint, [&](std::span<const double> orders) {
    Values rdp;
    for (const double order : orders) rdp.push_back(rdp_at(order));
    return rdp;
  });
  return {result.epsilon * (1.0 + kNodeMargin), result.order};
}

std::vector<std::optional<AccountEpsilon>> refine_points(const TuningVotes& votes,
                                                         const TuningGrid& grid,
                                                         const GridSettings& settings,
                                                         std::span<const PointToRefine> points,
                                                         const Watcher& watcher) {
  std::vector<std::optional<AccountEpsilon>> result(points.size());
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    groups[{grid.noise_of(points[i].index), points[i].queries}].push_back(i);
  }
  const CostKind& cost = settings.kind.cost;
  const bool joint = cost.bound == Bound::tradeoff && cost.reading == Reading::joint;
  for (const auto& [noise_and_queries, members] : groups) {
    if (watcher.wants_stop()) break;
    const std::span<const std::size_t> group = members;
    const Aggregator any = grid.aggregator(points[group.front()].index);
    const Tally counted = tally(run_of(votes, any, noise_and_queries.second), settings.threads);
    std::optional<QueryNodes> nodes;
    if (joint && any.selection && any.is_gaussian()) {
      nodes.emplace(counted, Aggregator{std::nullopt, any.noisy_max, false});
    }
    parallel_for(group.size(), settings.threads, [&](std::size_t k) {
      if (watcher.wants_stop()) return;
      const PointToRefine& point = points[group[k]];
      const Aggregator aggregator = grid.aggregator(point.index);
      result[group[k]] =
          nodes ? account_epsilon(*nodes, *aggregator.selection, settings.kind, point.order)
                : account_epsilon(counted, aggregator, settings.kind, point.order, 1);
    });
  }
  return result;
}

}  // namespace pate
