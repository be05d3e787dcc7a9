#include "pate/accounting/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/pld_account.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// Where no cost of the run has an order: nothing was spent, whatever the order.
constexpr double kAnyOrder = 16.0;
// The grid of losses of the profiles that are compared.
constexpr double kProfileStep = 0x1p-7;

double order_of(const Account& account) {
  const CostEntry& headline = account.costs[account.headline];
  if (headline.order) return *headline.order;
  for (const CostEntry& cost : account.costs) {
    if (cost.order) return *cost.order;
  }
  return kAnyOrder;
}

// What the run costs by its profile with and without each of the queries, all on one grid, so that
// they can be compared.
void add_profiles(const ExactMechanism& mechanism, const std::vector<ExactQuery>& distinct,
                  const std::map<std::int64_t, std::size_t>& distinct_of_row,
                  const AccountSettings& settings, double known_epsilon, Explanation& explanation) {
  const double order = explanation.order;
  const auto hint = [&](double rdp) {
    // At an order near 1 this is millions: what is known of the run is less.
    const double epsilon = epsilon_from_rdp(Conversion::improved, rdp, order, settings.delta);
    return OptimalOrder{order, std::clamp(epsilon, 0.0, known_epsilon), false, false};
  };
  const ProfileHints hints{hint(explanation.run_exact.forward),
                           hint(explanation.run_exact.reverse)};
  const auto epsilon_of = [&](const std::vector<ExactQuery>& queries) -> std::optional<double> {
    ExactRun run(mechanism, queries, settings.threads);
    ExactRun* const one = &run;
    const auto profile =
        run_profile(std::span(&one, 1), hints, {settings.delta, {settings.delta}, kProfileStep},
                    0.0, settings.threads);
    return profile ? std::optional(profile->upper.larger()) : std::nullopt;
  };
  explanation.run_profile = epsilon_of(distinct);
  if (!explanation.run_profile) return;
  std::map<std::size_t, double> known;
  for (QueryExplanation& query : explanation.queries) {
    const std::size_t which = distinct_of_row.at(query.query);
    if (!known.contains(which)) {
      std::vector<ExactQuery> others = distinct;
      if (--others[which].count == 0)
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(which));
      known[which] = epsilon_of(others).value();
    }
    query.epsilon_without = known.at(which);
  }
}

// What each distinct query of a run costs at an order.
std::vector<double> costs_by_query(ExactRun& run, double order) {
  std::vector<double> result(run.size());
  if (run.size() > 0 && run[0].is_ball()) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      result[i] = run[i].largest(order).larger();
      run[i].drop_outcomes();
    }
    return result;
  }
  const std::vector<std::vector<BothDirections>> all = run.by_group(std::span(&order, 1));
  for (std::size_t i = 0; i < run.size(); ++i) {
    for (const BothDirections& cost : all[i]) result[i] = max_or_nan(result[i], cost.larger());
  }
  return result;
}

// The rows to explain, in the order in which they are told.
std::vector<std::int64_t> rows_to_explain(const ExplainedQueries& which, const Run& run,
                                          const std::map<std::int64_t, std::int64_t>& times,
                                          const std::vector<std::uint32_t>& distinct_of_query,
                                          const std::vector<double>& costs) {
  for (const std::int64_t row : which.rows) {
    if (times.contains(row)) continue;
    run.rows.check(run.votes.name(), run.votes.queries());
    if (row < 0 || row >= run.votes.queries()) {
      throw input_error(fmt::format("{}: there is no query {}, the votes have rows 0 to {}",
                                    run.votes.name(), row, run.votes.queries() - 1));
    }
    throw input_error(
        fmt::format("{}: row {} is not among the queries of the run", run.votes.name(), row));
  }
  if (which.top == 0) return which.rows;
  std::vector<std::pair<double, std::int64_t>> ranked;  // most costly first, then by row
  std::map<std::int64_t, double> cost_of_row;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) {
    cost_of_row[run.rows[i]] = costs[distinct_of_query[static_cast<std::size_t>(i)]];
  }
  for (const auto& [row, cost] : cost_of_row) ranked.emplace_back(-cost, row);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::int64_t> rows;
  for (const auto& [cost, row] : ranked) {
    if (static_cast<std::int64_t>(rows.size()) == which.top) break;
    rows.push_back(row);
  }
  return rows;
}

