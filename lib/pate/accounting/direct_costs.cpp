#include "pate/accounting/direct_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "pate/accounting/bound_at_orders.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/bounds/tradeoff_excesses.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Queries that are added up by one thread, in order.
constexpr std::size_t kDirectPiece = 512;

constexpr std::array kSums{&RunCost::noisy_max_expected, &RunCost::noisy_max_realized,
                           &RunCost::joint, &RunCost::spent_variance};

}  // namespace

// What the queries cost at one order.
struct DirectCosts::Terms {
  std::vector<double> noisy_max;           // by q
  std::vector<BothDirections> log_excess;  // by q; of the trade-off bound
  std::optional<JointCost> joint;          // of the trade-off bound with a selection
};

DirectCosts::DirectCosts(const CostInputs& inputs, unsigned threads)
    : inputs_(inputs), threads_(threads) {
  if (!inputs.aggregator().is_gaussian()) return;
  const std::vector<DistinctQuery>& distinct = inputs.query_counts().distinct;
  std::vector<std::uint32_t> by_q(distinct.size());
  std::iota(by_q.begin(), by_q.end(), 0U);
  std::ranges::sort(by_q, {}, [&](std::uint32_t i) { return std::pair(distinct[i].log_q, i); });
  q_of_.resize(distinct.size());
  for (const std::uint32_t i : by_q) {
    if (log_q_.empty() || log_q_.back() != distinct[i].log_q) log_q_.push_back(distinct[i].log_q);
    q_of_[i] = static_cast<std::uint32_t>(log_q_.size() - 1);
    weights_.resize(log_q_.size(), 0.0);
    weights_.back() += std::max(static_cast<double>(distinct[i].count) * inputs.answered(i),
                                static_cast<double>(distinct[i].answered));
  }
}

DirectCosts::Terms DirectCosts::terms(Bound bound, double order) const {
  Terms result;
  const GaussianNoisyMax noise = inputs_.aggregator().noisy().noisy_max.gaussian_per_move();
  const double cap = data_independent_cost(noise, order);
  result.noisy_max.resize(log_q_.size(), 0.0);
  if (bound == Bound::published) {
    const std::size_t pieces = (log_q_.size() + kDirectPiece - 1) / kDirectPiece;
    parallel_for(pieces, threads_, [&](std::size_t k) {
      for (std::size_t i = k * kDirectPiece; i < std::min((k + 1) * kDirectPiece, log_q_.size());
           ++i) {
        if (log_q_[i] == -kInfinity) continue;
        result.noisy_max[i] = GaussianPublishedBound(log_q_[i], noise.sigma).cost(order, cap);
      }
    });
    return result;
  }
  result.log_excess = tradeoff_log_excesses(log_q_, weights_, noise.mu(), order, threads_);
  for (std::size_t i = 0; i < log_q_.size(); ++i) {
    if (log_q_[i] == -kInfinity) continue;
    result.noisy_max[i] = cost_of_log_excess(result.log_excess[i].larger(), order, cap);
  }
  if (inputs_.ladder()) {
    result.joint.emplace(*inputs_.ladder(), order,
                         data_independent_cost(inputs_.aggregator(), order).noisy_max,
                         &*inputs_.places());
  }
  return result;
}

double DirectCosts::check_cost(const Terms& terms, std::int64_t statistic, double order) const {
  return terms.joint ? terms.joint->selection_cost(statistic)
                     : published_selection_cost(*inputs_.ladder(), statistic, order);
}

