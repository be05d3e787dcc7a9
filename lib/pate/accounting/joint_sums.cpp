#include "pate/accounting/joint_sums.hpp"

#include "pate/numerics/chebyshev.hpp"

namespace pate {

JointSums::JointSums(const Summation& run)
    : run_(run),
      trajectory_(run.joint_in_trajectory()),
      piece_(run.empty_piece(trajectory_)),
      costs_(run.all.size()) {}

void JointSums::add_loose(std::span<const std::uint32_t> queries) {
  for (const std::uint32_t i : queries) add_query(i, run_.all);
}

void JointSums::add_set(const QuerySets::Set& set, const QCells::Nodes& weights) {
  const std::int64_t statistic = statistic_of(set.smallest_q);
  std::vector<QCells::Nodes> at_nodes(run_.all.size());
  for (const std::size_t j : run_.all) {
    at_nodes[j] = run_.bound.joint_at_nodes(j, statistic, set.cell);
  }
  const QuerySets::Part whole = run_.inputs.by_answer().whole(set);
  add_halves(*this, whole, add_by_nodes(whole, weights, run_.all, at_nodes));
}

std::vector<std::size_t> JointSums::add_part(const QuerySets::Part& part,
                                             std::span<const std::size_t> at) {
  const QCells& cells = run_.inputs.cells();
  std::vector<QCells::Nodes> at_nodes(run_.all.size());
  for (std::size_t k = 0; k < QCells::kNodes; ++k) {
    const double s = part.in_cell(chebyshev::points()[k]);
    const QCells::Position node{cells.log_q({part.cell, s}), part.cell, chebyshev::weights_at(s)};
    run_.bound.joint(statistic_of(part.smallest_q), node, at, costs_);
    for (const std::size_t j : at) at_nodes[j][k] = costs_[j];
  }
  return add_by_nodes(part, run_.inputs.answer_weights(part), at, at_nodes);
}

std::int64_t JointSums::statistic_of(const QuerySets::QueryInCell& placed) const {
  return run_.inputs.query_counts().distinct[placed.query].statistic;
}

void JointSums::cost(std::size_t i, std::span<const std::size_t> at,
                     std::span<double> costs) const {
  run_.bound.joint(run_.inputs.query_counts().distinct[i].statistic, run_.inputs.position(i), at,
                   costs);
}

std::vector<std::size_t> JointSums::add_by_nodes(const QuerySets::Part& part,
                                                 const QCells::Nodes& weights,
                                                 std::span<const std::size_t> at,
                                                 std::span<const QCells::Nodes> at_nodes) {
  const PartEnds ends(part, run_.all.size(),
                      [&](std::size_t query, std::span<double> costs) { cost(query, at, costs); });
  if (trajectory_) weigh_checkpoints(part);
  std::vector<std::size_t> undetermined;
  for (const std::size_t j : at) {
    if (!ends.determined_by(at_nodes[j], j)) {
      undetermined.push_back(j);
      continue;
    }
    piece_.sums[j].joint += chebyshev::dot(weights, at_nodes[j]);
    for (std::size_t k = 0; trajectory_ && k < by_checkpoint_.size(); ++k) {
      piece_.by_checkpoint[k * run_.all.size() + j] +=
          chebyshev::dot(by_checkpoint_[k], at_nodes[j]);
    }
  }
  return undetermined;
}

void JointSums::add_query(std::size_t i, std::span<const std::size_t> at) {
  const QueryCounts& query_counts = run_.inputs.query_counts();
  cost(i, at, costs_);
  const auto count = static_cast<double>(query_counts.distinct[i].count);
  for (const std::size_t j : at) piece_.sums[j].joint += count * costs_[j];
  if (!trajectory_) return;
  for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
    double* const sums = &piece_.by_checkpoint[occurrence.checkpoint * run_.all.size()];
    for (const std::size_t j : at) sums[j] += occurrence.count * costs_[j];
  }
}

void JointSums::weigh_checkpoints(const QuerySets::Part& part) {
  const QueryCounts& query_counts = run_.inputs.query_counts();
  by_checkpoint_.assign(query_counts.checkpoints.size(), {});
  for (const auto& [i, s] : part.queries) {
    const QCells::Nodes at = chebyshev::polynomials(part.within(s));
    for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
      chebyshev::add(occurrence.count, at, by_checkpoint_[occurrence.checkpoint]);
    }
  }
  for (QCells::Nodes& moments : by_checkpoint_) moments = chebyshev::weights(moments);
}

}  // namespace pate
