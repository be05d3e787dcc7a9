#include "pate/release/declared/declared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/release/declared/smallest_budget.hpp"

namespace pate {

namespace {

// The probabilities that a rehearsal looks for.
constexpr std::array kRehearsedPasses{0.9, 0.99, 0.999};

// The costs of a run at the orders of one cell after another.
class KnownCosts {
 public:
  KnownCosts(const DeclaredMechanism& mechanism, const VoteProfile& votes,
             const CurveTableSource& source)
      : mechanism_(mechanism), votes_(votes), source_(source) {}

  [[nodiscard]] const RunCosts& at(const OrderCell& cell) {
    for (const auto& [its, costs] : known_) {
      if (its.from == cell.from && its.orders == cell.orders) return costs;
    }
    const auto* const renyi = std::get_if<std::vector<double>>(&cell.orders);
    RunCosts costs = renyi != nullptr ? RunCosts(at_renyi(*renyi, cell.from))
                                      : mechanism_.costs(votes_, cell.orders, source_,
                                                         distances_from(cell.from));
    return known_.emplace_back(cell, std::move(costs)).second;
  }

 private:
  // Enough for every budget of so much.
  [[nodiscard]] std::size_t distances_from(double epsilon) const {
    DeclaredBudget least = mechanism_.settings().budget;
    least.epsilon = std::max(epsilon, kLeastDeclaredEpsilon);
    return enough_distances(least);
  }

  // Cells share most of their orders, and with these distances their costs.
  [[nodiscard]] CostsByOrder at_renyi(const std::vector<double>& orders, double from) {
    constexpr double kAlike = 0.25;
    const std::size_t distances = distances_from(std::min(from, kAlike));
    std::vector<double> missing;
    for (const double order : orders) {
      if (!by_order_.contains({order, distances})) missing.push_back(order);
    }
    if (!missing.empty()) {
      RunCosts computed = mechanism_.costs(votes_, missing, source_, distances);
      auto& costs = std::get<CostsByOrder>(computed);
      for (std::size_t k = 0; k < missing.size(); ++k) {
        by_order_.emplace(std::pair(missing[k], distances), std::move(costs[k]));
      }
    }
    CostsByOrder result;
    for (const double order : orders) result.push_back(by_order_.at({order, distances}));
    return result;
  }

  const DeclaredMechanism& mechanism_;
  const VoteProfile& votes_;
  const CurveTableSource& source_;
  std::list<std::pair<OrderCell, RunCosts>> known_;  // whose places stay
  std::map<std::pair<double, std::size_t>, std::vector<CostUnits>> by_order_;
};

}  // namespace

double epsilon_for_any_votes(const Aggregator& aggregator, const Neighbours& neighbours,
                             std::int64_t queries, double delta) {
  std::vector<Notice> notices;
  double least = kInfinity;
  for (const CostEntry& entry :
       data_independent_entries(steps_of(aggregator, neighbours, queries, queries),
                                default_orders(), {delta, false}, notices)) {
    if (entry.epsilon < least) least = entry.epsilon;
  }
  return least;
}

std::int64_t most_queries_for_any_votes(const Aggregator& aggregator, const Neighbours& neighbours,
                                        std::int64_t most, double epsilon, double delta) {
  return bisect(std::int64_t{0}, most + 1, [&](std::int64_t queries) {
    return epsilon_for_any_votes(aggregator, neighbours, queries, delta) <= epsilon;
  });
}

DeclaredMechanism::DeclaredMechanism(const DeclaredSettings& settings)
    : settings_(settings),
      rule_(certificate_rule(settings.certificate, settings.question)),
      test_(rule_, settings.budget) {
  require(settings.queries >= 1, "a declared budget needs at least one query, got none");
  CostSpec question = settings.question;
  require(question.reading == ReleasedCost::joint,
          "a declared budget counts every query: its reading is joint");
  question.order = test_.renyi_orders().front();
  validate(question);
  const DeclaredBudget& budget = settings.budget;
  const double best = test_.ladder().pass(test_.best_level());
  if (!(best >= kHopeless)) {
    throw validity_error(fmt::format(
        "epsilon = {} at delta = {} is out of reach: even answers that cost nothing would pass "
        "with probability {:.3g} at most; declare a larger epsilon or a larger delta",
        budget.epsilon, budget.delta, best));
  }
  if (!budget.has_fallback) return;
  require(settings.fallback_queries >= 1 && settings.fallback_queries <= settings.queries,
          "a failed test can be followed by 1 to {} queries, got {}", settings.queries,
          settings.fallback_queries);
  const double cost = epsilon_for_any_votes(question.aggregator, question.neighbours,
                                            settings.fallback_queries, budget.fallback_delta());
  if (!(cost <= budget.fallback_epsilon())) {
    throw validity_error(fmt::format(
        "{} queries after a failed test cost epsilon = {} at delta = {} whatever the votes, where "
        "{} is kept for them; at most {} fit",
        settings.fallback_queries, cost, budget.fallback_delta(), budget.fallback_epsilon(),
        most_queries_for_any_votes(question.aggregator, question.neighbours,
                                   settings.fallback_queries, budget.fallback_epsilon(),
                                   budget.fallback_delta())));
  }
}

RunCosts DeclaredMechanism::costs(const VoteProfile& votes, const TestOrders& orders,
                                  const CurveTableSource& source, std::size_t distances,
                                  const ProgressCallback& progress) const {
  require(votes.queries == settings_.queries,
          "the votes are not those that the budget was declared for");
  return std::move(run_costs(settings_.question, {&votes, 1}, orders, source, settings_.threads,
                             progress, distances)
                       .front());
}

DeclaredRehearsal rehearse(const DeclaredMechanism& mechanism, const VoteProfile& votes,
                           const CurveTableSource& source) {
  const BudgetTest& test = mechanism.test();
  const DeclaredBudget& budget = mechanism.settings().budget;
  KnownCosts known(mechanism, votes, source);
  const auto costs_at = [&](const OrderCell& cell) -> const RunCosts& { return known.at(cell); };
  DeclaredRehearsal result;
  result.level = test.level(costs_at(order_cell(mechanism.rule(), budget.epsilon, budget.delta)));
  result.levels = test.ladder().last() + 1;
  result.pass_probability = test.ladder().pass(result.level);
  const auto found = smallest_declared(budget, mechanism.rule(), kRehearsedPasses, costs_at);
  for (std::size_t k = 0; k < found.size(); ++k) {
    result.smallest_epsilon.emplace_back(kRehearsedPasses[k], found[k]);
  }
  return result;
}

}  // namespace pate
