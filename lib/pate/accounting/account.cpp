#include "pate/accounting/account.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/complex_account.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/ptr_account.hpp"
#include "pate/accounting/sparse_account.hpp"
#include "pate/accounting/sparse_answers.hpp"
#include "pate/accounting/tilted_account.hpp"
#include "pate/accounting/trajectory.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

constexpr double kAtCap = 1e-8;

CostParts parts_told(const Mechanism& aggregator) {
  return aggregator.refuses() ? CostParts::selection_and_noisy_max : CostParts::noisy_max;
}

// Of PTR one: what is told does not depend on the noise otherwise.
std::vector<GuaranteeKind> readings_of(Bound bound, const Mechanism& aggregator,
                                       bool has_decisions) {
  if (aggregator.ptr() != nullptr) return {GuaranteeKind::joint};
  std::vector<GuaranteeKind> readings;
  if (bound == Bound::tradeoff) readings.push_back(GuaranteeKind::joint);
  readings.push_back(GuaranteeKind::expected);
  if (has_decisions) readings.push_back(GuaranteeKind::realized);
  return readings;
}

void count_answered(const QueryCounts& query_counts, const Mechanism& aggregator,
                    bool has_decisions, Account& account) {
  CompensatedSum expected;
  CompensatedSum variance;
  std::int64_t realized = 0;
  AnswerProbabilities probabilities(aggregator);
  for (const DistinctQuery& query : query_counts.distinct) {
    const auto count = static_cast<double>(query.count);
    const auto [answered, refused] = probabilities.of(query.statistic);
    expected.add(count * answered);
    variance.add(count * answered * refused);
    realized += query.answered;
  }
  account.answered_expected = expected.value();
  account.answered_sd = std::sqrt(variance.value());
  if (has_decisions) account.answered_realized = realized;
}

// Of answers that were given an epsilon holds at an order that was fixed before: at the one that
// was asked for, not at the best of several.
void set_promise(CostEntry& entry, const AccountSettings& settings) {
  if (is_forward_only(entry.bound) || entry.reading == GuaranteeKind::expected ||
      (settings.queries_follow_answers && entry.reading == GuaranteeKind::joint)) {
    entry.promise = Promise::none;
  } else if (entry.reading == GuaranteeKind::realized) {
    entry.order_chosen_after = !settings.orders || settings.orders->size() != 1;
    entry.promise = entry.order_chosen_after ? Promise::none : Promise::outcome;
  }
}

// The costs that will be computed; `spent` of delta apart.
std::vector<CostEntry> planned_entries(const AccountSettings& settings, const Mechanism& aggregator,
                                       bool has_decisions, double spent) {
  std::vector<CostEntry> entries;
  for (const Bound bound : {Bound::tradeoff, Bound::published}) {
    if (!settings.has(bound)) continue;
    for (const GuaranteeKind reading : readings_of(bound, aggregator, has_decisions)) {
      for (const auto conversion : fixed_conversions(spent)) {
        CostEntry entry{bound, reading, conversion};
        entry.data_dependent = true;
        set_promise(entry, settings);
        const bool is_optimal = conversion == EpsilonMethod::optimal;
        if (!is_optimal || entry.promise == Promise::fixed) entries.push_back(std::move(entry));
      }
    }
  }
  return entries;
}

// Fills in the entries of one data-dependent bound and its curves.
void account_bound(const CostInputs& inputs, Bound bound, const OrderSearch& search,
                   unsigned threads, CheckpointCosts* checkpoints, Account& account) {
  RunCurve curve(
      account.orders,
      [&](std::span<const double> orders) {
        return run_costs(inputs, bound, orders, threads, std::exchange(checkpoints, nullptr));
      },
      parts_told(account.aggregator));
  for (CostEntry& entry : account.costs) {
    if (entry.bound == bound) curve.fill(entry, search, account.notices);
  }
  RdpCurves curves;
  for (const RunCost& cost : curve.on_grid()) {
    curves.selection.push_back(cost.selection);
    curves.noisy_max.push_back(cost.noisy_max_expected);
    if (bound == Bound::tradeoff) curves.joint.push_back(cost.joint);
    if (account.answered_realized) curves.noisy_max_realized.push_back(cost.noisy_max_realized);
    if (account.aggregator.refuses()) curves.spent_variance.push_back(cost.spent_variance);
  }
  (bound == Bound::tradeoff ? account.tradeoff : account.published) = std::move(curves);
}

