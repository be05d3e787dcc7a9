#include "pate/accounting/account.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/exact/exact_cost.hpp"
#include "pate/math/sums.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

namespace {

// Evaluations of the sums, kept: several entries look for their best orders in the same places.
class KeptCosts {
 public:
  KeptCosts(const CostInputs& inputs, Bound bound, unsigned threads,
            const std::vector<RunCost>& costs)
      : inputs_(inputs), bound_(bound), threads_(threads) {
    for (const RunCost& cost : costs) kept_.emplace(cost.order, cost);
  }
  const RunCost& at(double order) {
    const auto found = kept_.find(order);
    if (found != kept_.end()) return found->second;
    const RunCost cost = run_costs(inputs_, bound_, std::span(&order, 1), threads_).front();
    return kept_.emplace(order, cost).first->second;
  }

 private:
  const CostInputs& inputs_;
  Bound bound_;
  unsigned threads_;
  std::map<double, RunCost> kept_;
};

std::vector<std::pair<std::string, double>> parts_of(const RunCost& cost, Reading reading,
                                                     bool has_selection) {
  if (reading == Reading::joint) return {{"steps", cost.joint}};
  std::vector<std::pair<std::string, double>> parts;
  if (has_selection) parts.emplace_back("selection", cost.selection);
  parts.emplace_back("noisy_max", reading == Reading::realized ? cost.noisy_max_realized
                                                               : cost.noisy_max_expected);
  return parts;
}

std::vector<Reading> readings_of(Bound bound, bool has_decisions) {
  std::vector<Reading> readings;
  if (bound == Bound::tradeoff) readings.push_back(Reading::joint);
  readings.push_back(Reading::expected);
  if (has_decisions) readings.push_back(Reading::realized);
  return readings;
}

void count_answered(const Tally& tally, const Aggregator& aggregator, bool has_decisions,
                    Account& account) {
  CompensatedSum expected;
  CompensatedSum variance;
  std::int64_t realized = 0;
  for (const DistinctQuery& query : tally.distinct) {
    const auto count = static_cast<double>(query.count);
    double answered = 1.0;
    double refused = 0.0;
    if (aggregator.selection) {
      answered = std::exp(log_answered(*aggregator.selection, query.statistic));
      refused = std::exp(log_refused(*aggregator.selection, query.statistic));
    }
    expected.add(count * answered);
    variance.add(count * answered * refused);
    realized += query.answered;
  }
  account.answered_expected = expected.value();
  account.answered_sd = std::sqrt(variance.value());
  if (has_decisions) account.answered_realized = realized;
}

// The costs that will be computed, best headline first.
std::vector<CostEntry> planned_entries(const AccountSettings& settings, bool has_decisions) {
  std::vector<CostEntry> entries;
  for (const Bound bound : {Bound::tradeoff, Bound::published}) {
    if (!(bound == Bound::tradeoff ? settings.tradeoff : settings.published)) continue;
    for (const Reading reading : readings_of(bound, has_decisions)) {
      for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
        CostEntry entry;
        entry.bound = bound;
        entry.reading = reading;
        entry.conversion = conversion;
        entry.data_dependent = true;
        entries.push_back(std::move(entry));
      }
    }
  }
  return entries;
}

// Fills in the entries of one data-dependent bound and its curves.
void account_bound(const CostInputs& inputs, Bound bound, const OrderSearch& search,
                   unsigned threads, CheckpointCosts* checkpoints, Account& account) {
  const bool has_selection = account.aggregator.selection.has_value();
  const std::vector<RunCost> grid = run_costs(inputs, bound, account.orders, threads, checkpoints);
  KeptCosts kept(inputs, bound, threads, grid);
  for (CostEntry& entry : account.costs) {
    if (entry.bound != bound) continue;
    RdpFunction function;
    function.orders = account.orders;
    for (const RunCost& cost : grid) function.rdp.push_back(cost.rdp(entry.reading));
    function.at = [&](double order) { return kept.at(order).rdp(entry.reading); };
    function.parts = [&](double order) {
      return parts_of(kept.at(order), entry.reading, has_selection);
    };
    fill_rdp_entry(entry, function, search, account.notices);
    if (entry.reading == Reading::expected && has_selection) {
      entry.sd = entry.order ? std::sqrt(kept.at(*entry.order).spent_variance) : 0.0;
    }
  }
  RdpCurves curves;
  for (const RunCost& cost : grid) {
    curves.selection.push_back(cost.selection);
    curves.noisy_max.push_back(cost.noisy_max_expected);
    if (bound == Bound::tradeoff) curves.joint.push_back(cost.joint);
    if (account.answered_realized) curves.noisy_max_realized.push_back(cost.noisy_max_realized);
    if (has_selection) curves.spent_variance.push_back(cost.spent_variance);
  }
  (bound == Bound::tradeoff ? account.tradeoff : account.published) = std::move(curves);
}

