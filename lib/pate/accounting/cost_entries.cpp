#include "pate/accounting/cost_entries.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/step_composition.hpp"

namespace pate {

namespace {

constexpr std::array kConversions{EpsilonMethod::optimal, EpsilonMethod::improved,
                                  EpsilonMethod::classic};
// Orders below those of the grid, where the optimal conversion of tiny costs is best.
constexpr std::array kLowOrders{kLowestSearchedOrder, 1.0 + 1e-5, 1.0 + 1e-4, 1.0 + 1e-3};

std::vector<double> answered_by_checkpoint(const QueryCounts& query_counts,
                                           const Mechanism& aggregator, GuaranteeKind reading) {
  std::vector<double> answered(query_counts.checkpoints.size(), 0.0);
  AnswerProbabilities probabilities(aggregator);
  for (std::size_t i = 0; i < query_counts.distinct.size(); ++i) {
    // What PTR answers changes no cost of it, the worst case included.
    const double p = reading == GuaranteeKind::worst_case && aggregator.ptr() == nullptr
                         ? 1.0
                         : probabilities.of(query_counts.distinct[i].statistic).answered;
    for (const Occurrence& o : query_counts.occurrences_of(i)) {
      answered[o.checkpoint] += reading == GuaranteeKind::realized ? o.answered : p * o.count;
    }
  }
  for (std::size_t k = 1; k < answered.size(); ++k) answered[k] += answered[k - 1];
  return answered;
}

// Epsilon and order on the grid for RDP by order; what the trajectory tells between its ends.
TrajectoryPoint best_on_grid(std::span<const double> orders, std::span<const double> rdp,
                             Conversion conversion, double delta) {
  TrajectoryPoint point;
  point.epsilon = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double epsilon = epsilon_from_rdp(conversion, rdp[j], orders[j], delta);
    if (epsilon < point.epsilon) {
      point.epsilon = std::max(epsilon, 0.0);
      point.order = orders[j];
    }
  }
  return point;
}

// Epsilon of the first `queries` queries under a data-independent cost.
TrajectoryPoint data_independent_point(const Account& account, const CostEntry& headline,
                                       std::int64_t queries) {
  if (const StabilityTest* const sparse = account.aggregator.sparse()) {
    queries = std::min(queries, sparse->max_refusals());
  }
  const auto n = static_cast<double>(queries);
  const double delta = OrderSearch{account.delta, false, account.query_delta}.conversion_delta();
  switch (headline.conversion) {
    case EpsilonMethod::gdp:
      return {0, 0.0,
              gaussian_dp_epsilon(std::sqrt(n * squared_gaussian_sensitivity(account.aggregator)),
                                  delta),
              0.0};
    case EpsilonMethod::pure:
    case EpsilonMethod::kov: {
      const double step = *pure_epsilon(account.aggregator);
      const bool is_kov = headline.conversion == EpsilonMethod::kov;
      return {0, 0.0, composed_pure_dp_epsilon(step, queries, is_kov ? delta : 0.0), 0.0};
    }
    default:
      break;
  }
  std::vector<double> rdp;
  for (const double order : account.orders) {
    rdp.push_back(n * data_independent_cost(account.aggregator, order).total());
  }
  return best_on_grid(account.orders, rdp, rdp_conversion(headline.conversion), delta);
}

// Fills in what the best order of an entry decides: epsilon, order and the parts, of which `delta`
// is what the conversion adds.
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
  if (best.epsilon == 0.0) return;  // no other order gives less
  // Orders still nearer to 1 make no difference.
  if (best.at_lowest && best.order > kLowestSearchedOrder) entry.order_end = OrderEnd::lowest;
  if (best.at_highest) entry.order_end = OrderEnd::highest;
}

}  // namespace

double OrderSearch::conversion_delta() const {
  const double left = spent > 0.0 ? std::nextafter(delta - spent, 0.0) : delta;
  if (left > 0.0) return left;
  throw parameter_error(fmt::format(
      "the deltas of the queries add up to {}, which leaves nothing of delta {} for their "
      "composition: a smaller delta of a query (ptr-delta) does, or a larger one of the run",
      spent, delta));
}

Conversion rdp_conversion(EpsilonMethod conversion) {
  if (conversion == EpsilonMethod::optimal) return Conversion::optimal;
  return conversion == EpsilonMethod::classic ? Conversion::classic : Conversion::improved;
}