// Takes the sums behind the entries of one bound, reading and order query by query.
void sum_directly(const CostInputs& inputs, Bound bound, GuaranteeKind reading, double order,
                  const OrderSearch& search, unsigned threads, Account& account) {
  const RunCost cost = direct_cost(inputs, bound, order, threads);
  for (CostEntry& entry : account.costs) {
    if (entry.bound != bound || entry.reading != reading || entry.order != order) continue;
    set_parts(entry, parts_of(cost, reading, parts_told(account.aggregator)), search);
  }
}

// At the order that suits the bound's first cost best.
void count_at_cap(const CostInputs& inputs, Bound bound, Account& account) {
  const auto entry = std::ranges::find(account.costs, bound, &CostEntry::bound);
  if (entry == account.costs.end() || !entry->order) return;
  const double order = *entry->order;
  const NoisyStep step = account.aggregator.noisy().step(account.steps.neighbours);
  const double cap = bound == Bound::published ? published_cost(step, 0.0, order)
                                               : data_independent_cost(step, order);
  const auto is_at_cap = [&](double log_q) {
    const double cost = bound == Bound::published ? published_cost(step, log_q, order)
                                                  : tradeoff_cost(step, log_q, order).larger();
    return cost >= cap * (1.0 - kAtCap);
  };
  // Costs rise with q: from where on they are at the cap is found by halving.
  double below = kInfinity;
  double above = -kInfinity;
  for (const DistinctQuery& query : inputs.query_counts().distinct) {
    if (query.log_q == -kInfinity) continue;
    below = std::min(below, query.log_q);
    above = std::max(above, query.log_q);
  }
  if (below < kInfinity && is_at_cap(below)) above = below;
  double least = kInfinity;
  if (!(above < below) && is_at_cap(above)) least = above;
  while (least < kInfinity && below < least) {
    const double middle = 0.5 * (below + least);
    if (middle <= below || middle >= least) break;
    (is_at_cap(middle) ? least : below) = middle;
  }
  AtCap result{bound, order, 0};
  for (const DistinctQuery& query : inputs.query_counts().distinct) {
    if (query.log_q >= least) result.queries += query.count;
  }
  account.at_cap.push_back(result);
}

std::vector<double> orders_of(const AccountSettings& settings) {
  if (settings.orders) return validated_orders(*settings.orders);
  return {default_orders().begin(), default_orders().end()};
}

// More rows, or groups of classes, than these are not kept with an account.
constexpr std::size_t kMaxRows = 20'000;
constexpr std::size_t kMaxGroups = 400'000;

std::vector<QueryRow> table_of(const QueryCounts& query_counts) {
  std::vector<QueryRow> rows;
  if (query_counts.distinct.size() > kMaxRows) return rows;
  for (const DistinctQuery& query : query_counts.distinct) {
    rows.push_back({query.statistic, query.log_q, query.count, query.count, query.answered});
  }
  return rows;
}

std::vector<ExactQuery> kept(const std::vector<ExactQuery>& queries) {
  std::size_t groups = 0;
  for (const ExactQuery& query : queries) groups += query.votes.groups.size();
  return groups <= kMaxGroups ? queries : std::vector<ExactQuery>{};
}

bool may_be_headline(std::span<const CostEntry> costs, const AccountSettings& settings) {
  return std::ranges::any_of(costs, [&](const CostEntry& cost) {
    return (!settings.reading || cost.reading == *settings.reading) &&
           (!settings.conversion || cost.conversion == *settings.conversion);
  });
}

