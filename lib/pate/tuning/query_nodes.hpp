#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "pate/accounting/cost_inputs.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/tuning/table_between_orders.hpp"

namespace pate {

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
  /// noisy_max: with Gaussian noise; the query counts are those of a run with a
  /// selection, whose parameters do not matter, and must outlive this.
  QueryNodes(const QueryCounts& query_counts, const NoisyMax& noisy_max,
             const Neighbours& neighbours);
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

  [[nodiscard]] const QueryCounts& query_counts() const { return query_counts_; }
  [[nodiscard]] const Neighbours& neighbours() const { return inputs_.neighbours(); }

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

}  // namespace pate
