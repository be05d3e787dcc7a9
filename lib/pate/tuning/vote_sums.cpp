#include "pate/tuning/vote_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pate/accounting/bound_at_orders.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// Orders a stride apart that are computed together: those nearby are wanted next, and the search
// for the best split of q at one helps the others. Orders in between are computed one by one.
constexpr std::size_t kBatch = 4;
// Likewise of the orders that a scan looks at: what depends on q alone is found once for all.
constexpr std::size_t kScanned = 16;
// Pieces of the queries with a limit on answers.
constexpr std::int64_t kPieces = 64;
// Groups that the queries of one statistic are put into.
constexpr std::size_t kGroups = 12;

// One distinct query of a statistic: its excess, in the larger direction, and how often it occurs.
struct Excess {
  double value, log_value;
  double forward, reverse;  // of the excess, in either direction
  double queries;
};

Excess excess_of(const BothDirections& log_excess, double queries) {
  const double larger = log_excess.larger();
  if (larger == -kInfinity) return {0.0, larger, 1.0, 1.0, queries};
  return {std::exp(larger), larger, std::exp(log_excess.forward - larger),
          std::exp(log_excess.reverse - larger), queries};
}

VoteSums::Group group_of(std::span<const Excess> excesses) {
  VoteSums::Group group;
  group.lowest = excesses.front().value;
  group.highest = excesses.back().value;
  group.log_highest = excesses.back().log_value;
  group.forward = group.reverse = 0.0;
  double sum = 0.0;
  for (const Excess& excess : excesses) {
    group.queries += excess.queries;
    sum += excess.queries * excess.value;
    group.forward = max_or_nan(group.forward, excess.forward);
    group.reverse = max_or_nan(group.reverse, excess.reverse);
  }
  group.mean = std::clamp(sum / group.queries, group.lowest, group.highest);
  return group;
}

void add_groups(std::vector<Excess>& excesses, VoteSums::AtOrder& at) {
  std::sort(excesses.begin(), excesses.end(),
            [](const Excess& a, const Excess& b) { return a.log_value < b.log_value; });
  VoteSums::Cost cost;
  cost.all = group_of(excesses);
  cost.first = static_cast<std::uint32_t>(at.groups.size());
  const std::size_t groups = std::min(kGroups, excesses.size());
  for (std::size_t k = 0; k < groups; ++k) {
    const std::size_t begin = excesses.size() * k / groups;
    const std::size_t end = excesses.size() * (k + 1) / groups;
    at.groups.push_back(group_of(std::span(excesses).subspan(begin, end - begin)));
  }
  cost.last = static_cast<std::uint32_t>(at.groups.size());
  at.costs.push_back(cost);
}

// Expected answers of a kind by statistic, if all these queries were answered.
template <class Query>
std::vector<double> by_statistic(std::span<const Query> queries, double Query::*expected,
                                 std::span<const CostInputs::Statistic> statistics) {
  std::vector<double> sums(statistics.size(), 0.0);
  for (const Query& query : queries) {
    const auto found =
        std::ranges::lower_bound(statistics, query.statistic, {}, &CostInputs::Statistic::value);
    sums[static_cast<std::size_t>(found - statistics.begin())] += query.*expected;
  }
  return sums;
}

}  // namespace

VoteSums::VoteSums(const NoisyStep& step, QueryCounts query_counts, CostKind kind,
                   const TuningOrders& orders)
    : kind_(kind),
      orders_(orders),
      query_counts_(std::move(query_counts)),
      inputs_(query_counts_, Aggregator{{}, step.noisy_max()}, step.neighbours(), 1),
      filled_(orders.size()),
      at_(orders.size()) {}

const VoteSums::AtOrder& VoteSums::at(std::size_t order) const {
  const std::size_t stride = orders_.stride();
  const std::size_t below = order - order % stride;
  if (order != below && below + stride < orders_.size() && kind_.bound == Bound::tradeoff) {
    std::call_once(filled_[order], [&] { fill_between(order, at(below), at(below + stride)); });
    return at_[order];
  }
  const Batch batch = batch_of(order);
  std::call_once(filled_[batch.first], [&] {
    std::vector<double> orders;
    std::vector<AtOrder*> sums;
    for (std::size_t i = batch.first; i < orders_.size() && sums.size() < batch.size;
         i += batch.step) {
      orders.push_back(orders_[i]);
      sums.push_back(&at_[i]);
      at_[i].noisy_max_cap = data_independent_cost(inputs_.step(), orders_[i]);
    }
    kind_.reading == GuaranteeKind::joint ? fill_joint(orders, sums) : fill_expected(orders, sums);
  });
  return at_[order];
}

VoteSums::Batch VoteSums::batch_of(std::size_t order) const {
  const std::size_t stride = orders_.stride();
  if (order % stride != 0) return {order, stride, 1};
  if (kind_.bound != Bound::published) return {order - order % (stride * kBatch), stride, kBatch};
  const std::size_t scan = orders_.scan();
  if (order % scan == 0) return {order - order % (scan * kScanned), scan, kScanned};
  return {order - order % scan + stride, stride, scan / stride - 1};
}