// The planned cost that depends on votes and may be the headline: all that may have its bound and
// reading.
std::optional<CostEntry> candidate_of(std::span<const CostEntry> costs,
                                      const AccountSettings& settings) {
  std::vector<CostEntry> some;
  for (const CostEntry& cost : costs) {
    if (cost.data_dependent) some.push_back(cost);
  }
  if (!may_be_headline(some, settings)) return std::nullopt;
  return some[headline_of(some, {settings.reading, settings.conversion})];
}

// All but the exact costs, the utility, and what is said of the headline.
Account account_bounds(const QueryCounts& query_counts, const Mechanism& aggregator,
                       const Neighbours& neighbours, bool has_decisions, OrderSearch search,
                       AccountSettings settings) {
  validate_delta(settings.delta);
  // Nobody has published one of PTR; the sparse form has no sum (`add_sparse_costs`).
  if (aggregator.ptr() != nullptr) settings.models.erase(Bound::published);
  if (aggregator.sparse() != nullptr) settings.models.erase(Bound::tradeoff);
  Account account;
  account.aggregator = aggregator;
  account.teachers = query_counts.teachers;
  account.classes = query_counts.classes;
  account.queries = query_counts.queries;
  account.delta = settings.delta;
  account.steps = steps_of(aggregator, neighbours, query_counts.queries, query_counts.queries);
  search.spent = std::max(settings.query_delta, account.steps.delta());
  account.query_delta = search.spent;
  account.orders = orders_of(settings);
  count_answered(query_counts, aggregator, has_decisions, account);
  account.table = table_of(query_counts);

  account.costs = planned_entries(settings, aggregator, has_decisions, search.spent);
  std::vector<Notice> data_independent_notices;
  for (CostEntry& entry :
       data_independent_entries(account.steps, account.orders, search, data_independent_notices)) {
    account.costs.push_back(std::move(entry));
  }
  // The trajectory of costs that depend on votes is computed beside them: of those that may be the
  // headline.
  const auto candidate = candidate_of(account.costs, settings);
  const CostInputs inputs(query_counts, aggregator, neighbours, settings.threads);
  CheckpointCosts checkpoints{candidate ? candidate->reading : GuaranteeKind::joint};
  for (const Bound bound : {Bound::tradeoff, Bound::published}) {
    if (!settings.has(bound)) continue;
    account_bound(inputs, bound, search, settings.threads,
                  candidate && bound == candidate->bound ? &checkpoints : nullptr, account);
    if (aggregator.ptr() == nullptr) count_at_cap(inputs, bound, account);
  }
  account.notices.insert(account.notices.end(), data_independent_notices.begin(),
                         data_independent_notices.end());
  // A cost that is still to come may be the only one that was chosen.
  if (may_be_headline(account.costs, settings)) {
    account.headline = settled_headline(account.costs, {settings.reading, settings.conversion},
                                        [&](Bound bound, GuaranteeKind reading, double order) {
                                          sum_directly(inputs, bound, reading, order, search,
                                                       settings.threads, account);
                                        });
    account.trajectory = trajectory(query_counts, account, checkpoints.rdp);
  }
  add_order_notices(account.costs, account.orders, search.grid_only, account.notices);
  return account;
}

// `votes`: of the teachers, where their sums are wanted and not in the partials.
Account account_of(const Partials& partials, TeacherVotes* votes, const Mechanism& aggregator,
                   const Neighbours& neighbours, const AccountSettings& settings,
                   bool is_part = false, const std::function<void(Account&)>& add_exact = {}) {
  const OrderSearch search{settings.delta, settings.orders.has_value()};
  Account result = account_bounds(partials.query_counts, aggregator, neighbours,
                                  partials.has_decisions, search, settings);
  if (partials.exact && settings.has(Bound::tilted)) {
    add_tilted_costs(partials.exact->distinct, search, settings.threads, result);
  }
  if (partials.exact && settings.has(Bound::complex)) {
    const ExactMechanism mechanism(aggregator.noisy(), neighbours, result.teachers);
    add_complex_entry(
        certified_epsilon(mechanism, partials.exact->distinct, settings.threads, result), result);
  }
  const ExactSettings exact = exact_settings(settings, is_part);
  // For the costs above alone the distinct queries were counted too.
  if (partials.exact && (settings.has(Bound::exact) || !settings.needs_votes())) {
    const ExactMechanism mechanism(aggregator.noisy(), neighbours, partials.query_counts.teachers);
    add_exact_costs(*partials.exact, votes, mechanism, exact, result);
    result.exact_queries = kept(partials.exact->distinct);
  }
  if (settings.has(Bound::exact) && aggregator.ptr() != nullptr && !is_part) {
    add_tested_profile(partials.query_counts, exact, result);
  }
  if (add_exact) add_exact(result);
  settle_headline(settings, result);
  if (partials.utility) result.utility = utility(*partials.utility, aggregator);
  return result;
}

}  // namespace

