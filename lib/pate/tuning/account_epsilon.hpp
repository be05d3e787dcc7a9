#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/tuning/tuning_grid.hpp"
#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// A table of the trade-off bound at any order, from Chebyshev nodes in log(order - 1) that are
/// computed once for all who ask nearby: log excesses within 5e-11 (relative where they are above
/// 1) of those computed at the order, which they are in cells where an interpolant has not
/// converged.
class TableBetweenOrders {
 public:
  /// The cells must outlive this. mu > 0 as for `GaussianTradeoffTable`.
  TableBetweenOrders(const QCells& cells, double mu) : cells_(cells), mu_(mu) {}

  /// Thread safe; the result depends on the order alone, not on what was asked before.
  [[nodiscard]] GaussianTradeoffTable::AtOrder at(double order) const;

 private:
  struct Piece {
    std::once_flag made;
    std::vector<GaussianTradeoffTable::AtOrder> nodes;  // by increasing order
    std::vector<std::size_t> other_cells;               // those that must be computed
    std::optional<QCells> other;                        // the same
  };
  void fill(long number, Piece& piece) const;
  [[nodiscard]] bool interpolates(const Piece& piece, std::size_t cell) const;

  const QCells& cells_;
  double mu_;
  mutable std::mutex mutex_;
  mutable std::map<long, std::unique_ptr<Piece>> pieces_;
};

/// The queries of a run put on the nodes of their cells of q (q_cells.hpp), for joint costs of very
/// many pairs of sigma1 and threshold with one sigma2.
///
/// With f the joint cost of a query as a function of q, at one selection statistic and in one cell,
///
///     sum of count_i f(q_i) = sum over the nodes of weight_k f(node_k),
///     weight_k = sum of count_i w_k(q_i), w_k the weights of the interpolation,
///
/// and the weights depend neither on the order nor on the check: an order costs as many operations
/// as there are statistics times cells that occur, however many queries there are. Where f is not
/// smooth (another neighbour or the other direction becomes the worst one within the cell) and that
/// matters, the sum is over the queries.
class QueryNodes {
 public:
  /// noisy_max: with Gaussian noise and no selection; the query counts are those of a run with a
  /// selection, whose parameters do not matter, and must outlive this.
  QueryNodes(const QueryCounts& query_counts, const Aggregator& noisy_max);
  QueryNodes(const QueryNodes&) = delete;
  QueryNodes& operator=(const QueryNodes&) = delete;
  ~QueryNodes() = default;

  /// What the noisy maximum costs at one order: on the nodes, and query by query elsewhere.
  struct AtOrder {
    double order = 0.0;
    double noisy_max_cap = 0.0;
    GaussianTradeoffTable::AtOrder table;
    struct Input {
      BothDirections log_excess, excess;
    };
    std::vector<Input> inputs;
    std::vector<std::size_t> first;  ///< by group: where its inputs begin
    std::vector<char> on_nodes;      ///< by group: whether they are nodes
  };
  [[nodiscard]] AtOrder at(double order) const;
  /// The same, kept for all who ask for this order. Thread safe.
  [[nodiscard]] const AtOrder& kept(double order) const;

  /// The joint RDP of the run with a check: `RunCost::joint` to `accuracy` and 1e-11, relative. The
  /// smaller it is, the more queries are looked at one by one. ladder: of the statistics of the
  /// query counts.
  [[nodiscard]] double rdp(const AnswerTable& ladder, const AtOrder& at, double accuracy) const;

  /// The same, summed query by query, for the order that a search ends with (`DirectCosts`).
  [[nodiscard]] double direct_rdp(const AnswerTable& ladder, double order) const {
    return direct_.joint(ladder, order);
  }

  [[nodiscard]] const QueryCounts& query_counts() const { return query_counts_; }

 private:
  // The distinct queries begin .. end - 1 of one statistic in one cell.
  struct Group {
    std::int64_t v;
    std::size_t begin, end;
    std::size_t cell;  // QCells::kNoCell: too few to be worth it
    double queries;
    QCells::Nodes weights;
  };
  template <class InputOf>
  [[nodiscard]] double sum_of_queries(const JointCost& joint, const Group& group,
                                      const InputOf& input_of) const;

  const QueryCounts& query_counts_;
  CostInputs inputs_;
  DirectCosts direct_;
  GaussianTradeoffTable table_;
  TableBetweenOrders tables_;
  std::vector<Group> groups_;
  struct Kept {
    std::once_flag made;
    AtOrder at;
  };
  mutable std::mutex mutex_;
  mutable std::map<double, std::unique_ptr<Kept>> kept_;
};

/// An epsilon and the order at which it is attained; order 0 where nothing is spent.
struct AccountEpsilon {
  double epsilon = 0.0;
  double order = 0.0;
};

/// The epsilon that `account` reports for this bound, reading and conversion: the same sums at the
/// same orders and the same search on the continuum, but from a few orders around the best instead
/// of all. Equal to 1e-7 where epsilon falls and then rises with the order, as it does.
///
/// hint: an order near the best, or 0. `threads` changes no bit.
[[nodiscard]] AccountEpsilon account_epsilon(const QueryCounts& query_counts,
                                             const Mechanism& aggregator, const EpsilonKind& kind,
                                             double hint, unsigned threads);

/// The same of rounds on the same teachers, whose RDP adds up at each order.
[[nodiscard]] AccountEpsilon account_epsilon(std::span<const QueryCounts> query_counts,
                                             std::span<const Mechanism> aggregators,
                                             const EpsilonKind& kind, double hint,
                                             unsigned threads);

/// The same for the joint reading of the tradeoff bound, for many selections with one noise of the
/// maximum, with sums over nodes instead of queries until its end. With a hint the search is on a
/// lattice of orders, whose sums are kept for all that ask, and ends at the vertex of the parabola
/// there: within 1e-8 of the search of an account, relative, which takes its place where epsilon at
/// the vertex is not what the parabola says (a kink) or there is none.
///
/// selection: the check of the aggregator; the noisy maximum is that of `nodes`.
[[nodiscard]] AccountEpsilon account_epsilon(const QueryNodes& nodes,
                                             const ThresholdCheck& selection,
                                             const EpsilonKind& kind, double hint);

/// A grid point whose epsilon is wanted as `account` gives it.
struct PointToRefine {
  std::size_t index;     ///< in the grid
  std::int64_t queries;  ///< asked
  double order;          ///< near the best
};

/// Their epsilons, the votes read once for each noise of the maximum and number of queries. Nothing
/// for those that were not reached when the watcher stops it.
[[nodiscard]] std::vector<std::optional<AccountEpsilon>> refine_points(
    const TuningTask& task, std::span<const PointToRefine> points);

}  // namespace pate