// Of a run and all its queries.
Explanation begin_explanation(const Run& run, const Account& account,
                              const QueryCounts& query_counts, unsigned threads) {
  if (account.queries == 0) {
    throw input_error(fmt::format("{}: there are no queries to explain", run.votes.name()));
  }
  Explanation result;
  result.aggregator = run.aggregator;
  result.neighbours = run.neighbours;
  result.teachers = account.teachers;
  result.classes = account.classes;
  result.run_queries = account.queries;
  result.headline = account.costs[account.headline];
  result.order = order_of(account);
  const CostInputs inputs(query_counts, run.aggregator, run.neighbours, threads);
  result.run_tradeoff = direct_cost(inputs, Bound::tradeoff, result.order, threads).joint;
  result.notices.push_back({"private_numbers",
                            "everything here shows votes of the teachers or depends on them: it is "
                            "for the owner of the data and must not be published"});
  return result;
}

Explanation explain_tested(const Run& run, const AccountSettings& settings,
                           const ExplainedQueries& which) {
  const CountedRun counted = count_run(run, {settings.threads, settings.progress});
  const QueryCounts& query_counts = counted.partials.query_counts;
  Explanation result = begin_explanation(
      run, pate::account(counted.partials, run.aggregator, run.neighbours, settings), query_counts,
      settings.threads);
  std::map<std::int64_t, std::int64_t> times;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) ++times[run.rows[i]];
  // By stability and which neighbours there are.
  struct Kind {
    std::uint32_t index = 0;
    std::int64_t queries = 0;
    BothDirections cost;
  };
  std::map<std::array<std::int64_t, 3>, Kind> kinds;
  std::vector<std::uint32_t> kind_of_query;
  std::vector<double> costs;
  QueryReader reader(run);
  const std::int64_t piece = reader.piece();
  for (std::int64_t begin = 0; begin < run.rows.size(); begin += piece) {
    reader.read(begin, std::min(piece, run.rows.size() - begin));
    for (std::int64_t i = 0; i < reader.size(); ++i) {
      const std::int64_t q = reader.statistic(i);
      const StabilityMoves moves = stability_moves(reader.histogram(i));
      const auto [kind, is_new] = kinds.try_emplace({q, moves.less ? 1 : 0, moves.more ? 1 : 0});
      if (is_new) {
        kind->second = {static_cast<std::uint32_t>(costs.size()), 0,
                        tested_costs(*run.aggregator.ptr(), q, moves, result.order).most_costly()};
        costs.push_back(kind->second.cost.larger());
      }
      ++kind->second.queries;
      kind_of_query.push_back(kind->second.index);
    }
  }
  for (const auto& [key, kind] : kinds) {
    result.run_exact.forward += static_cast<double>(kind.queries) * kind.cost.forward;
    result.run_exact.reverse += static_cast<double>(kind.queries) * kind.cost.reverse;
  }
  const ExplainedRun about{run, result.order, result.run_tradeoff, result.run_exact};
  for (const std::int64_t row : rows_to_explain(which, run, times, kind_of_query, costs)) {
    result.queries.push_back(explain_tested_query(about, row, times.at(row)));
  }
  return result;
}

}  // namespace

Explanation explain(const Run& run, const AccountSettings& settings,
                    const ExplainedQueries& which) {
  require(Asked::explanation, circumstances_of(run));
  if (run.aggregator.ptr() != nullptr) return explain_tested(run, settings, which);
  const ExactMechanism mechanism(run.aggregator.noisy(), run.neighbours, run.votes.teachers());
  CountedRun counted =
      count_run(run, {settings.threads, settings.progress, &mechanism, /*by_query=*/true});
  // Of the run the bounds are told; exact costs at their order alone.
  const std::vector<ExactQuery> distinct = std::move(counted.partials.exact->distinct);
  counted.partials.exact.reset();
  const Account account = pate::account(counted.partials, run.aggregator, run.neighbours, settings);
  Explanation result =
      begin_explanation(run, account, counted.partials.query_counts, settings.threads);

  ExactRun costs(mechanism, distinct, settings.threads);
  const std::span<const double> order(&result.order, 1);
  result.run_exact = costs.rdp(order).front();
  const std::vector<double> by_distinct = costs_by_query(costs, result.order);
  std::map<std::int64_t, std::int64_t> times;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) ++times[run.rows[i]];
  const ExplainedRun about{run, result.order, result.run_tradeoff, result.run_exact};
  for (const std::int64_t row :
       rows_to_explain(which, run, times, counted.distinct_of_query, by_distinct)) {
    result.queries.push_back(explain_query(about, mechanism, row, times.at(row)));
  }
  std::map<std::int64_t, std::size_t> distinct_of_row;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) {
    distinct_of_row[run.rows[i]] = counted.distinct_of_query[static_cast<std::size_t>(i)];
  }
  add_profiles(mechanism, distinct, distinct_of_row, settings,
               account.costs[account.headline].epsilon, result);
  return result;
}

}  // namespace pate