void settle_headline(const AccountSettings& settings, Account& account) {
  if (settings.queries_follow_answers) follow_answers(account);
  account.headline = headline_of(account.costs, {settings.reading, settings.conversion});
  // Exact costs have no trajectory, nor have those of the sparse form.
  const Bound bound = account.costs[account.headline].bound;
  if (bound == Bound::exact || bound == Bound::exact_per_teacher || bound == Bound::complex ||
      (bound == Bound::tradeoff && account.aggregator.sparse() != nullptr)) {
    account.trajectory.clear();
  }
  if (account.queries == 0) {
    account.notices.push_back({"no_queries", "no queries were selected: nothing is spent"});
  } else {
    add_headline_notices(account.costs, account.headline, account.notices);
  }
}

Account account(const Run& run, const AccountSettings& settings, Partials* partials) {
  std::optional<ExactMechanism> mechanism;
  require(settings, circumstances_of(run));
  if (run.shard.of > 1 || partials != nullptr) {
    require(Asked::shard, {run.aggregator, run.neighbours});
  }
  if (settings.needs_votes() && run.aggregator.ptr() == nullptr) {
    mechanism.emplace(run.aggregator.noisy(), run.neighbours, run.votes.teachers());
  }
  CountedRun counted =
      count_run(run, {settings.threads, settings.progress, mechanism ? &*mechanism : nullptr,
                      /*by_query=*/!settings.has(Bound::exact)});
  if (settings.when_read) settings.when_read();
  if (partials == nullptr) {
    std::function<void(Account&)> add_costs;
    if (run.aggregator.sparse() != nullptr) {
      add_costs = [&](Account& of) { add_sparse_costs(run, settings, of); };
    }
    Account result = account_of(counted.partials, counted.teachers.get(), run.aggregator,
                                run.neighbours, settings, run.shard.of > 1, add_costs);
    if (run.aggregator.sparse() != nullptr) fill_sparse_answers(run, result);
    return result;
  }
  if (counted.teachers) {
    fill_teacher_sums(*counted.teachers, *mechanism, orders_of(settings), settings.threads,
                      *counted.partials.exact);
    counted.partials.exact->rows = counted.teachers->rows();
  }
  *partials = std::move(counted.partials);
  return account_of(*partials, nullptr, run.aggregator, run.neighbours, settings, run.shard.of > 1);
}

Account account(const Partials& partials, const Mechanism& aggregator, const Neighbours& neighbours,
                const AccountSettings& settings) {
  return account_of(partials, nullptr, aggregator, neighbours, settings);
}

ExactSettings exact_settings(const AccountSettings& settings, bool is_part) {
  ProfileSettings profile{.delta = settings.delta, .step = settings.profile_step};
  if (settings.profile_deltas) profile.deltas = *settings.profile_deltas;
  return {{settings.delta, settings.orders.has_value()},
          profile,
          settings.threads,
          is_part,
          settings.when_profiling};
}

Account account(const Partials& partials, const Mechanism& aggregator, const Neighbours& neighbours,
                const AccountSettings& settings, const std::function<void(Account&)>& add_exact) {
  return account_of(partials, nullptr, aggregator, neighbours, settings, false, add_exact);
}

}  // namespace pate
