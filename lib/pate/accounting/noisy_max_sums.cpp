#include "pate/accounting/noisy_max_sums.hpp"

#include <algorithm>

#include "pate/numerics/chebyshev.hpp"

namespace pate {

namespace {

QCells::Nodes squares(QCells::Nodes values) {
  for (double& value : values) value *= value;
  return values;
}

}  // namespace

NoisyMaxSums::NoisyMaxSums(const Summation& run)
    : run_(run),
      trajectory_(run.reading && !run.joint_in_trajectory()),
      piece_(run.empty_piece(trajectory_)),
      costs_(run.all.size()) {}

void NoisyMaxSums::add_loose(std::span<const std::uint32_t> queries) {
  for (const std::uint32_t i : queries) add_query(i, run_.all, !run_.selection.empty());
}

void NoisyMaxSums::add_set(const QuerySets::Set& set, const CostInputs::QWeights& weights) {
  const QuerySets::Part whole = run_.inputs.by_q().whole(set);
  add_halves(*this, whole, add_by_nodes(whole, weights, run_.all, [&](std::size_t k) {
    return run_.inputs.node(set.cell, k);
  }));
}

std::vector<std::size_t> NoisyMaxSums::add_part(const QuerySets::Part& part,
                                                std::span<const std::size_t> at) {
  return add_by_nodes(part, run_.inputs.q_weights(part), at, [&](std::size_t k) {
    const double s = part.in_cell(chebyshev::points()[k]);
    return run_.inputs.cells().locate(run_.inputs.narrow_cells().log_q({part.cell, s}));
  });
}

template <class Node>
std::vector<std::size_t> NoisyMaxSums::add_by_nodes(const QuerySets::Part& part,
                                                    const CostInputs::QWeights& weights,
                                                    std::span<const std::size_t> at,
                                                    const Node& node) {
  const PartEnds ends(part, run_.all.size(), [&](std::size_t query, std::span<double> costs) {
    run_.bound.noisy_max(run_.inputs.position(query), at, costs);
  });
  std::vector<QCells::Nodes> at_nodes(run_.all.size());
  for (std::size_t k = 0; k < QCells::kNodes; ++k) {
    run_.bound.noisy_max(node(k), at, costs_);
    for (const std::size_t j : at) at_nodes[j][k] = costs_[j];
  }
  if (trajectory_) weigh_checkpoints(part);
  std::vector<std::size_t> undetermined;
  for (const std::size_t j : at) {
    const QCells::Nodes squared = squares(at_nodes[j]);
    if (!ends.determined_by(at_nodes[j], j) ||
        !chebyshev::converged(squared, *std::ranges::min_element(squared))) {
      undetermined.push_back(j);
      continue;
    }
    RunCost& sum = piece_.sums[j];
    sum.noisy_max_expected += chebyshev::dot(weights.expected, at_nodes[j]);
    sum.noisy_max_realized += chebyshev::dot(weights.answered, at_nodes[j]);
    sum.spent_variance += chebyshev::dot(weights.spread, squared);
    for (std::size_t k = 0; trajectory_ && k < by_checkpoint_.size(); ++k) {
      piece_.by_checkpoint[k * run_.all.size() + j] +=
          chebyshev::dot(by_checkpoint_[k], at_nodes[j]);
    }
  }
  return undetermined;
}

void NoisyMaxSums::add_query(std::size_t i, std::span<const std::size_t> at, bool with_check) {
  const CostInputs& inputs = run_.inputs;
  run_.bound.noisy_max(inputs.position(i), at, costs_);
  const DistinctQuery& query = inputs.query_counts().distinct[i];
  const double p = inputs.answered(i);
  const auto count = static_cast<double>(query.count);
  const auto answered = static_cast<double>(query.answered);
  const double spread = count * p * (1.0 - p);
  for (const std::size_t j : at) {
    const double noisy_max = costs_[j];
    RunCost& sum = piece_.sums[j];
    sum.noisy_max_expected += count * p * noisy_max;
    if (answered > 0.0) sum.noisy_max_realized += answered * noisy_max;
    sum.spent_variance += spread * noisy_max * noisy_max;
  }
  if (trajectory_) add_to_checkpoints(i, at, with_check);
}

void NoisyMaxSums::add_to_checkpoints(std::size_t i, std::span<const std::size_t> at,
                                      bool with_check) {
  const CostInputs& inputs = run_.inputs;
  const bool realized = run_.reading == GuaranteeKind::realized;
  charge_.assign(run_.all.size(), 0.0);  // of every query, answered or not
  for (const std::size_t j : at) {
    if (with_check) charge_[j] = run_.selection[j][inputs.statistic_of(i)];
    if (!realized) charge_[j] += inputs.answered(i) * costs_[j];
  }
  for (const Occurrence& occurrence : inputs.query_counts().occurrences_of(i)) {
    double* const sums = &piece_.by_checkpoint[occurrence.checkpoint * run_.all.size()];
    for (const std::size_t j : at) sums[j] += occurrence.count * charge_[j];
    if (!realized) continue;
    for (const std::size_t j : at) sums[j] += occurrence.answered * costs_[j];
  }
}

void NoisyMaxSums::weigh_checkpoints(const QuerySets::Part& part) {
  const CostInputs& inputs = run_.inputs;
  by_checkpoint_.assign(inputs.query_counts().checkpoints.size(), {});
  for (const auto& [i, s] : part.queries) {
    const QCells::Nodes at = chebyshev::polynomials(part.within(s));
    for (const Occurrence& occurrence : inputs.query_counts().occurrences_of(i)) {
      const double times = run_.reading == GuaranteeKind::realized
                               ? occurrence.answered
                               : occurrence.count * inputs.answered(i);
      chebyshev::add(times, at, by_checkpoint_[occurrence.checkpoint]);
    }
  }
  for (QCells::Nodes& moments : by_checkpoint_) moments = chebyshev::weights(moments);
}

}  // namespace pate