// All but the exact costs and the utility.
Account account_bounds(const Tally& tally, const Aggregator& aggregator, bool has_decisions,
                       const OrderSearch& search, const AccountSettings& settings) {
  validate_delta(settings.delta);
  validate(aggregator);
  Account account;
  account.aggregator = aggregator;
  account.teachers = tally.teachers;
  account.classes = tally.classes;
  account.queries = tally.queries;
  account.delta = settings.delta;
  account.steps = steps_of(aggregator, tally.queries, tally.queries);
  account.orders = settings.orders
                       ? validated_orders(*settings.orders)
                       : std::vector<double>(default_orders().begin(), default_orders().end());
  count_answered(tally, aggregator, has_decisions, account);

  account.costs = planned_entries(settings, has_decisions);
  std::vector<Notice> data_independent_notices;
  for (CostEntry& entry :
       data_independent_entries(account.steps, account.orders, search, data_independent_notices)) {
    account.costs.push_back(std::move(entry));
  }
  account.headline = headline_of(account.costs, {settings.reading, settings.conversion});

  const CostInputs inputs(tally, aggregator);
  const Bound headline_bound = account.costs[account.headline].bound;
  CheckpointCosts checkpoints{account.costs[account.headline].reading};
  for (const Bound bound : {Bound::tradeoff, Bound::published}) {
    if (!(bound == Bound::tradeoff ? settings.tradeoff : settings.published)) continue;
    account_bound(inputs, bound, search, settings.threads,
                  bound == headline_bound ? &checkpoints : nullptr, account);
  }
  account.notices.insert(account.notices.end(), data_independent_notices.begin(),
                         data_independent_notices.end());
  account.trajectory = trajectory(tally, account, checkpoints.rdp);
  add_order_notices(account.costs, account.orders, search.grid_only, account.notices);
  if (account.queries == 0) {
    account.notices.push_back({"no_queries", "no queries were selected: nothing is spent"});
  } else {
    add_headline_notices(account.costs, account.headline, account.notices);
  }
  return account;
}

OrderSearch search_of(const AccountSettings& settings) {
  return {settings.delta, settings.orders.has_value()};
}

}  // namespace

Account account(const Run& run, const AccountSettings& settings, Partials* partials) {
  validate(run);
  std::optional<ExactMechanism> mechanism;
  if (settings.exact) mechanism.emplace(run.aggregator, run.votes.teachers());
  CountedRun counted = count_run(
      run, {settings.threads, settings.progress, mechanism ? &*mechanism : nullptr, false});
  if (settings.when_read) settings.when_read();
  Account result = account_bounds(counted.partials.tally, run.aggregator,
                                  counted.partials.has_decisions, search_of(settings), settings);
  if (mechanism) {
    ExactPartials& exact = *counted.partials.exact;
    if (partials != nullptr && counted.teachers) {
      fill_teacher_sums(*counted.teachers, *mechanism, result.orders, settings.threads, exact);
    }
    add_exact_costs(exact, counted.teachers.get(), *mechanism, search_of(settings),
                    settings.threads, result);
  }
  if (counted.partials.utility) result.utility = utility(*counted.partials.utility, run.aggregator);
  if (partials != nullptr) *partials = std::move(counted.partials);
  return result;
}

Account account(const Partials& partials, const Aggregator& aggregator,
                const AccountSettings& settings) {
  Account result = account_bounds(partials.tally, aggregator, partials.has_decisions,
                                  search_of(settings), settings);
  if (partials.exact) {
    const ExactMechanism mechanism(aggregator, partials.tally.teachers);
    add_exact_costs(*partials.exact, nullptr, mechanism, search_of(settings), settings.threads,
                    result);
  }
  if (partials.utility) result.utility = utility(*partials.utility, aggregator);
  return result;
}

}  // namespace pate
