#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/set_sums.hpp"

namespace pate {

/// The queries of a piece of a run as one mechanism each, of the trade-off bound with a selection:
/// costs by statistic and q. Sums over a set of queries of one statistic with nearby q are sums
/// over the nodes of its cell (`CostInputs::by_answer`).
class JointSums {
 public:
  /// `run` must outlive this.
  explicit JointSums(const Summation& run);

  /// Queries of no set.
  void add_loose(std::span<const std::uint32_t> queries);
  void add_set(const QuerySets::Set& set, const QCells::Nodes& weights);

  /// Returns the orders at which the part's nodes do not determine its sums; nothing is added
  /// there.
  [[nodiscard]] std::vector<std::size_t> add_part(const QuerySets::Part& part,
                                                  std::span<const std::size_t> at);
  void add_query_of_set(std::size_t i, std::span<const std::size_t> at) { add_query(i, at); }

  [[nodiscard]] CostPiece take() { return std::move(piece_); }

 private:
  [[nodiscard]] std::int64_t statistic_of(const QuerySets::QueryInCell& placed) const;
  void cost(std::size_t i, std::span<const std::size_t> at, std::span<double> costs) const;
  std::vector<std::size_t> add_by_nodes(const QuerySets::Part& part, const QCells::Nodes& weights,
                                        std::span<const std::size_t> at,
                                        std::span<const QCells::Nodes> at_nodes);
  void add_query(std::size_t i, std::span<const std::size_t> at);
  void weigh_checkpoints(const QuerySets::Part& part);

  const Summation& run_;
  bool trajectory_;
  CostPiece piece_;
  std::vector<double> costs_;
  std::vector<QCells::Nodes> by_checkpoint_;
};

}  // namespace pate