std::span<const EpsilonMethod> fixed_conversions(double spent) {
  // What the optimal conversion is with deltas that are added apart is not known.
  return spent > 0.0 ? std::span(kConversions).subspan(1) : std::span(kConversions);
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
  const double delta = search.conversion_delta();
  std::vector<double> epsilons(function.orders.size());
  for (std::size_t j = 0; j < epsilons.size(); ++j) {
    epsilons[j] = epsilon_from_rdp(conversion, function.rdp[j], function.orders[j], delta);
  }
  const auto epsilon_at = [&](double order) {
    return epsilon_from_rdp(conversion, function.at(order), order, delta);
  };
  OptimalOrder best = optimal_order(function.orders, epsilons, epsilon_at, search.grid_only);
  if (conversion == Conversion::optimal && best.at_lowest && best.epsilon > 0.0 &&
      !search.grid_only && function.orders.front() > kLowOrders.back()) {
    std::vector<double> orders(kLowOrders.begin(), kLowOrders.end());
    std::vector<double> values;
    for (const double order : orders) values.push_back(epsilon_at(order));
    for (std::size_t j = 0; j < std::min<std::size_t>(2, epsilons.size()); ++j) {
      orders.push_back(function.orders[j]);
      values.push_back(epsilons[j]);
    }
    best = optimal_order(orders, values, epsilon_at, false);
    best.at_highest = false;  // of these
  }
  if (function.settled && std::isfinite(best.epsilon)) {
    const auto [order, rdp] = function.settled(best.order);
    best.order = order;
    best.epsilon = epsilon_from_rdp(conversion, rdp, order, delta);
  }
  set_epsilon(entry, best,
              std::isfinite(best.epsilon) ? function.parts(best.order) : decltype(entry.parts){},
              notices);
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
  RdpFunction function;
  function.orders = orders;
  function.at = [&](double order) { return steps.rdp(order).total(); };
  for (const double order : orders) function.rdp.push_back(function.at(order));
  function.parts = [&](double order) {
    const QueryCost cost = steps.rdp(order);
    std::vector<std::pair<std::string, double>> parts;
    if (!steps.sampled_queries.empty()) {  // both steps of a query in one
      parts.emplace_back("steps", cost.total());
      return parts;
    }
    if (steps.has_checks()) parts.emplace_back("selection", cost.selection);
    parts.emplace_back("noisy_max", cost.noisy_max);
    return parts;
  };
  std::vector<CostEntry> entries;
  for (const auto conversion : fixed_conversions(search.spent)) {
    CostEntry entry{Bound::data_independent, GuaranteeKind::worst_case, conversion};
    entry.releasable = true;
    fill_rdp_entry(entry, function, search, notices);
    entries.push_back(std::move(entry));
  }
  if (const auto squared_mu = steps.squared_mu()) {
    entries.push_back(data_independent_entry(
        EpsilonMethod::gdp, gaussian_dp_epsilon(std::sqrt(*squared_mu), search.conversion_delta()),
        search.delta, "steps"));
  } else if (const auto pure = steps.pure_steps()) {
    add_pure_entries(*pure, search, steps.has_checks() ? "steps" : "noisy_max", entries);
  }
  return entries;
}

std::span<const EpsilonMethod> exact_conversions() {
  return kConversions;
}

std::vector<double> exact_epsilons(const BothDirections& rdp, double order, double delta) {
  std::vector<double> result;
  for (const EpsilonMethod conversion : kConversions) {
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      result.push_back(
          epsilon_from_rdp(rdp_conversion(conversion), rdp.of(direction), order, delta));
    }
  }
  return result;
}

