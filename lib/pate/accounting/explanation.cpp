#include "pate/accounting/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <span>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/pld_account.hpp"
#include "pate/accounting/tilted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/mechanisms/outcomes.hpp"
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

PublishedStep published_step(const NoisyMax& noisy_max, double log_q, double order) {
  PublishedStep step;
  step.rdp = published_cost(noisy_max, log_q, order);
  step.capped = step.rdp >= published_cost(noisy_max, 0.0, order);
  if (noisy_max.is_gaussian() && log_q < 0.0 && log_q > -kInfinity) {
    const GaussianNoisyMax its = noisy_max.gaussian().per_move(noisy_max.neighbours);
    step.mu2 = its.sigma * std::sqrt(-log_q);
    step.mu1 = *step.mu2 + 1.0;
  }
  return step;
}

// As the reading `expected` weighs it.
QueryBoundCost published_query_cost(const Aggregator& aggregator, std::int64_t v, double log_q,
                                    double order) {
  QueryBoundCost cost{Bound::published, GuaranteeKind::expected, 0.0, {}};
  cost.noisy_max = published_step(aggregator.noisy_max, log_q, order);
  cost.rdp = cost.noisy_max->rdp;
  if (aggregator.selection) {
    const ThresholdCheck& check = *aggregator.selection;
    cost.selection =
        published_step({GaussianNoisyMax{std::numbers::sqrt2 * check.sigma1_per_move()}},
                       pate::log_q(check, v), order);
    cost.rdp = cost.selection->rdp + std::exp(log_answered(check, v)) * cost.rdp;
  }
  return cost;
}

double tradeoff_query_cost(const Mechanism& mechanism, std::int64_t teachers, std::int64_t v,
                           double log_q, double order) {
  const auto rule = mechanism.answer_rule();
  if (!rule) return tradeoff_cost(mechanism.noisy().noisy_max, log_q, order).larger();
  const AnswerTable ladder(*rule, v, v, teachers);
  const JointCost joint(ladder, order, data_independent_cost(mechanism, order).noisy_max);
  const BothDirections log_excess =
      log_q == -kInfinity ? BothDirections{-kInfinity, -kInfinity}
                          : tradeoff_log_excess(mechanism.noisy().noisy_max, log_q, order);
  return joint.cost(v, log_excess);
}

// The first class of a group, or the second where `other_than` is the first.
std::int64_t class_of(std::span<const std::uint32_t> groups, std::size_t group,
                      std::int64_t other_than) {
  for (std::size_t j = 0; j < groups.size(); ++j) {
    const auto candidate = static_cast<std::int64_t>(j);
    if (groups[j] == group && candidate != other_than) return candidate;
  }
  return -1;
}

// The neighbour of a query that costs most, as counts of classes.
std::optional<WorstNeighbour> worst_neighbour_of(ExactCost& exact, const BothDirections& directions,
                                                 double order,
                                                 std::span<const std::int32_t> histogram,
                                                 std::span<const std::uint32_t> groups) {
  WorstNeighbour worst;
  worst.direction =
      directions.reverse > directions.forward ? Direction::reverse : Direction::forward;
  worst.histogram.assign(histogram.begin(), histogram.end());
  if (exact.is_ball()) {
    const auto neighbour = exact.worst_in_ball(order);
    if (!neighbour) return std::nullopt;
    for (const ChangedClasses& its : *neighbour) {
      std::int32_t left = its.classes;  // the first classes of the group that have no change yet
      for (std::size_t j = 0; j < groups.size() && left > 0; ++j) {
        if (groups[j] != its.group || worst.histogram[j] != histogram[j]) continue;
        worst.histogram[j] += its.change;
        --left;
      }
    }
    for (std::size_t j = 0; j < histogram.size(); ++j) {
      const std::int64_t votes = std::int64_t{worst.histogram[j]} - histogram[j];
      if (votes != 0) worst.changes.push_back({static_cast<std::int64_t>(j), votes});
    }
    return worst;
  }
  const auto neighbour = exact.worst_neighbour_at(order);
  if (!neighbour) return std::nullopt;
  worst.from = class_of(groups, neighbour->from, -1);
  worst.to = class_of(groups, neighbour->to, *worst.from);
  --worst.histogram[static_cast<std::size_t>(*worst.from)];
  ++worst.histogram[static_cast<std::size_t>(*worst.to)];
  return worst;
}

std::vector<double> outcomes_of(const Aggregator& aggregator, ExactCost& exact,
                                std::span<const std::int32_t> histogram,
                                std::span<const std::uint32_t> groups) {
  std::vector<double> result;
  std::map<std::int32_t, double> by_count;  // classes with as many votes are as likely
  const NeighbourOutcomes* const outcomes = exact.is_ball() ? nullptr : exact.outcomes();
  for (std::size_t j = 0; j < histogram.size(); ++j) {
    if (outcomes != nullptr) {
      result.push_back(std::min(std::exp(outcomes->log_probabilities()[groups[j]]), 1.0));
      continue;
    }
    const auto [known, is_new] = by_count.try_emplace(histogram[j]);
    if (is_new) known->second = outcome_probability(aggregator.noisy_max, histogram, j);
    result.push_back(known->second);
  }
  return result;
}

