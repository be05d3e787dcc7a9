#include "pate/labeling/label_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "pate/accounting/account.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/sparse_answers.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

// The queries of a selection for which `takes` holds of their position.
template <class Takes>
RowSelection choose(const RowSelection& rows, std::int64_t end, const Takes& takes) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < end; ++i) {
    if (takes(i)) chosen.push_back(rows[i]);
  }
  return RowSelection::list(std::move(chosen));
}

RowSelection first_queries(const Run& run, std::int64_t asked) {
  if (asked == run.rows.size()) return run.rows;
  return choose(run.rows, asked, [](std::int64_t) { return true; });
}

QueryCounts query_counts_of(const Run& run, RowSelection rows, unsigned threads) {
  return count_queries(
      {run.votes, std::move(rows), run.aggregator, run.neighbours, run.student, {}, {}}, threads);
}

// The query counts of the asked queries, with those that the teachers answered. Answers belong to
// queries, not to rows: a row that was asked twice may have been answered once.
QueryCounts count_asked(const Run& run, const LabelledQueries& labelled, unsigned threads) {
  const std::int64_t asked = labelled.asked;
  QueryCounts all = query_counts_of(run, first_queries(run, asked), threads);
  if (!run.aggregator.refuses()) return all;
  const QueryCounts answered = query_counts_of(
      run,
      choose(run.rows, asked,
             [&](std::int64_t i) {
               return labelled.sources[static_cast<std::size_t>(i)] == LabelSource::teacher;
             }),
      threads);
  // Both are in the canonical order, and all that was answered was asked.
  auto query = all.distinct.begin();
  for (const DistinctQuery& part : answered.distinct) {
    query = std::find_if(query, all.distinct.end(), [&](const DistinctQuery& candidate) {
      return candidate.statistic == part.statistic && candidate.log_q == part.log_q;
    });
    query->answered = part.count;
  }
  return all;
}

// All queries of the selection by what the bounds look at, and what became of them; empty where the
// account of those that were asked has none.
std::vector<QueryRow> table_of(const LabelledCounts& counts, const Account& asked) {
  if (!counts.listed || asked.table.empty()) return asked.table;
  std::vector<QueryRow> rows;
  auto row = asked.table.begin();
  for (const DistinctQuery& query : counts.listed->distinct) {
    rows.push_back({query.statistic, query.log_q, query.count, 0, 0});
    // Both are in the canonical order, and all that was asked is in the selection.
    if (row == asked.table.end() || row->statistic != query.statistic ||
        row->log_q != query.log_q) {
      continue;
    }
    rows.back().asked = row->count;
    rows.back().answered = row->answered;
    ++row;
  }
  return rows;
}

// The trade-off costs of a reading; at the one order that was fixed nothing was looked for.
void append_entries(const Account& account, GuaranteeKind reading, std::vector<CostEntry>& to) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound != Bound::tradeoff || cost.reading != reading) continue;
    to.push_back(cost);
    if (account.orders.size() == 1) to.back().order_end = OrderEnd::none;
  }
}

// What was answered, at the filter's order: of the outcome.
void append_realized(const Account& fixed, bool has_selection, std::vector<CostEntry>& to) {
  std::vector<CostEntry> entries;
  append_entries(fixed, has_selection ? GuaranteeKind::realized : GuaranteeKind::joint, entries);
  for (CostEntry& entry : entries) {
    if (entry.conversion == EpsilonMethod::optimal) continue;
    entry.reading = GuaranteeKind::realized;
    entry.promise = Promise::outcome;
    entry.order_chosen_after = false;
    to.push_back(std::move(entry));
  }
}

// Adds the curves at the one order of `fixed` to those of a run at other orders.
void merge_order(const Account& fixed, Account& run) {
  const double order = fixed.orders.front();
  const auto at = std::lower_bound(run.orders.begin(), run.orders.end(), order);
  if (at != run.orders.end() && *at == order) return;
  const auto position = at - run.orders.begin();
  run.orders.insert(at, order);
  for (const auto curve : {&RdpCurves::selection, &RdpCurves::noisy_max, &RdpCurves::joint,
                           &RdpCurves::noisy_max_realized, &RdpCurves::spent_variance}) {
    const std::vector<double>& its = (*fixed.tradeoff).*curve;
    std::vector<double>& to = (*run.tradeoff).*curve;
    to.insert(to.begin() + position, its.begin(), its.end());
  }
}

