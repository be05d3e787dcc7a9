#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/query_sets.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/mechanisms/answer_table.hpp"

namespace pate {

/// What the cost of a run's queries depends on beside bound and order, prepared once: the ladder of
/// answers, the cells of q, the distinct selection statistics.
class CostInputs {
 public:
  /// The query counts must outlive this. `threads` (0: all processors) changes no bit.
  CostInputs(const QueryCounts& query_counts, const Mechanism& aggregator,
             const Neighbours& neighbours, unsigned threads);

  [[nodiscard]] const QueryCounts& query_counts() const { return query_counts_; }
  [[nodiscard]] const Mechanism& aggregator() const { return aggregator_; }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  /// The noisy maximum as its costs see it; throws `parameter_error` of PTR.
  [[nodiscard]] NoisyStep step() const { return aggregator_.noisy().step(neighbours_); }
  [[nodiscard]] const std::optional<AnswerTable>& ladder() const { return ladder_; }
  /// The statistics that occur, on the ladder.
  [[nodiscard]] const std::optional<StatisticPlaces>& places() const { return places_; }
  [[nodiscard]] const QCells& cells() const { return cells_; }
  /// Where a distinct query's log q lies among the cells; in none unless it is finite and the noise
  /// Gaussian.
  [[nodiscard]] QCells::Position position(std::size_t query) const;
  /// The log excess of its noisy maximum from a table over these cells, also for log q = -inf.
  [[nodiscard]] BothDirections log_excess(const GaussianTradeoffTable& table,
                                          const GaussianTradeoffTable::AtOrder& at,
                                          std::size_t query) const;
  /// Pr[answered] of a distinct query.
  [[nodiscard]] double answered(std::size_t query) const { return answered_[query]; }

  /// Queries on the nodes of narrow cells, for what costs by q alone; none but of Gaussian noise.
  /// How the nodes weigh in sums over a set:
  struct QWeights {
    QCells::Nodes expected{};  ///< of queries, each times Pr[answered]
    QCells::Nodes answered{};  ///< of those that were answered (with decisions)
    QCells::Nodes spread{};    ///< of queries, each times Pr[answered] Pr[refused]
  };
  [[nodiscard]] const QuerySets& by_q() const { return by_q_; }
  [[nodiscard]] std::span<const QWeights> q_weights() const { return q_weights_; }
  [[nodiscard]] QWeights q_weights(const QuerySets::Part& part) const;
  [[nodiscard]] const QCells& narrow_cells() const { return narrow_; }
  /// A node of a narrow cell among the wide ones.
  [[nodiscard]] const QCells::Position& node(std::size_t narrow_cell, std::size_t k) const {
    return nodes_[narrow_cell * QCells::kNodes + k];
  }
  /// Queries of one statistic on the nodes of `cells`, for what costs by statistic and q, and how
  /// the nodes weigh in sums over the queries of a set; none without a selection.
  [[nodiscard]] const QuerySets& by_answer() const { return by_answer_; }
  [[nodiscard]] std::span<const QCells::Nodes> answer_weights() const { return answer_weights_; }
  [[nodiscard]] QCells::Nodes answer_weights(const QuerySets::Part& part) const;

  /// A selection statistic that occurs and how many queries have it.
  struct Statistic {
    std::int64_t value;
    double queries;
  };
  [[nodiscard]] std::span<const Statistic> statistics() const { return statistics_; }
  /// Position in `statistics` of a distinct query's.
  [[nodiscard]] std::size_t statistic_of(std::size_t query) const { return statistic_of_[query]; }

 private:
  const QueryCounts& query_counts_;
  Mechanism aggregator_;
  Neighbours neighbours_;
  std::optional<AnswerTable> ladder_;
  std::optional<StatisticPlaces> places_;
  QCells cells_;
  std::vector<QCells::Position> positions_;  // empty where there are too many to keep
  std::vector<double> answered_;
  std::vector<Statistic> statistics_;
  std::vector<std::size_t> statistic_of_;
  QCells narrow_;
  std::vector<QCells::Position> nodes_;
  QuerySets by_q_, by_answer_;
  std::vector<QWeights> q_weights_;
  std::vector<QCells::Nodes> answer_weights_;
};

}  // namespace pate