QueryExplanation explain_query(const Run& run, const ExactMechanism& mechanism,
                               const Explanation& about, std::int64_t row, std::int64_t times) {
  const Aggregator& aggregator = run.aggregator.noisy();
  const Run alone{run.votes, RowSelection::list({row}), aggregator, run.student, {}, {}};
  QueryReader reader(alone);
  reader.read(0, 1);
  const auto histogram = reader.histogram(0);
  const double order = about.order;
  ExactCost exact(mechanism, mechanism.group(histogram, reader.scores(0)));
  const auto groups = groups_of_classes(exact.votes(), histogram, reader.scores(0), about.teachers);

  QueryExplanation result;
  result.query = row;
  result.times = times;
  result.histogram.assign(histogram.begin(), histogram.end());
  result.plurality = std::max_element(histogram.begin(), histogram.end()) - histogram.begin();
  result.log_q = log_q(aggregator.noisy_max, histogram);
  const std::int64_t v = reader.statistic(0);
  if (aggregator.selection) {
    result.statistic = v;
    result.answered = probability_answered(aggregator, v);
  }
  result.outcomes = outcomes_of(aggregator, exact, histogram, groups);

  const double tradeoff = tradeoff_query_cost(aggregator, about.teachers, v, result.log_q, order);
  const BothDirections directions = exact.largest(order);
  result.costs = {{Bound::exact, GuaranteeKind::joint, directions.larger(), directions},
                  {Bound::tradeoff, GuaranteeKind::joint, tradeoff, {}},
                  published_query_cost(aggregator, v, result.log_q, order),
                  {Bound::data_independent,
                   GuaranteeKind::worst_case,
                   data_independent_cost(aggregator, order).total(),
                   {}}};
  if (aggregator.is_gaussian() && aggregator.neighbours().is_one_replaced()) {
    const TiltedRun tilted(aggregator, about.teachers, about.classes, order);
    result.costs.insert(result.costs.begin() + 1,
                        {Bound::tilted, GuaranteeKind::joint, tilted.cost(histogram, v), {}});
  }
  if (about.run_tradeoff > 0.0) result.share_tradeoff = tradeoff / about.run_tradeoff;
  if (about.run_exact.larger() > 0.0) {
    result.share_exact = directions.larger() / about.run_exact.larger();
  }
  result.worst_neighbour = worst_neighbour_of(exact, directions, order, histogram, groups);
  return result;
}

