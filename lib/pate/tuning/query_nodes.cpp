#include "pate/tuning/query_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/numerics/chebyshev.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

constexpr std::size_t kNodes = QCells::kNodes;
// How much larger the error of an interpolant with a kink may be than its last two coefficients.
constexpr double kKink = 10.0;

QueryNodes::AtOrder::Input input_of(const BothDirections& log_excess) {
  return {log_excess, {std::exp(log_excess.forward), std::exp(log_excess.reverse)}};
}

}  // namespace

QueryNodes::QueryNodes(const QueryCounts& query_counts, const NoisyMax& noisy_max,
                       const Neighbours& neighbours)
    : query_counts_(query_counts),
      inputs_(query_counts, Aggregator{{}, noisy_max}, neighbours, 1),
      table_(inputs_.cells(), inputs_.step().gaussian_per_move().mu()),
      tables_(inputs_.cells(), inputs_.step().gaussian_per_move().mu()) {
  const auto& distinct = query_counts.distinct;
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    const QCells::Position position = distinct[i].log_q == -kInfinity
                                          ? QCells::Position{-kInfinity, QCells::kNoCell, {}}
                                          : inputs_.position(i);
    // The queries of a statistic come by increasing q, and so by cell.
    if (groups_.empty() || groups_.back().v != distinct[i].statistic ||
        groups_.back().cell != position.cell) {
      groups_.push_back({distinct[i].statistic, i, i, position.cell, 0.0, {}});
    }
    Group& group = groups_.back();
    group.end = i + 1;
    const auto count = static_cast<double>(distinct[i].count);
    group.queries += count;
    for (std::size_t k = 0; k < kNodes; ++k) group.weights[k] += count * position.weights[k];
  }
  for (Group& group : groups_) {
    if (group.end - group.begin <= kNodes) group.cell = QCells::kNoCell;
  }
}

QueryNodes::AtOrder QueryNodes::at(double order) const {
  AtOrder at;
  at.order = order;
  at.noisy_max_cap = data_independent_cost(inputs_.step(), order);
  at.table = tables_.at(order);
  const QCells& cells = inputs_.cells();
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const QCells::Nodes log_q = cells.nodes(cell);
    for (std::size_t k = 0; k < kNodes; ++k) {
      at.inputs.push_back(
          input_of({std::min(log_q[k] + at.table.forward[cell][k], at.table.log_cap),
                    std::min(log_q[k] + at.table.reverse[cell][k], at.table.log_cap)}));
    }
  }
  for (const Group& group : groups_) {
    const bool on_nodes = group.cell != QCells::kNoCell && at.table.converged[group.cell] != 0;
    at.on_nodes.push_back(on_nodes ? 1 : 0);
    at.first.push_back(on_nodes ? group.cell * kNodes : at.inputs.size());
    if (on_nodes) continue;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      at.inputs.push_back(input_of(inputs_.log_excess(table_, at.table, i)));
    }
  }
  return at;
}

const QueryNodes::AtOrder& QueryNodes::kept(double order) const {
  Kept* kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = kept_[order];
    if (!slot) slot = std::make_unique<Kept>();
    kept = slot.get();
  }
  std::call_once(kept->made, [&] { kept->at = at(order); });
  return kept->at;
}

template <class InputOf>
double QueryNodes::sum_of_queries(const JointCost& joint, const Group& group,
                                  const InputOf& input_of) const {
  double sum = 0.0;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const AtOrder::Input in = input_of(i);
    sum += static_cast<double>(query_counts_.distinct[i].count) *
           joint.cost(group.v, in.log_excess, in.excess);
  }
  return sum;
}

double QueryNodes::rdp(const AnswerTable& ladder, const AtOrder& at, double accuracy) const {
  std::vector<std::int64_t> statistics;
  for (const Group& group : groups_) {
    if (statistics.empty() || statistics.back() != group.v) statistics.push_back(group.v);
  }
  const StatisticPlaces places(ladder, std::move(statistics));
  const JointCost joint(ladder, at.order, at.noisy_max_cap, &places);
  std::vector<double> sums(groups_.size());
  struct UnconvergedGroup {
    double error;
    std::size_t group;
  };
  std::vector<UnconvergedGroup> doubts;
  double total = 0.0;
  double error = 0.0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const AtOrder::Input* inputs = &at.inputs[at.first[g]];
    double sum = 0.0;
    if (at.on_nodes[g] != 0) {
      QCells::Nodes values;
      for (std::size_t k = 0; k < kNodes; ++k) {
        values[k] = joint.cost(group.v, inputs[k].log_excess, inputs[k].excess);
        sum += group.weights[k] * values[k];
      }
      const double tail = kKink * group.queries * chebyshev::tail(values);
      error += tail;
      doubts.push_back({tail, g});
    } else {
      sum = sum_of_queries(joint, group, [&](std::size_t i) { return inputs[i - group.begin]; });
    }
    sums[g] = sum;
    total += sum;
  }
  if (error > accuracy * total) {
    // The most doubtful first, until what is left cannot matter.
    std::sort(doubts.begin(), doubts.end(),
              [](const UnconvergedGroup& a, const UnconvergedGroup& b) {
                return std::tuple(-a.error, a.group) < std::tuple(-b.error, b.group);
              });
    double left = 0.0;
    std::size_t keep = doubts.size();
    while (keep > 0 && left + doubts[keep - 1].error <= accuracy * total) {
      left += doubts[--keep].error;
    }
    for (std::size_t k = 0; k < keep; ++k) {
      const std::size_t g = doubts[k].group;
      sums[g] = sum_of_queries(joint, groups_[g], [&](std::size_t i) {
        return input_of(inputs_.log_excess(table_, at.table, i));
      });
    }
  }
  CompensatedSum result;
  for (const double sum : sums) result.add(sum);
  return result.value();
}

}  // namespace pate