CostEntry counted_by(const PrivacyFilter& filter, const Mechanism& aggregator, double delta) {
  CostEntry entry;
  entry.reading = GuaranteeKind::realized;
  entry.epsilon = filter.epsilon();
  entry.delta = delta;
  if (filter.asked() > 0) entry.order = filter.order();
  const QueryCost rdp = filter.rdp();
  if (aggregator.refuses()) entry.parts.emplace_back("selection", rdp.selection);
  entry.parts.emplace_back("noisy_max", rdp.noisy_max);
  entry.parts.emplace_back("delta", entry.epsilon - rdp.total());
  entry.releasable = true;
  entry.promise = Promise::outcome;
  return entry;
}

// How much of what the filter counts for a query the same query of `paid` costs, at most.
double share_of_counted(const PrivacyFilter& filter, const Run& paid) {
  if (paid.aggregator == filter.mechanism() && paid.neighbours == filter.neighbours()) return 1.0;
  const QueryCost counted =
      data_independent_cost(filter.mechanism(), filter.neighbours(), filter.order());
  const QueryCost own = data_independent_cost(paid.aggregator, paid.neighbours, filter.order());
  double share = 0.0;
  for (const auto step : {&QueryCost::selection, &QueryCost::noisy_max}) {
    // What is no number is no share: there is none to tell then.
    if (own.*step != 0.0) share = max_or_nan(share, own.*step / counted.*step);
  }
  return std::isnan(share) ? kInfinity : with_margin(share);
}

// With max_epsilon the filter itself is a guarantee: whatever is answered, the RDP at its order is
// at most what max_epsilon leaves after the improved conversion, or that share of it; the optimal
// one makes less of it.
void cap_by_filter(CostEntry& entry, const PrivacyFilter& filter, double share, double max_epsilon,
                   double delta) {
  const bool is_optimal = entry.conversion == EpsilonMethod::optimal;
  if (!is_optimal && entry.conversion != EpsilonMethod::improved) return;
  const double term = conversion_term(Conversion::improved, filter.order(), delta);
  const double counted =
      std::max(max_epsilon - term + kConversionRounding * (max_epsilon + std::abs(term)), 0.0);
  const double rdp = share * counted;
  const double most = share < 1.0
                          ? epsilon_from_rdp(Conversion::improved, rdp, filter.order(), delta)
                          : max_epsilon;
  const double cap =
      is_optimal ? std::min(epsilon_from_rdp(Conversion::optimal, rdp, filter.order(), delta), most)
                 : most;
  if (!(cap < entry.epsilon)) return;
  entry.epsilon = cap;
  entry.order = filter.order();
  entry.order_end = OrderEnd::none;
  entry.parts = {{"steps", rdp}, {"delta", cap - rdp}};
}

void add_notices(const LabelledQueries& labelled, const PrivacyFilter& filter, Account& account) {
  const auto add = [&](const char* code, std::string message) {
    account.notices.push_back({code, std::move(message)});
  };
  if (account.queries == 0) {
    add("no_queries", labelled.stopped == StopReason::max_epsilon
                          ? "no query was asked, so that nothing is told of the votes; what "
                            "\1max-epsilon allowed "
                            "is counted all the same"
                          : "no query was asked: nothing is spent");
  }
  if (labelled.stopped) {
    const StopReason reason = *labelled.stopped;
    add(reason == StopReason::max_answers    ? "stopped_max_answers"
        : reason == StopReason::max_refusals ? "stopped_max_refusals"
                                             : "stopped_max_epsilon",
        fmt::format(
            "stopped after {} of {} queries, {}{}", labelled.asked, labelled.labels.size(),
            reason == StopReason::max_answers    ? "once all of \1max-answers were given"
            : reason == StopReason::max_refusals ? "once all of \1max-refusals were refused"
                                                 : "as another could cost more than \1max-epsilon",
            account.aggregator.refuses() && account.aggregator.sparse() == nullptr
                ? fmt::format("; costs of what was asked are at order {}, fixed before the run",
                              filter.order())
                : ""));
  }
  if (account.queries > 0) {
    add("private_number",
        "the labels may be given away at this cost; the costs that depend on the votes are for the "
        "owner of the data");
    if (!account.costs[account.headline].data_dependent && account.aggregator.sparse() == nullptr) {
      add("any_votes_smaller",
          "the number that holds for any votes is smaller here, and may be published");
    }
  }
}

}  // namespace

