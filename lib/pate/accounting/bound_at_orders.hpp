#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "pate/accounting/cost_inputs.hpp"
#include "pate/accounting/names.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/mechanisms/answer_table.hpp"

namespace pate {

/// Costs of all distinct queries under one data-dependent bound at given orders.
class BoundAtOrders {
 public:
  virtual ~BoundAtOrders() = default;
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

}  // namespace pate
