#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/set_sums.hpp"

namespace pate {

/// The noisy maxima of a piece of a run's queries: costs by q alone. Sums over a set of queries
/// with nearby q are sums over the nodes of its narrow cell (`CostInputs::by_q`).
class NoisyMaxSums {
 public:
  /// `run` must outlive this.
  explicit NoisyMaxSums(const Summation& run);

  /// Queries of no set, with what the trajectory charges for their checks.
  void add_loose(std::span<const std::uint32_t> queries);
  /// A set and its weights, but for what the trajectory charges for the check of its queries.
  void add_set(const QuerySets::Set& set, const CostInputs::QWeights& weights);

  /// Returns the orders at which the part's nodes do not determine its sums; nothing is added
  /// there.
  [[nodiscard]] std::vector<std::size_t> add_part(const QuerySets::Part& part,
                                                  std::span<const std::size_t> at);
  void add_query_of_set(std::size_t i, std::span<const std::size_t> at) { add_query(i, at, false); }

  [[nodiscard]] CostPiece take() { return std::move(piece_); }

 private:
  template <class Node>
  std::vector<std::size_t> add_by_nodes(const QuerySets::Part& part,
                                        const CostInputs::QWeights& weights,
                                        std::span<const std::size_t> at, const Node& node);
  void add_query(std::size_t i, std::span<const std::size_t> at, bool with_check);
  void add_to_checkpoints(std::size_t i, std::span<const std::size_t> at, bool with_check);
  // What the reading charges for, between the checkpoints.
  void weigh_checkpoints(const QuerySets::Part& part);

  const Summation& run_;
  bool trajectory_;
  CostPiece piece_;
  std::vector<double> costs_, charge_;
  std::vector<QCells::Nodes> by_checkpoint_;
};

}  // namespace pate