LabelledCounts count_labels(const Run& run, const LabelledQueries& labelled, unsigned threads) {
  LabelledCounts counts{count_asked(run, labelled, threads), {}};
  if (labelled.asked < run.rows.size()) counts.listed = query_counts_of(run, run.rows, threads);
  return counts;
}

Account label_account(const Run& run, const LabelledQueries& labelled, const PrivacyFilter& filter,
                      const RunLimits& limits, double delta, unsigned threads) {
  return label_account(run, count_labels(run, labelled, threads), labelled, filter, limits, delta,
                       threads);
}

Account label_account(const Run& run, const LabelledCounts& counts, const LabelledQueries& labelled,
                      const PrivacyFilter& filter, const RunLimits& limits, double delta,
                      unsigned threads) {
  const bool has_selection = run.aggregator.refuses();
  const Partials asked{{}, counts.asked, has_selection};
  AccountSettings settings;
  settings.delta = delta;
  settings.query_delta = most_steps(run.aggregator, run.neighbours, limits).delta();
  settings.models = {Bound::tradeoff};
  settings.threads = threads;
  Account result = account(asked, run.aggregator, run.neighbours, settings);
  settings.orders = std::vector<double>{filter.order()};
  const Account fixed = account(asked, run.aggregator, run.neighbours, settings);
  if (!has_selection) result.answered_realized = labelled.answered;
  // Answers decide how many queries are asked: the deltas of all are spent.
  if (run.aggregator.ptr() != nullptr)
    result.steps = most_steps(run.aggregator, run.neighbours, limits);

  // Without a selection every query is answered: where the run stops is certain before it.
  const bool may_stop = has_selection && (limits.max_answers || limits.max_epsilon);
  std::vector<CostEntry> costs;
  if (may_stop && counts.listed) {
    // Whatever it stops at, the run follows from answers to all of its list.
    settings.orders.reset();
    append_entries(
        account(Partials{{}, *counts.listed, false}, run.aggregator, run.neighbours, settings),
        GuaranteeKind::joint, costs);
  } else {
    append_entries(result, GuaranteeKind::joint, costs);
  }
  result.notices.clear();
  add_order_notices(costs, result.orders, false, result.notices);
  append_realized(fixed, has_selection, costs);
  costs.push_back(counted_by(filter, run.aggregator, delta));
  std::vector<Notice> of_worst_case;
  const double share = limits.max_epsilon ? share_of_counted(filter, run) : 1.0;
  for (CostEntry& entry :
       data_independent_entries(most_steps(run.aggregator, run.neighbours, limits), result.orders,
                                {delta, false}, of_worst_case)) {
    if (limits.max_epsilon && share <= 1.0) {
      cap_by_filter(entry, filter, share, *limits.max_epsilon,
                    left_delta(run.aggregator, run.neighbours, limits, delta));
    }
    costs.push_back(std::move(entry));
  }
  if (run.aggregator.sparse() != nullptr) {
    // What was fixed before the run comes first.
    std::rotate(costs.begin(), costs.begin() + 1, costs.end());
    fill_sparse_answers({run.votes,
                         first_queries(run, labelled.asked),
                         run.aggregator,
                         run.neighbours,
                         nullptr,
                         {},
                         {}},
                        result);
  } else if (may_stop) {
    result.orders = fixed.orders;
    result.tradeoff = fixed.tradeoff;
  } else {
    merge_order(fixed, result);
  }
  result.table = table_of(counts, result);
  result.headline = headline_of(costs, {});
  result.costs = std::move(costs);
  result.trajectory.clear();
  add_notices(labelled, filter, result);
  return result;
}

}  // namespace pate
