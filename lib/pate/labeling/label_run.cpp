#include "pate/labeling/label_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "pate/accounting/account.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/sparse_answers.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/labeling/answer_sampler.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

void check_reinforcement(const Run& run, std::optional<double> above) {
  if (!above) return;
  if (!run.aggregator.interactive()) {
    throw parameter_error("reinforce-above goes with the interactive aggregator: add a student");
  }
  if (!(*above >= 0.0 && *above <= 1.0)) {
    throw parameter_error(fmt::format("reinforce-above must be in [0, 1], got {}", *above));
  }
}

// The student's class where it is confident.
class Reinforcement {
 public:
  Reinforcement(const Run& run, double above)
      : student_(*run.student),
        above_(above),
        scores_(static_cast<std::size_t>(student_.classes())) {}

  std::optional<std::int32_t> label(std::int64_t row) {
    student_.read(row, 1, scores_);
    const auto best = std::max_element(scores_.begin(), scores_.end());
    if (!(*best > above_)) return std::nullopt;
    return static_cast<std::int32_t>(best - scores_.begin());
  }

 private:
  const StudentScores& student_;
  double above_;
  std::vector<double> scores_;
};

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
  return count_queries({run.votes, std::move(rows), run.aggregator, run.student, {}, {}}, threads);
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
std::vector<QueryRow> table_of(const Run& run, const Account& asked, std::int64_t count,
                               unsigned threads) {
  if (count == run.rows.size() || asked.table.empty()) return asked.table;
  std::vector<QueryRow> rows;
  auto row = asked.table.begin();
  for (const DistinctQuery& query : query_counts_of(run, run.rows, threads).distinct) {
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

// With max_epsilon the filter itself is a guarantee: whatever is answered, the RDP at its order is
// at most what max_epsilon leaves after the improved conversion; the optimal one makes less of it.
void cap_by_filter(CostEntry& entry, const PrivacyFilter& filter, double max_epsilon,
                   double delta) {
  const bool is_optimal = entry.conversion == EpsilonMethod::optimal;
  if (!is_optimal && entry.conversion != EpsilonMethod::improved) return;
  const double term = conversion_term(Conversion::improved, filter.order(), delta);
  const double rdp =
      std::max(max_epsilon - term + kConversionRounding * (max_epsilon + std::abs(term)), 0.0);
  const double cap =
      is_optimal
          ? std::min(epsilon_from_rdp(Conversion::optimal, rdp, filter.order(), delta), max_epsilon)
          : max_epsilon;
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
  if (account.queries == 0) add("no_queries", "no query was asked: nothing is spent");
  if (labelled.stopped) {
    const StopReason reason = *labelled.stopped;
    add(reason == StopReason::max_answers    ? "stopped_max_answers"
        : reason == StopReason::max_refusals ? "stopped_max_refusals"
                                             : "stopped_max_epsilon",
        fmt::format(
            "stopped after {} of {} queries, {}{}", labelled.asked, labelled.labels.size(),
            reason == StopReason::max_answers    ? "once all of --max-answers were given"
            : reason == StopReason::max_refusals ? "once all of --max-refusals were refused"
                                                 : "as another could cost more than --max-epsilon",
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

// What is read by the threads before queries are asked, and who draws the noisy maxima: their
// numbers do not depend on that of the threads, so that labels do not.
constexpr std::int64_t kPieces = 16;
constexpr std::size_t kSamplers = 8;  // of a piece

// Some queries of a run, with what draws their noisy maxima.
class Piece {
 public:
  Piece(const Run& run, BitSource& source) : reader_(run) {
    for (std::size_t k = 0; k < kSamplers; ++k) {
      sources_.push_back(source.another());
      samplers_.emplace_back(run.aggregator, *sources_.back());
    }
  }

  [[nodiscard]] std::int64_t most() const { return reader_.piece(); }

  void read(std::int64_t first, std::int64_t count) {
    first_ = first;
    reader_.read(first, count);
    statistics_.clear();
    for (std::int64_t i = 0; i < count; ++i) statistics_.push_back(reader_.statistic(i));
  }
  [[nodiscard]] std::int64_t statistic(std::int64_t i) const {
    return statistics_[static_cast<std::size_t>(i)];
  }

  // Labels those of the queries of a sampler that the teachers answer. Samplers may work at once.
  void answer(std::size_t sampler, LabelledQueries& result) {
    const Shard its{static_cast<std::int64_t>(sampler) + 1, kSamplers};
    for (std::int64_t i = its.begin(reader_.size()); i < its.end(reader_.size()); ++i) {
      const auto query = static_cast<std::size_t>(first_ + i);
      if (result.sources[query] != LabelSource::teacher) continue;
      AnswerSampler& draw = samplers_[sampler];
      const std::size_t label = reader_.is_sparse()
                                    ? draw.noisy_maximum(reader_.voted(i), reader_.counts(i),
                                                         reader_.run().votes.classes())
                                    : draw.noisy_maximum(reader_.counts(i));
      result.labels[query] = static_cast<std::int32_t>(label);
    }
  }

 private:
  QueryReader reader_;
  std::vector<std::unique_ptr<BitSource>> sources_;
  std::deque<AnswerSampler> samplers_;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> statistics_;
};

std::optional<StopReason> reason_to_stop(const PrivacyFilter& filter) {
  if (filter.enough_answers()) return StopReason::max_answers;
  if (filter.enough_refusals()) return StopReason::max_refusals;
  if (!filter.can_afford_next()) return StopReason::max_epsilon;
  return std::nullopt;
}

}  // namespace

LabelledQueries label_queries(const Run& run, PrivacyFilter& filter,
                              std::optional<double> reinforce_above, BitSource& source,
                              unsigned threads) {
  validate(run);
  check_reinforcement(run, reinforce_above);
  std::optional<Reinforcement> reinforcement;
  if (reinforce_above) reinforcement.emplace(run, *reinforce_above);
  AnswerSampler checks(run.aggregator, source);
  std::deque<Piece> pieces;
  for (std::int64_t k = 0; k < kPieces; ++k) pieces.emplace_back(run, source);
  const std::int64_t queries = run.rows.size();
  const std::int64_t size = pieces.front().most();

  LabelledQueries result;
  result.labels.assign(static_cast<std::size_t>(queries), -1);
  result.sources.assign(static_cast<std::size_t>(queries), LabelSource::refused);
  while (result.asked < queries && !result.stopped) {
    const std::int64_t first = result.asked;
    const std::int64_t in_use =
        std::min<std::int64_t>(kPieces, (queries - first + size - 1) / size);
    parallel_for(static_cast<std::size_t>(in_use), threads, [&](std::size_t k) {
      const std::int64_t begin = first + static_cast<std::int64_t>(k) * size;
      pieces[k].read(begin, std::min(size, queries - begin));
    });
    const std::int64_t end = std::min(queries, first + in_use * size);
    for (; result.asked < end; ++result.asked) {
      result.stopped = reason_to_stop(filter);
      if (result.stopped) break;
      const Piece& piece = pieces[static_cast<std::size_t>((result.asked - first) / size)];
      const std::int64_t in_piece = (result.asked - first) % size;
      const auto query = static_cast<std::size_t>(result.asked);
      const bool answered = checks.answers(piece.statistic(in_piece));
      filter.count(answered);
      if (answered) {
        result.sources[query] = LabelSource::teacher;
        ++result.answered;
      } else if (reinforcement) {
        if (const auto label = reinforcement->label(run.rows[result.asked])) {
          result.labels[query] = *label;
          result.sources[query] = LabelSource::student;
          ++result.student;
        }
      }
    }
    parallel_for(static_cast<std::size_t>(in_use) * kSamplers, threads,
                 [&](std::size_t k) { pieces[k / kSamplers].answer(k % kSamplers, result); });
  }
  return result;
}

Account label_account(const Run& run, const LabelledQueries& labelled, const PrivacyFilter& filter,
                      const RunLimits& limits, double delta, unsigned threads) {
  const bool has_selection = run.aggregator.refuses();
  const Partials asked{{}, count_asked(run, labelled, threads), has_selection};
  AccountSettings settings;
  settings.delta = delta;
  settings.query_delta = most_steps(run.aggregator, limits).delta();
  settings.published = false;
  settings.tradeoff = run.aggregator.sparse() == nullptr;
  settings.threads = threads;
  Account result = account(asked, run.aggregator, settings);
  settings.orders = std::vector<double>{filter.order()};
  const Account fixed = account(asked, run.aggregator, settings);
  if (!has_selection) result.answered_realized = labelled.answered;
  // Answers decide how many queries are asked: the deltas of all are spent.
  if (run.aggregator.ptr() != nullptr) result.steps = most_steps(run.aggregator, limits);

  // Without a selection every query is answered: where the run stops is certain before it.
  const bool may_stop = has_selection && (limits.max_answers || limits.max_epsilon);
  std::vector<CostEntry> costs;
  if (may_stop && labelled.asked < run.rows.size()) {
    // Whatever it stops at, the run follows from answers to all of its list.
    settings.orders.reset();
    append_entries(account(Partials{{}, query_counts_of(run, run.rows, threads), false},
                           run.aggregator, settings),
                   GuaranteeKind::joint, costs);
  } else {
    append_entries(result, GuaranteeKind::joint, costs);
  }
  result.notices.clear();
  add_order_notices(costs, result.orders, false, result.notices);
  append_realized(fixed, has_selection, costs);
  costs.push_back(counted_by(filter, run.aggregator, delta));
  std::vector<Notice> of_worst_case;
  for (CostEntry& entry : data_independent_entries(most_steps(run.aggregator, limits),
                                                   result.orders, {delta, false}, of_worst_case)) {
    if (limits.max_epsilon) {
      cap_by_filter(entry, filter, *limits.max_epsilon, left_delta(run.aggregator, limits, delta));
    }
    costs.push_back(std::move(entry));
  }
  if (run.aggregator.sparse() != nullptr) {
    // What was fixed before the run comes first.
    std::rotate(costs.begin(), costs.begin() + 1, costs.end());
    fill_sparse_answers(
        {run.votes, first_queries(run, labelled.asked), run.aggregator, nullptr, {}, {}}, result);
    result.answered_realized = labelled.answered;
  } else if (may_stop) {
    result.orders = fixed.orders;
    result.tradeoff = fixed.tradeoff;
  } else {
    merge_order(fixed, result);
  }
  result.table = table_of(run, result, labelled.asked, threads);
  result.headline = headline_of(costs, {});
  result.costs = std::move(costs);
  result.trajectory.clear();
  add_notices(labelled, filter, result);
  return result;
}

}  // namespace pate
