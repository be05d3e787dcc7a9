#include "pate/tuning/account_epsilon.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "pate/accounting/cost_sums.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// Without a hint orders this far apart are tried first: enough to find the valley.
constexpr std::size_t kStride = 8;
// How well sums over the votes are known.
constexpr double kAccuracy = 1e-11;
// Orders that all points with one noise of the maximum look at: so many for every e-fold of
// order - 1. What the sums are found at them for is kept, so that any other order costs more.
constexpr double kLatticeDensity = 128.0;
// How far a parabola through three of them may be off at its vertex, relative; there may be a kink.
constexpr double kSmooth = 1e-7;

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
  (void)descend_to_minimum(orders.size(), start, hint > 0.0 ? 1 : 4, 1, [&](std::size_t i) {
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
  OptimalOrder best = optimal_order(
      orders, kind.orders ? epsilons_at(orders) : epsilons_around_best(orders, hint, epsilons_at),
      [&](double order) { return epsilons_at(std::span(&order, 1)).front(); },
      kind.orders.has_value());
  if (kind.conversion == Conversion::optimal && !kind.orders && best.epsilon > 0.0 &&
      best.order <= orders[1]) {
    // As an account does, below the orders of the grid.
    Values low{kLowestSearchedOrder, 1.0 + 1e-5, 1.0 + 1e-4, 1.0 + 1e-3, orders[0], orders[1]};
    const OptimalOrder lower = optimal_order(
        low, epsilons_at(low),
        [&](double order) { return epsilons_at(std::span(&order, 1)).front(); }, false);
    if (lower.epsilon < best.epsilon) best = lower;
  }
  if (!spent) return {};
  return {std::max(best.epsilon, 0.0), best.order};
}

// Where epsilon is smallest by the parabola through the best order of a lattice and those beside
// it, and what it then is by that parabola. Nothing where these are not all larger, or where
// epsilon is not positive.
std::optional<AccountEpsilon> vertex_between_lattice_orders(
    double hint, const std::function<double(double)>& epsilon_at) {
  const auto place = [](double order) { return std::log(order - 1.0) * kLatticeDensity; };
  const double lowest = std::ceil(place(default_orders().front()));
  const double highest = std::floor(place(default_orders().back()));
  const double start = std::round(std::clamp(place(hint), lowest, highest));
  const auto order_at = [&](double k) { return 1.0 + std::exp(k / kLatticeDensity); };
  std::map<std::size_t, double> known;
  const auto at = [&](std::size_t i) {
    const auto [found, is_new] = known.try_emplace(i, 0.0);
    if (is_new) found->second = epsilon_at(order_at(lowest + static_cast<double>(i)));
    return found->second;
  };
  const auto size = static_cast<std::size_t>(highest - lowest) + 1;
  const std::size_t best =
      descend_to_minimum(size, static_cast<std::size_t>(start - lowest), 4, 1, at);
  if (best == 0 || best + 1 == size) return std::nullopt;
  const double here = at(best);
  const double below = at(best - 1) - here;
  const double above = at(best + 1) - here;
  if (!(here > 0.0 && below > 0.0 && above > 0.0 && std::isfinite(below + above))) {
    return std::nullopt;
  }
  const double shift = 0.5 * (below - above) / (below + above);
  const double less = 0.125 * (below - above) * (below - above) / (below + above);
  return AccountEpsilon{here - less, order_at(lowest + static_cast<double>(best) + shift)};
}

}  // namespace

AccountEpsilon account_epsilon(const QueryCounts& query_counts, const Mechanism& aggregator,
                               const Neighbours& neighbours, const EpsilonKind& kind, double hint,
                               unsigned threads) {
  return account_epsilon(std::span(&query_counts, 1), std::span(&aggregator, 1), neighbours, kind,
                         hint, threads);
}