RunCost DirectCosts::at(Bound bound, double order) const {
  // Costs of other noise are not interpolated.
  if (!inputs_.aggregator().is_gaussian()) {
    return run_costs(inputs_, bound, std::span(&order, 1), threads_).front();
  }
  if (bound != Bound::published && bound != Bound::tradeoff) {
    throw parameter_error("only the published and the trade-off bound depend on queries through q");
  }
  const Terms terms = this->terms(bound, order);
  const std::vector<DistinctQuery>& distinct = inputs_.query_counts().distinct;
  std::vector<RunCost> pieces((distinct.size() + kDirectPiece - 1) / kDirectPiece);
  parallel_for(pieces.size(), threads_, [&](std::size_t k) {
    RunCost& sum = pieces[k];
    for (std::size_t i = k * kDirectPiece; i < std::min((k + 1) * kDirectPiece, distinct.size());
         ++i) {
      const DistinctQuery& query = distinct[i];
      const double noisy_max = terms.noisy_max[q_of_[i]];
      const auto count = static_cast<double>(query.count);
      const double p = inputs_.answered(i);
      sum.noisy_max_expected += count * p * noisy_max;
      if (query.answered > 0) {
        sum.noisy_max_realized += static_cast<double>(query.answered) * noisy_max;
      }
      sum.spent_variance += count * p * (1.0 - p) * noisy_max * noisy_max;
      if (terms.joint) {
        sum.joint += count * terms.joint->cost(query.statistic, terms.log_excess[q_of_[i]]);
      }
    }
  });

  RunCost result{order};
  for (const auto part : kSums) {
    CompensatedSum sum;
    for (const RunCost& piece : pieces) sum.add(piece.*part);
    result.*part = sum.value();
  }
  if (!inputs_.ladder()) {
    // Without a selection a query is its noisy maximum.
    if (bound == Bound::tradeoff) result.joint = result.noisy_max_expected;
    return result;
  }
  CompensatedSum checks;
  for (const CostInputs::Statistic& statistic : inputs_.statistics()) {
    checks.add(statistic.queries * check_cost(terms, statistic.value, order));
  }
  result.selection = checks.value();
  return result;
}

std::vector<double> DirectCosts::at_checkpoints(Bound bound, GuaranteeKind reading,
                                                double order) const {
  if (!inputs_.aggregator().is_gaussian()) {
    CheckpointCosts checkpoints{reading};
    (void)run_costs(inputs_, bound, std::span(&order, 1), threads_, &checkpoints);
    return checkpoints.rdp.front();
  }
  const QueryCounts& query_counts = inputs_.query_counts();
  const Terms terms = this->terms(bound, order);
  const bool is_joint = reading == GuaranteeKind::joint && terms.joint;
  std::vector<double> checks(inputs_.statistics().size(), 0.0);
  for (std::size_t k = 0; inputs_.ladder() && !is_joint && k < checks.size(); ++k) {
    checks[k] = check_cost(terms, inputs_.statistics()[k].value, order);
  }
  std::vector<double> rdp(query_counts.checkpoints.size(), 0.0);
  for (std::size_t i = 0; i < query_counts.distinct.size(); ++i) {
    const double noisy_max = terms.noisy_max[q_of_[i]];
    double asked = checks[inputs_.statistic_of(i)];
    double answered = 0.0;
    if (is_joint) {
      asked = terms.joint->cost(query_counts.distinct[i].statistic, terms.log_excess[q_of_[i]]);
    } else if (reading == GuaranteeKind::realized) {
      answered = noisy_max;
    } else {
      asked += inputs_.answered(i) * noisy_max;
    }
    for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
      rdp[occurrence.checkpoint] += occurrence.count * asked + occurrence.answered * answered;
    }
  }
  std::partial_sum(rdp.begin(), rdp.end(), rdp.begin());
  return rdp;
}

double DirectCosts::joint(const AnswerTable& ladder, double order) const {
  const std::vector<DistinctQuery>& distinct = inputs_.query_counts().distinct;
  std::vector<std::int64_t> statistics;
  for (const CostInputs::Statistic& its : inputs_.statistics()) statistics.push_back(its.value);
  const StatisticPlaces places(ladder, std::move(statistics));
  const GaussianNoisyMax noise = inputs_.aggregator().noisy().noisy_max.gaussian_per_move();
  const JointCost joint(ladder, order, data_independent_cost(noise, order), &places);
  std::vector<double> weights(log_q_.size(), 0.0);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    weights[q_of_[i]] += static_cast<double>(distinct[i].count) *
                         std::exp(ladder.log_answered(distinct[i].statistic));
  }
  const std::vector<BothDirections> log_excess =
      tradeoff_log_excesses(log_q_, weights, noise.mu(), order, threads_);
  CompensatedSum sum;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    sum.add(static_cast<double>(distinct[i].count) *
            joint.cost(distinct[i].statistic, log_excess[q_of_[i]]));
  }
  return sum.value();
}

std::vector<RunCost> DirectCosts::at(Bound bound, std::span<const double> orders) const {
  std::vector<RunCost> result;
  for (const double order : orders) result.push_back(at(bound, order));
  return result;
}

}  // namespace pate