std::vector<CostEntry> exact_entries(Bound bound, std::span<const OptimalOrder> best, bool spent,
                                     double delta, std::vector<Notice>& notices) {
  std::vector<CostEntry> entries;
  const std::size_t conversions = best.size() / 2;
  for (std::size_t c = 0; c < conversions; ++c) {
    const EpsilonMethod conversion = kConversions[kConversions.size() - conversions + c];
    CostEntry entry{bound, GuaranteeKind::joint, conversion, 0.0, delta};
    entry.data_dependent = true;
    if (is_forward_only(bound)) entry.promise = Promise::none;
    if (spent) {
      const OptimalOrder& forward = best[2 * c];
      const OptimalOrder& reverse = best[2 * c + 1];
      const OptimalOrder& larger = reverse.epsilon > forward.epsilon ? reverse : forward;
      // The optimal epsilon is no sum.
      const double term = conversion == EpsilonMethod::optimal
                              ? 0.0
                              : conversion_term(rdp_conversion(conversion), larger.order, delta);
      set_epsilon(entry, larger, {{"steps", std::max(larger.epsilon - term, 0.0)}}, notices);
    } else {
      entry.parts = {{"steps", 0.0}, {"delta", 0.0}};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::size_t headline_of(std::span<const CostEntry> costs, const HeadlineChoice& choice) {
  const CostEntry* best = nullptr;
  for (const CostEntry& cost : costs) {
    if (choice.bound && cost.bound != *choice.bound) continue;
    if (choice.reading && cost.reading != *choice.reading) continue;
    if (choice.conversion && cost.conversion != *choice.conversion) continue;
    // Kinds of promises are in their order; among fixed ones the smallest holds, of others the
    // smallest would be a choice by the outcome.
    const bool is_better = best == nullptr || cost.promise < best->promise ||
                           (cost.promise == Promise::fixed && best->promise == Promise::fixed &&
                            cost.epsilon < best->epsilon);
    if (is_better) best = &cost;
  }
  if (best != nullptr) return static_cast<std::size_t>(best - costs.data());
  std::string computed;
  for (const CostEntry& cost : costs) computed += (computed.empty() ? "" : ", ") + label(cost);
  throw parameter_error(fmt::format(
      "no cost has{}{}{}{}{}{}; computed are {}", choice.bound ? " bound " : "",
      choice.bound ? name(*choice.bound) : "", choice.reading ? " reading " : "",
      choice.reading ? name(*choice.reading) : "", choice.conversion ? " conversion " : "",
      choice.conversion ? name(*choice.conversion) : "", computed));
}

namespace {

// The smallest cost that holds for any votes, if any is finite.
const CostEntry* least_public(std::span<const CostEntry> costs) {
  const CostEntry* least = nullptr;
  for (const CostEntry& cost : costs) {
    if (!cost.releasable || cost.reading != GuaranteeKind::worst_case) continue;
    if (std::isfinite(cost.epsilon) && (least == nullptr || cost.epsilon < least->epsilon)) {
      least = &cost;
    }
  }
  return least;
}

}  // namespace

void add_publishable_notice(std::span<const CostEntry> costs, std::vector<Notice>& notices) {
  const CostEntry* const least = least_public(costs);
  if (least == nullptr) return;
  notices.push_back(
      {"which_to_publish",
       fmt::format("{}, {}, may always be published; which of two numbers is published must be "
                   "fixed before looking",
                   label(*least), least->epsilon)});
}

void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline_index,
                          std::vector<Notice>& notices) {
  const CostEntry& headline = costs[headline_index];
  const auto add = [&](const char* code, std::string message) {
    notices.push_back({code, std::move(message)});
  };
  if (headline.data_dependent) {
    add("private_number",
        "the headline depends on the votes: it is for the owner of the data and must not be "
        "published as it is");
  }
  const auto may = [&](Promise promise) {
    return std::ranges::any_of(costs, [promise](const CostEntry& cost) {
      return cost.releasable && cost.promise == promise;
    });
  };
  if (headline.data_dependent || (may(Promise::fixed) && may(Promise::outcome))) {
    add_publishable_notice(costs, notices);
  }
  std::optional<double> least_by_votes;
  for (const CostEntry& cost : costs) {
    if (!cost.data_dependent || cost.promise != Promise::fixed) continue;
    least_by_votes = std::min(least_by_votes.value_or(cost.epsilon), cost.epsilon);
  }
  if (least_by_votes && headline.epsilon <= *least_by_votes && !headline.data_dependent &&
      headline.reading == GuaranteeKind::worst_case) {
    add("any_votes_smaller",
        "the number that holds for any votes is smaller here, and may be published");
  }
  if (headline.reading == GuaranteeKind::expected && headline.sd) {
    add("expectation",
        "the headline is an expectation over the selection noise, not a guarantee for a run");
  }
  if (headline.reading == GuaranteeKind::realized) {
    add("realized_order",
        "a realized cost is an epsilon of what came out, and one only at an order that was fixed "
        "before the run (--orders with that one)");
  }
  if (headline.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
}

std::vector<TrajectoryPoint> trajectory(const QueryCounts& query_counts, const Account& account,
                                        const std::vector<std::vector<double>>& by_checkpoint,
                                        const std::function<std::vector<double>(double)>& settled) {
  const CostEntry& headline = account.costs[account.headline];
  const auto answered = answered_by_checkpoint(query_counts, account.aggregator, headline.reading);
  std::map<double, std::vector<double>> at_orders;
  std::vector<TrajectoryPoint> points;
  points.reserve(query_counts.checkpoints.size());
  for (std::size_t k = 0; k < query_counts.checkpoints.size(); ++k) {
    TrajectoryPoint point;
    if (k + 1 == query_counts.checkpoints.size()) {
      point.epsilon = headline.epsilon;
      point.order = headline.order.value_or(0.0);
    } else if (headline.bound == Bound::data_independent) {
      point = data_independent_point(account, headline, query_counts.checkpoints[k]);
    } else {
      const Conversion conversion = rdp_conversion(headline.conversion);
      const double delta =
          OrderSearch{account.delta, false, account.query_delta}.conversion_delta();
      std::vector<double> rdp;
      for (const auto& run : by_checkpoint) rdp.push_back(run[k]);
      point = best_on_grid(account.orders, rdp, conversion, delta);
      if (settled && std::isfinite(point.epsilon)) {
        const auto [found, is_new] = at_orders.try_emplace(point.order);
        if (is_new) found->second = settled(point.order);
        const double epsilon = epsilon_from_rdp(conversion, found->second[k], point.order, delta);
        point.epsilon = std::max(epsilon, 0.0);
      }
    }
    point.queries = query_counts.checkpoints[k];
    point.answered = answered[k];
    points.push_back(point);
  }
  // More queries never cost less: what holds after more of them holds before.
  for (std::size_t k = points.size(); k-- > 1;) {
    if (points[k - 1].epsilon <= points[k].epsilon) continue;
    points[k - 1].epsilon = points[k].epsilon;
    points[k - 1].order = points[k].order;
  }
  return points;
}

}  // namespace pate
