#include "pate/accounting/cost_inputs.hpp"

#include <cmath>
#include <utility>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/chebyshev.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// Positions are a hundred bytes each; beyond this many they are found anew at every order.
constexpr std::size_t kKeptPositions = 100'000;

std::vector<double> finite_log_q(const QueryCounts& query_counts) {
  std::vector<double> values;
  values.reserve(query_counts.distinct.size());
  for (const DistinctQuery& query : query_counts.distinct) {
    if (query.log_q != -kInfinity) values.push_back(query.log_q);
  }
  return values;
}

// Of a query without a cell.
QCells::Position no_cell(double log_q) {
  return {log_q, QCells::kNoCell, {}};
}

}  // namespace

CostInputs::CostInputs(const QueryCounts& query_counts, const Mechanism& aggregator,
                       const Neighbours& neighbours, unsigned threads)
    : query_counts_(query_counts),
      aggregator_(aggregator),
      neighbours_(neighbours),
      cells_(finite_log_q(query_counts)),
      narrow_(finite_log_q(query_counts), QCells::Width::narrow) {
  const bool has_sets = aggregator.is_gaussian();
  parallel_for(2, threads, [&](std::size_t i) {
    if (i == 0) {
      by_q_ = has_sets ? QuerySets(query_counts, narrow_, /*by_statistic=*/false)
                       : QuerySets(query_counts);
    } else {
      by_answer_ = has_sets && aggregator.refuses()
                       ? QuerySets(query_counts, cells_, /*by_statistic=*/true)
                       : QuerySets(query_counts);
    }
  });
  const auto rule = aggregator.answer_rule();
  if (rule && !query_counts.distinct.empty()) {
    ladder_.emplace(*rule, neighbours, query_counts.distinct.front().statistic,
                    query_counts.distinct.back().statistic, query_counts.teachers);
  }
  answered_.reserve(query_counts.distinct.size());
  statistic_of_.reserve(query_counts.distinct.size());
  double answered = 1.0;
  for (const DistinctQuery& query : query_counts.distinct) {
    if (statistics_.empty() || statistics_.back().value != query.statistic) {
      statistics_.push_back({query.statistic, 0.0});
      answered = ladder_ ? std::exp(ladder_->log_answered(query.statistic)) : 1.0;
    }
    statistics_.back().queries += static_cast<double>(query.count);
    statistic_of_.push_back(statistics_.size() - 1);
    answered_.push_back(answered);
  }
  if (ladder_) {
    std::vector<std::int64_t> values;
    for (const Statistic& statistic : statistics_) values.push_back(statistic.value);
    places_.emplace(*ladder_, std::move(values));
  }
  if (!aggregator.is_gaussian()) return;
  if (query_counts.distinct.size() <= kKeptPositions) {
    for (const DistinctQuery& query : query_counts.distinct) {
      positions_.push_back(query.log_q == -kInfinity ? no_cell(query.log_q)
                                                     : cells_.locate(query.log_q));
    }
  }
  for (std::size_t cell = 0; cell < narrow_.size(); ++cell) {
    for (const double log_q : narrow_.nodes(cell)) nodes_.push_back(cells_.locate(log_q));
  }
  const auto sets = by_q_.sets();
  q_weights_.resize(sets.size());
  parallel_for(sets.size(), threads,
               [&](std::size_t i) { q_weights_[i] = q_weights(by_q_.whole(sets[i])); });
  const auto answers = by_answer_.sets();
  answer_weights_.resize(answers.size());
  parallel_for(answers.size(), threads, [&](std::size_t i) {
    answer_weights_[i] = answer_weights(by_answer_.whole(answers[i]));
  });
}

CostInputs::QWeights CostInputs::q_weights(const QuerySets::Part& part) const {
  QWeights moments;
  for (const auto& [i, s] : part.queries) {
    const DistinctQuery& query = query_counts_.distinct[i];
    const QCells::Nodes at = chebyshev::polynomials(part.within(s));
    const double p = answered_[i];
    const double expected = static_cast<double>(query.count) * p;
    chebyshev::add(expected, at, moments.expected);
    chebyshev::add(expected * (1.0 - p), at, moments.spread);
    if (query.answered > 0) {
      chebyshev::add(static_cast<double>(query.answered), at, moments.answered);
    }
  }
  return {chebyshev::weights(moments.expected), chebyshev::weights(moments.answered),
          chebyshev::weights(moments.spread)};
}

QCells::Nodes CostInputs::answer_weights(const QuerySets::Part& part) const {
  QCells::Nodes moments{};
  for (const auto& [i, s] : part.queries) {
    chebyshev::add(static_cast<double>(query_counts_.distinct[i].count),
                   chebyshev::polynomials(part.within(s)), moments);
  }
  return chebyshev::weights(moments);
}

BothDirections CostInputs::log_excess(const GaussianTradeoffTable& table,
                                      const GaussianTradeoffTable::AtOrder& at,
                                      std::size_t query) const {
  if (query_counts_.distinct[query].log_q == -kInfinity) return {-kInfinity, -kInfinity};
  return table.log_excess(at, position(query));
}

QCells::Position CostInputs::position(std::size_t query) const {
  if (!positions_.empty()) return positions_[query];
  const double log_q = query_counts_.distinct[query].log_q;
  return !aggregator_.is_gaussian() || log_q == -kInfinity ? no_cell(log_q) : cells_.locate(log_q);
}

}  // namespace pate