AccountEpsilon account_epsilon(std::span<const QueryCounts> query_counts,
                               std::span<const Mechanism> aggregators, const Neighbours& neighbours,
                               const EpsilonKind& kind, double hint, unsigned threads) {
  std::deque<CostInputs> inputs;
  for (std::size_t r = 0; r < query_counts.size(); ++r) {
    inputs.emplace_back(query_counts[r], aggregators[r], neighbours, threads);
  }
  const auto rdp_at = [&](std::span<const double> orders) {
    Values rdp(orders.size(), 0.0);
    for (const CostInputs& round : inputs) {
      const std::vector<RunCost> costs = run_costs(round, kind.cost.bound, orders, threads);
      for (std::size_t k = 0; k < rdp.size(); ++k) rdp[k] += costs[k].rdp(kind.cost.reading);
    }
    return rdp;
  };
  return smallest_epsilon(kind, hint, rdp_at);
}

AccountEpsilon account_epsilon(const QueryNodes& nodes, const ThresholdCheck& selection,
                               const EpsilonKind& kind, double hint) {
  const auto& distinct = nodes.query_counts().distinct;
  if (distinct.empty()) return {};
  const AnswerTable ladder(selection, nodes.neighbours(), distinct.front().statistic,
                           distinct.back().statistic, nodes.query_counts().teachers);
  if (hint > 0.0 && !kind.orders) {
    const auto epsilon_at = [&](double order) {
      return epsilon_from_rdp(kind.conversion, nodes.rdp(ladder, nodes.kept(order), kAccuracy),
                              order, kind.delta);
    };
    if (const auto vertex = vertex_between_lattice_orders(hint, epsilon_at)) {
      const double epsilon =
          epsilon_from_rdp(kind.conversion, nodes.rdp(ladder, nodes.at(vertex->order), kAccuracy),
                           vertex->order, kind.delta);
      if (std::abs(epsilon - vertex->epsilon) <= kSmooth * epsilon) return {epsilon, vertex->order};
    }
  }
  const auto shared = kind.orders ? std::span<const double>(*kind.orders) : default_orders();
  const auto rdp_at = [&](double order) {
    return std::binary_search(shared.begin(), shared.end(), order)
               ? nodes.rdp(ladder, nodes.kept(order), kAccuracy)
               : nodes.rdp(ladder, nodes.at(order), kAccuracy);
  };
  const auto rdp_at_orders = [&](std::span<const double> orders) {
    Values rdp;
    for (const double order : orders) rdp.push_back(rdp_at(order));
    return rdp;
  };
  return smallest_epsilon(kind, hint, rdp_at_orders);
}

std::vector<std::optional<AccountEpsilon>> refine_points(const TuningTask& task,
                                                         std::span<const PointToRefine> points) {
  const TuningGrid& grid = task.grid;
  const GridSettings& settings = task.settings;
  std::vector<std::optional<AccountEpsilon>> result(points.size());
  std::map<std::pair<std::size_t, std::int64_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < points.size(); ++i) {
    groups[{grid.noise_of(points[i].index), points[i].queries}].push_back(i);
  }
  const CostKind& cost = settings.kind.cost;
  const bool joint = cost.bound == Bound::tradeoff && cost.reading == GuaranteeKind::joint;
  for (const auto& [noise_and_queries, members] : groups) {
    if (task.watcher.wants_stop()) break;
    const std::span<const std::size_t> group = members;
    const Mechanism any = grid.mechanism(points[group.front()].index);
    const QueryCounts counted = count_queries(
        run_of(task.votes, any, grid.neighbours, noise_and_queries.second), settings.threads);
    std::optional<QueryNodes> nodes;
    if (joint && any.refuses() && any.is_gaussian()) {
      nodes.emplace(counted, any.noisy().noisy_max, grid.neighbours);
    }
    parallel_for(group.size(), settings.threads, [&](std::size_t k) {
      if (task.watcher.wants_stop()) return;
      const PointToRefine& point = points[group[k]];
      const Mechanism aggregator = grid.mechanism(point.index);
      result[group[k]] =
          nodes ? account_epsilon(*nodes, *aggregator.noisy().selection, settings.kind, point.order)
                : account_epsilon(counted, aggregator, grid.neighbours, settings.kind, point.order,
                                  1);
    });
  }
  return result;
}

}  // namespace pate
