#include "pate/accounting/run_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

namespace {

constexpr std::array kConversions{EpsilonMethod::optimal, EpsilonMethod::improved,
                                  EpsilonMethod::classic};
// Orders below those of the grid, where the optimal conversion of tiny costs is best.
constexpr std::array kLowOrders{kLowestSearchedOrder, 1.0 + 1e-5, 1.0 + 1e-4, 1.0 + 1e-3};
// Where to look first where no cost has an order.
constexpr double kDefaultHint = 16.0;

// Fills in what the best order of an entry decides: epsilon, order and the parts, with `delta`,
// what the conversion adds to them.
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

std::span<const EpsilonMethod> fixed_conversions(double spent) {
  // What the optimal conversion is with deltas that are added apart is not known.
  return spent > 0.0 ? std::span(kConversions).subspan(1) : std::span(kConversions);
}

double RunCost::rdp(GuaranteeKind reading) const {
  switch (reading) {
    case GuaranteeKind::joint:
      return joint;
    case GuaranteeKind::expected:
      return selection + noisy_max_expected;
    case GuaranteeKind::realized:
      return selection + noisy_max_realized;
    case GuaranteeKind::worst_case:
      return selection + noisy_max_expected + joint;
    case GuaranteeKind::released:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<std::pair<std::string, double>> parts_of(const RunCost& cost, GuaranteeKind reading,
                                                     CostParts parts) {
  if (parts == CostParts::steps || reading == GuaranteeKind::joint) {
    return {{"steps", cost.rdp(reading)}};
  }
  std::vector<std::pair<std::string, double>> result;
  if (parts == CostParts::selection_and_noisy_max) result.emplace_back("selection", cost.selection);
  result.emplace_back("noisy_max", reading == GuaranteeKind::realized ? cost.noisy_max_realized
                                                                      : cost.noisy_max_expected);
  return result;
}

RunCurve::RunCurve(std::span<const double> orders, Model model, CostParts parts)
    : orders_(orders), model_(std::move(model)), parts_(parts), on_grid_(model_(orders)) {
  for (std::size_t j = 0; j < orders.size(); ++j) kept_.emplace(orders[j], on_grid_[j]);
}

const RunCost& RunCurve::at(double order) {
  const auto [found, is_new] = kept_.try_emplace(order);
  if (is_new) found->second = model_(std::span(&order, 1)).front();
  return found->second;
}

OptimalOrder RunCurve::best_order(const CostEntry& entry, const OrderSearch& search) {
  const Conversion conversion = rdp_conversion(entry.conversion);
  const double delta = search.conversion_delta();
  const auto epsilon_of = [&](const RunCost& cost, double order) {
    return epsilon_from_rdp(conversion, cost.rdp(entry.reading), order, delta);
  };
  const auto epsilon_at = [&](double order) { return epsilon_of(at(order), order); };
  std::vector<double> epsilons;
  for (std::size_t j = 0; j < orders_.size(); ++j) {
    epsilons.push_back(epsilon_of(on_grid_[j], orders_[j]));
  }
  OptimalOrder best = optimal_order(orders_, epsilons, epsilon_at, search.grid_only);
  if (conversion == Conversion::optimal && best.at_lowest && best.epsilon > 0.0 &&
      !search.grid_only && orders_.front() > kLowOrders.back()) {
    std::vector<double> orders(kLowOrders.begin(), kLowOrders.end());
    std::vector<double> values;
    for (const double order : orders) values.push_back(epsilon_at(order));
    for (std::size_t j = 0; j < std::min<std::size_t>(2, epsilons.size()); ++j) {
      orders.push_back(orders_[j]);
      values.push_back(epsilons[j]);
    }
    best = optimal_order(orders, values, epsilon_at, false);
    best.at_highest = false;  // of these
  }
  return best;
}

void RunCurve::fill(CostEntry& entry, const OrderSearch& search, std::vector<Notice>& notices) {
  entry.delta = search.delta;
  if (std::ranges::all_of(on_grid_,
                          [&](const RunCost& cost) { return cost.rdp(entry.reading) == 0.0; })) {
    entry.epsilon = 0.0;
    entry.parts = parts_of(on_grid_.front(), entry.reading, parts_);
    entry.parts.emplace_back("delta", 0.0);
  } else {
    const OptimalOrder best = best_order(entry, search);
    set_epsilon(entry, best,
                std::isfinite(best.epsilon) ? parts_of(at(best.order), entry.reading, parts_)
                                            : decltype(entry.parts){},
                notices);
  }
  if (entry.reading == GuaranteeKind::expected && parts_ == CostParts::selection_and_noisy_max) {
    entry.sd = entry.order ? std::sqrt(at(*entry.order).spent_variance) : 0.0;
  }
}

std::vector<CostEntry> RunCurve::entries(const CostEntry& like,
                                         std::span<const EpsilonMethod> conversions,
                                         const OrderSearch& search, std::vector<Notice>& notices) {
  std::vector<CostEntry> result;
  for (const EpsilonMethod conversion : conversions) {
    CostEntry& entry = result.emplace_back(like);
    entry.conversion = conversion;
    fill(entry, search, notices);
  }
  return result;
}

void set_parts(CostEntry& entry, std::vector<std::pair<std::string, double>> parts,
               const OrderSearch& search) {
  double rdp = 0.0;
  for (const auto& part : parts) rdp += part.second;
  entry.epsilon = std::max(0.0, epsilon_from_rdp(rdp_conversion(entry.conversion), rdp,
                                                 *entry.order, search.conversion_delta()));
  entry.parts = std::move(parts);
  entry.parts.emplace_back("delta", entry.epsilon - rdp);
}

std::vector<double> directed_epsilons(const BothDirections& rdp, double order, double delta) {
  std::vector<double> result;
  for (const EpsilonMethod conversion : fixed_conversions()) {
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      result.push_back(
          epsilon_from_rdp(rdp_conversion(conversion), rdp.of(direction), order, delta));
    }
  }
  return result;
}

std::vector<double> order_hints(std::span<const CostEntry> costs) {
  std::vector<double> hints;
  for (const CostEntry& cost : costs) {
    if (cost.bound == Bound::tradeoff && cost.order) hints.push_back(*cost.order);
  }
  for (const CostEntry& cost : costs) {
    if (hints.empty() && cost.order) hints.push_back(*cost.order);
  }
  if (hints.empty()) hints.push_back(kDefaultHint);
  return hints;
}

DirectedCosts directed_costs(Bound bound, const DirectedModel& rdp, const OrderSearch& search,
                             std::span<const double> orders, std::span<const CostEntry> costs,
                             std::vector<Notice>& notices, std::optional<ExactCurves>* curves) {
  DirectedCosts result;
  if (curves != nullptr && search.grid_only) curves->emplace();
  // No guarantee: the optimal conversion does not go with it.
  const std::ptrdiff_t left_out = is_forward_only(bound) ? 2 : 0;
  const auto evaluate = [&](std::span<const double> some) {
    const std::vector<BothDirections> at = rdp(some);
    std::vector<std::vector<double>> epsilons;
    for (std::size_t k = 0; k < some.size(); ++k) {
      result.spent = result.spent || !(at[k].larger() <= 0.0);
      const std::vector<double> its = directed_epsilons(at[k], some[k], search.delta);
      epsilons.emplace_back(its.begin() + left_out, its.end());
      if (curves == nullptr || !*curves) continue;
      (*curves)->forward.push_back(at[k].forward);
      (*curves)->reverse.push_back(at[k].reverse);
    }
    return epsilons;
  };
  const std::size_t functions = 2 * fixed_conversions().size() - static_cast<std::size_t>(left_out);
  result.best = search.grid_only
                    ? optimal_orders_among(orders, functions, evaluate)
                    : optimal_orders_in_batches(order_hints(costs), functions, evaluate);
  result.entries = directed_entries(bound, result.best, result.spent, search.delta, notices);
  return result;
}

std::vector<CostEntry> directed_entries(Bound bound, std::span<const OptimalOrder> best, bool spent,
                                        double delta, std::vector<Notice>& notices) {
  std::vector<CostEntry> entries;
  const std::size_t conversions = best.size() / 2;
  const auto last = fixed_conversions().last(conversions);
  for (std::size_t c = 0; c < conversions; ++c) {
    const EpsilonMethod conversion = last[c];
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

Conversion rdp_conversion(EpsilonMethod conversion) {
  if (conversion == EpsilonMethod::optimal) return Conversion::optimal;
  return conversion == EpsilonMethod::classic ? Conversion::classic : Conversion::improved;
}

std::string label(const CostEntry& entry) {
  return fmt::format("{}/{}/{}", name(entry.bound), name(entry.reading), name(entry.conversion));
}

}  // namespace pate
