#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
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
  CostInputs(const QueryCounts& query_counts, const Mechanism& aggregator, unsigned threads);

  [[nodiscard]] const QueryCounts& query_counts() const { return query_counts_; }
  [[nodiscard]] const Mechanism& aggregator() const { return aggregator_; }
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

/// The costs of one query, by order.
struct QueryCosts {
  std::vector<double> noisy_max;
  std::vector<double> joint;  ///< the trade-off bound's, the query as one mechanism; else empty
};

/// Costs of all distinct queries under one data-dependent bound at given orders.
class BoundAtOrders {
 public:
  virtual ~BoundAtOrders() = default;
  /// Writes the costs of a distinct query to `costs`, which may hold those of another.
  virtual void query(std::size_t query, QueryCosts& costs) const = 0;

  /// What a noisy maximum costs at some of the orders (increasing positions); q by its position
  /// among the wide cells. The others' costs keep what they are.
  virtual void noisy_max(const QCells::Position& q, std::span<const std::size_t> at,
                         std::span<double> costs) const = 0;
  /// The same of a query as one mechanism, by its statistic and q, where that is more: trade-off
  /// bound, with a selection.
  virtual void joint(std::int64_t statistic, const QCells::Position& q,
                     std::span<const std::size_t> at, std::span<double> costs) const;
  /// And with q at the nodes of a wide cell.
  [[nodiscard]] virtual QCells::Nodes joint_at_nodes(std::size_t order, std::int64_t statistic,
                                                     std::size_t cell) const;
  /// Cost of the threshold check at a selection statistic (a value, not a position).
  [[nodiscard]] virtual double selection(std::size_t order, std::int64_t statistic) const = 0;

 protected:
  BoundAtOrders() = default;
  BoundAtOrders(const BoundAtOrders&) = default;
  BoundAtOrders& operator=(const BoundAtOrders&) = default;
};

/// bound: published or tradeoff; orders: increasing. `inputs` must outlive the result.
[[nodiscard]] std::unique_ptr<BoundAtOrders> bound_at_orders(Bound bound, const CostInputs& inputs,
                                                             std::span<const double> orders,
                                                             unsigned threads);

/// What the threshold check costs at a selection statistic under the published bound; one with
/// Laplace noise as for any votes.
[[nodiscard]] double published_selection_cost(const AnswerTable& ladder, std::int64_t statistic,
                                              double order);

/// RDP of a run at one order under one data-dependent bound, by step and reading.
struct RunCost {
  double order = 0.0;
  double selection = 0.0;           ///< threshold checks of all queries
  double noisy_max_expected = 0.0;  ///< noisy maxima weighted with Pr[answered]
  double noisy_max_realized = 0.0;  ///< noisy maxima of the answered queries (with decisions)
  double joint = 0.0;               ///< tradeoff only
  double spent_variance = 0.0;      ///< of the spent budget over the selection noise

  /// RDP under a reading; worst_case is not data-dependent and has none.
  [[nodiscard]] double rdp(GuaranteeKind reading) const;
};

/// RDP under a reading after each checkpoint of the query counts.
struct CheckpointCosts {
  GuaranteeKind reading = GuaranteeKind::joint;
  std::vector<std::vector<double>> rdp = {};  ///< by order, then checkpoint
};

/// The costs of the run at increasing orders under `bound` (published or tradeoff); fills in
/// `checkpoints->rdp` too unless it is null.
///
/// What a noisy maximum costs depends on q alone, and on the statistic too what the query costs as
/// one mechanism: smooth functions at one order. Sums over the queries of a cell are sums over the
/// cell's nodes where the interpolant has converged and fits at both ends of the queries; else the
/// cell is halved, and where few queries are left, the sum runs over them. So the work at an order
/// does not grow with the number of distinct queries.
///
/// Queries, and pieces of them, come in an order that the query counts alone determine: neither the
/// number of threads nor the order of the queries nor their shards change a bit. Relative accuracy
/// of a sum: that of the costs and 1e-10, which the margin of costs covers.
[[nodiscard]] std::vector<RunCost> run_costs(const CostInputs& inputs, Bound bound,
                                             std::span<const double> orders, unsigned threads,
                                             CheckpointCosts* checkpoints = nullptr);

}  // namespace pate