// What the run costs by its profile with and without each of the queries, all on one grid, so that
// they can be compared.
void add_profiles(const ExactMechanism& mechanism, const std::vector<ExactQuery>& distinct,
                  const std::map<std::int64_t, std::size_t>& distinct_of_row,
                  const AccountSettings& settings, Explanation& explanation) {
  const double order = explanation.order;
  const auto hint = [&](double rdp) {
    const double epsilon = epsilon_from_rdp(Conversion::improved, rdp, order, settings.delta);
    return OptimalOrder{order, std::max(epsilon, 0.0), false, false};
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
  result.teachers = account.teachers;
  result.classes = account.classes;
  result.run_queries = account.queries;
  result.headline = account.costs[account.headline];
  result.order = order_of(account);
  const CostInputs inputs(query_counts, run.aggregator, threads);
  result.run_tradeoff = DirectCosts(inputs, threads).at(Bound::tradeoff, result.order).joint;
  result.notices.push_back({"private_numbers",
                            "everything here shows votes of the teachers or depends on them: it is "
                            "for the owner of the data and must not be published"});
  return result;
}

// What the test of a query of PTR costs: the neighbours that differ in it have one less or one
// more.
struct TestedCosts {
  BothDirections less, more;  // 0 where there is no such neighbour
  [[nodiscard]] BothDirections most_costly() const {
    return {max_or_nan(less.forward, more.forward), max_or_nan(less.reverse, more.reverse)};
  }
};

TestedCosts tested_costs(const StabilityTest& test, std::int64_t q, const StabilityMoves& moves,
                         double order) {
  const double cap = threshold_data_independent(test, order);
  const auto cost = [&](std::int64_t other) -> BothDirections {
    const LogBernoulliPair pair = answer_pair(test, q, other);
    return {cost_of_log_excess(log_answer_line(pair, order).at(-kInfinity), order, cap),
            cost_of_log_excess(log_answer_line(reversed(pair), order).at(-kInfinity), order, cap)};
  };
  TestedCosts costs;
  if (moves.less) costs.less = cost(q - 1);
  if (moves.more) costs.more = cost(q + 1);
  return costs;
}

QueryExplanation explain_tested_query(const Run& run, std::int64_t row, std::int64_t times,
                                      const Explanation& about) {
  const Run alone{run.votes, RowSelection::list({row}), run.aggregator, nullptr, {}, {}};
  QueryReader reader(alone);
  reader.read(0, 1);
  const auto counts = reader.histogram(0);
  const std::int64_t q = reader.statistic(0);
  QueryExplanation result;
  result.query = row;
  result.times = times;
  result.histogram.assign(counts.begin(), counts.end());
  result.plurality = std::ranges::max_element(counts) - counts.begin();
  result.statistic = q;
  result.votes_to_flip = q + 1;
  result.log_q = -kInfinity;
  result.answered = probability_answered(about.aggregator, q);
  result.outcomes.assign(counts.size(), 0.0);
  result.outcomes[static_cast<std::size_t>(result.plurality)] = 1.0;
  const StabilityMoves moves = stability_moves(counts);
  const TestedCosts costs = tested_costs(*about.aggregator.ptr(), q, moves, about.order);
  const bool is_less = costs.less.larger() >= costs.more.larger();
  if (const auto& move = is_less ? moves.less : moves.more) {
    const BothDirections& cost = is_less ? costs.less : costs.more;
    WorstNeighbour& worst = result.worst_neighbour.emplace();
    worst.from = static_cast<std::int64_t>(move->from);
    worst.to = static_cast<std::int64_t>(move->to);
    worst.direction = cost.reverse > cost.forward ? Direction::reverse : Direction::forward;
    worst.histogram = result.histogram;
    --worst.histogram[move->from];
    ++worst.histogram[move->to];
  }
  const BothDirections exact = costs.most_costly();
  const double tradeoff =
      tradeoff_query_cost(about.aggregator, about.teachers, q, -kInfinity, about.order);
  result.costs = {{Bound::exact, GuaranteeKind::joint, exact.larger(), exact},
                  {Bound::tradeoff, GuaranteeKind::joint, tradeoff, {}},
                  {Bound::data_independent,
                   GuaranteeKind::worst_case,
                   data_independent_cost(about.aggregator, about.order).total(),
                   {}}};
  if (about.run_tradeoff > 0.0) result.share_tradeoff = tradeoff / about.run_tradeoff;
  if (about.run_exact.larger() > 0.0) {
    result.share_exact = exact.larger() / about.run_exact.larger();
  }
  return result;
}

Explanation explain_tested(const Run& run, const AccountSettings& settings,
                           const ExplainedQueries& which) {
  const CountedRun counted = count_run(run, {settings.threads, settings.progress});
  const QueryCounts& query_counts = counted.partials.query_counts;
  Explanation result =
      begin_explanation(run, pate::account(counted.partials, run.aggregator, settings),
                        query_counts, settings.threads);
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
  for (const std::int64_t row : rows_to_explain(which, run, times, kind_of_query, costs)) {
    result.queries.push_back(explain_tested_query(run, row, times.at(row), result));
  }
  return result;
}

}  // namespace

Explanation explain(const Run& run, const AccountSettings& settings,
                    const ExplainedQueries& which) {
  require_every_vote(run.votes, "an explanation");
  require_not_sparse(run.aggregator, "an explanation", "where refusals cost and no query does");
  if (run.aggregator.ptr() != nullptr) return explain_tested(run, settings, which);
  const ExactMechanism mechanism(run.aggregator.noisy(), run.votes.teachers());
  CountedRun counted =
      count_run(run, {settings.threads, settings.progress, &mechanism, /*by_query=*/true});
  // Of the run the bounds are told; exact costs at their order alone.
  const std::vector<ExactQuery> distinct = std::move(counted.partials.exact->distinct);
  counted.partials.exact.reset();
  const Account account = pate::account(counted.partials, run.aggregator, settings);
  Explanation result =
      begin_explanation(run, account, counted.partials.query_counts, settings.threads);

  ExactRun costs(mechanism, distinct, settings.threads);
  const std::span<const double> order(&result.order, 1);
  result.run_exact = costs.rdp(order).front();
  const std::vector<double> by_distinct = costs_by_query(costs, result.order);
  std::map<std::int64_t, std::int64_t> times;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) ++times[run.rows[i]];
  for (const std::int64_t row :
       rows_to_explain(which, run, times, counted.distinct_of_query, by_distinct)) {
    result.queries.push_back(explain_query(run, mechanism, result, row, times.at(row)));
  }
  std::map<std::int64_t, std::size_t> distinct_of_row;
  for (std::int64_t i = 0; i < run.rows.size(); ++i) {
    distinct_of_row[run.rows[i]] = counted.distinct_of_query[static_cast<std::size_t>(i)];
  }
  add_profiles(mechanism, distinct, distinct_of_row, settings, result);
  return result;
}

}  // namespace pate
