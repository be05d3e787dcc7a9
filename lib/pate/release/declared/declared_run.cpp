#include "pate/release/declared/declared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/release/declared/smallest_budget.hpp"

namespace pate {

namespace {

// The probabilities that a rehearsal looks for.
constexpr std::array kRehearsedPasses{0.9, 0.99, 0.999};

}  // namespace

double epsilon_for_any_votes(const Aggregator& aggregator, std::int64_t queries, double delta) {
  std::vector<Notice> notices;
  double least = kInfinity;
  for (const CostEntry& entry : data_independent_entries(
           steps_of(aggregator, queries, queries), default_orders(), {delta, false}, notices)) {
    if (entry.epsilon < least) least = entry.epsilon;
  }
  return least;
}

std::int64_t most_queries_for_any_votes(const Aggregator& aggregator, std::int64_t most,
                                        double epsilon, double delta) {
  std::int64_t fits = 0;
  std::int64_t exceeds = most + 1;
  while (exceeds - fits > 1) {
    const std::int64_t middle = fits + (exceeds - fits) / 2;
    (epsilon_for_any_votes(aggregator, middle, delta) <= epsilon ? fits : exceeds) = middle;
  }
  return fits;
}

void for_orders(const CostSpec& question, std::span<const double> orders,
                const CurveTableSource& source, unsigned threads, const ProgressCallback& progress,
                const std::function<void(const CostsWithinDistance&)>& use) {
  constexpr double kMostMemory = 256e6;
  const auto at_once = static_cast<std::size_t>(
      std::max(1.0, std::floor(kMostMemory / std::max(costs_memory(question), 1.0))));
  while (!orders.empty()) {
    const std::size_t size = std::min(orders.size(), at_once);
    for (auto& costs : source.costs_at(question, orders.first(size), threads, progress)) {
      use(*costs);
      costs.reset();
    }
    orders = orders.subspan(size);
  }
}

CostsByOrder costs_by_order(const CostSpec& question, const VoteProfile& votes,
                            std::span<const double> orders, const CurveTableSource& source,
                            unsigned threads, const ProgressCallback& progress) {
  CostsByOrder result;
  for_orders(question, orders, source, threads, progress, [&](const CostsWithinDistance& costs) {
    result.push_back(costs.upper(votes, threads));
  });
  return result;
}

DeclaredMechanism::DeclaredMechanism(const DeclaredSettings& settings)
    : settings_(settings), test_(settings.budget) {
  if (settings.queries < 1) {
    throw parameter_error("a declared budget needs at least one query, got none");
  }
  CostSpec question = settings.question;
  if (question.reading != ReleasedCost::joint) {
    throw parameter_error("a declared budget counts every query: its reading is joint");
  }
  question.order = test_.orders().front();
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
  if (settings.fallback_queries < 1 || settings.fallback_queries > settings.queries) {
    throw parameter_error(fmt::format("a failed test can be followed by 1 to {} queries, got {}",
                                      settings.queries, settings.fallback_queries));
  }
  const double cost = epsilon_for_any_votes(question.aggregator, settings.fallback_queries,
                                            budget.fallback_delta());
  if (!(cost <= budget.fallback_epsilon())) {
    throw validity_error(fmt::format(
        "{} queries after a failed test cost epsilon = {} at delta = {} whatever the votes, where "
        "{} is kept for them; at most {} fit",
        settings.fallback_queries, cost, budget.fallback_delta(), budget.fallback_epsilon(),
        most_queries_for_any_votes(question.aggregator, settings.fallback_queries,
                                   budget.fallback_epsilon(), budget.fallback_delta())));
  }
}

CostsByOrder DeclaredMechanism::costs(const VoteProfile& votes, std::span<const double> orders,
                                      const CurveTableSource& source) const {
  if (votes.queries != settings_.queries) {
    throw parameter_error("the votes are not those that the budget was declared for");
  }
  return costs_by_order(settings_.question, votes, orders, source, settings_.threads);
}

DeclaredRehearsal rehearse(const DeclaredMechanism& mechanism, const VoteProfile& votes,
                           const CurveTableSource& source) {
  const DeclaredTest& test = mechanism.test();
  std::map<std::vector<double>, CostsByOrder> known;
  const auto costs_at = [&](std::span<const double> orders) -> const CostsByOrder& {
    CostsByOrder& its = known[{orders.begin(), orders.end()}];
    if (its.empty()) its = mechanism.costs(votes, orders, source);
    return its;
  };
  DeclaredRehearsal result;
  result.level = test.level(costs_at(test.orders()));
  result.levels = test.ladder().last() + 1;
  result.pass_probability = test.ladder().pass(result.level);
  const auto found = smallest_declared(mechanism.settings().budget, kRehearsedPasses, costs_at);
  for (std::size_t k = 0; k < found.size(); ++k) {
    result.smallest_epsilon.emplace_back(kRehearsedPasses[k], found[k]);
  }
  return result;
}

}  // namespace pate