void VoteSums::fill_between(std::size_t order, const AtOrder& below, const AtOrder& above) const {
  const std::size_t stride = orders_.stride();
  const double low = orders_[order - order % stride];
  const double high = orders_[order - order % stride + stride];
  const double share = (orders_[order] - low) / (high - low);
  // Of the moments 1 + x; by Hoelder's inequality it holds for their means too, but not for one
  // direction as a part of the other.
  const auto log_moment = [share](double x, double y) { return (1.0 - share) * x + share * y; };
  const auto excess = [&](double x, double y) {
    return std::expm1(log_moment(std::log1p(x), std::log1p(y)));
  };
  const auto group = [&](const Group& x, const Group& y) {
    return Group{x.queries,
                 excess(x.lowest, y.lowest),
                 excess(x.mean, y.mean),
                 excess(x.highest, y.highest),
                 log_moment(log1pexp(x.log_highest), log1pexp(y.log_highest)),
                 1.0,
                 1.0};
  };
  AtOrder& at = at_[order];
  at.noisy_max_cap = data_independent_cost(inputs_.step(), orders_[order]);
  at.costs.resize(statistics().size());
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const Cost& x = below.costs[i];
    const Cost& y = above.costs[i];
    at.costs[i] = {
        group(x.all, y.all), x.first, x.last,
        ((1.0 - share) * (low - 1.0) * x.noisy_max + share * (high - 1.0) * y.noisy_max) /
            (orders_[order] - 1.0)};
  }
  for (std::size_t k = 0; k < below.groups.size(); ++k) {
    at.groups.push_back(group(below.groups[k], above.groups[k]));
  }
}

void VoteSums::fill_joint(std::span<const double> orders, std::span<AtOrder* const> sums) const {
  const GaussianTradeoffTable table(inputs_.cells(), inputs_.step().gaussian_per_move().mu());
  const auto tables = table.at_orders(orders, 1);
  std::vector<Excess> excesses;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < statistics().size(); ++i) {
      excesses.clear();
      for (; k < query_counts_.distinct.size() && inputs_.statistic_of(k) == i; ++k) {
        excesses.push_back(excess_of(inputs_.log_excess(table, tables[j], k),
                                     static_cast<double>(query_counts_.distinct[k].count)));
      }
      add_groups(excesses, *sums[j]);
    }
  }
}

void VoteSums::fill_expected(std::span<const double> orders, std::span<AtOrder* const> sums) const {
  const auto bound = bound_at_orders(kind_.bound, inputs_, orders, 1);
  for (AtOrder* const at : sums) at->costs.resize(statistics().size());
  std::vector<std::size_t> all(orders.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> costs(orders.size());
  for (std::size_t k = 0; k < query_counts_.distinct.size(); ++k) {
    bound->noisy_max(inputs_.position(k), all, costs);
    for (std::size_t j = 0; j < orders.size(); ++j) {
      sums[j]->costs[inputs_.statistic_of(k)].noisy_max +=
          static_cast<double>(query_counts_.distinct[k].count) * costs[j];
    }
  }
}

std::vector<std::int64_t> asked_queries(std::int64_t queries, bool limited) {
  if (!limited) return {queries};
  std::vector<std::int64_t> asked;
  for (std::int64_t k = 1; k <= kPieces; ++k) {
    const std::int64_t end = Shard{k, kPieces}.end(queries);
    if (end > 0 && (asked.empty() || end > asked.back())) asked.push_back(end);
  }
  if (asked.empty()) asked.push_back(0);
  return asked;
}

NoiseSums::NoiseSums(const TuningVotes& votes, const Aggregator& aggregator,
                     const Neighbours& neighbours, std::vector<std::int64_t> asked, CostKind kind,
                     const TuningOrders& orders, unsigned threads)
    : votes_(votes),
      aggregator_(aggregator),
      neighbours_(neighbours),
      asked_(std::move(asked)),
      kind_(kind),
      orders_(orders),
      made_(asked_.size()),
      sums_(asked_.size()) {
  Run run = run_of(votes, aggregator, neighbours, asked_.back());
  run.labels = votes.labels;
  std::vector<QueryKey> keys{cost_key(run), sorted_histogram()};
  const bool in_pieces = asked_.size() > 1;
  keys.back().by_query = in_pieces;
  if (run.labels) {
    keys.push_back(label_key(run));
    keys.back().by_query = true;
  }
  std::vector<DistinctQueries> counted = count_distinct(run, keys, {.threads = threads});
  if (run.labels) labelled_ = labelled_queries(aggregator, counted.back(), threads);
  agreement_ =
      in_pieces ? agreement_by_query(aggregator.noisy_max, run.votes.classes(), counted[1], threads)
                : agreement_of(aggregator.noisy_max, run.votes.classes(), counted[1], threads);
  std::call_once(made_.back(),
                 [&] { make(asked_.size() - 1, query_counts_of(run, counted.front())); });
}

const VoteSums& NoiseSums::at(std::size_t i) const {
  std::call_once(made_[i], [&] {
    make(i, count_queries(run_of(votes_, aggregator_, neighbours_, asked_[i]), 1));
  });
  return *sums_[i];
}

void NoiseSums::make(std::size_t i, QueryCounts query_counts) const {
  sums_[i] = std::make_unique<VoteSums>(aggregator_.step(neighbours_), std::move(query_counts),
                                        kind_, orders_);
  const auto asked = static_cast<std::size_t>(asked_[i]);
  std::span<const AgreeingQueries> agreement = agreement_;
  if (asked_.size() > 1) agreement = agreement.first(asked);
  sums_[i]->set_agreeing(
      by_statistic(agreement, &AgreeingQueries::agreeing, sums_[i]->statistics()));
  if (!votes_.labels) return;
  const auto labelled = std::span<const LabelledQuery>(labelled_).first(asked);
  sums_[i]->set_right(by_statistic(labelled, &LabelledQuery::right, sums_[i]->statistics()));
}

}  // namespace pate
