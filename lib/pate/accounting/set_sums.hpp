#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/bound_at_orders.hpp"
#include "pate/accounting/cost_inputs.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/query_sets.hpp"
#include "pate/numerics/chebyshev.hpp"

namespace pate {

/// Sums over one piece of the distinct queries, by order.
struct CostPiece {
  std::vector<RunCost> sums;          ///< but for the checks
  std::vector<double> by_checkpoint;  ///< by checkpoint, then order; empty without a trajectory
};

/// Cost of the threshold check by order and distinct statistic; empty without a selection.
using SelectionCosts = std::vector<std::vector<double>>;

/// What the sums over pieces of a run share.
struct Summation {
  const CostInputs& inputs;
  const BoundAtOrders& bound;
  const SelectionCosts& selection;
  std::vector<std::size_t> all;          ///< positions of the orders
  std::optional<GuaranteeKind> reading;  ///< of the trajectory, if it is wanted

  [[nodiscard]] CostPiece empty_piece(bool in_trajectory) const;
  [[nodiscard]] bool joint_in_trajectory() const {
    return reading == GuaranteeKind::joint && inputs.ladder();
  }
};

/// The costs of the two queries at the ends of a part of a set, by order.
class PartEnds {
 public:
  /// cost(query, costs) fills in the costs of a query.
  template <class Cost>
  PartEnds(const QuerySets::Part& part, std::size_t orders, const Cost& cost) {
    const std::array queries{part.smallest_q, part.largest_q};
    for (const std::size_t i : {0U, 1U}) {
      weights_[i] = chebyshev::weights_at(part.within(queries[i].s));
      costs_[i].resize(orders);
      cost(queries[i].query, costs_[i]);
    }
  }

  /// Whether values at the nodes determine what the function of q at an order is for all queries of
  /// the part: the interpolant has converged, and beyond the last nodes, where they see nothing, it
  /// fits to 1e-10, relative.
  [[nodiscard]] bool determined_by(const QCells::Nodes& values, std::size_t order) const;

 private:
  std::array<QCells::Nodes, 2> weights_{};
  std::array<std::vector<double>, 2> costs_;
};

/// With fewer queries, the nodes of two halves are more work.
inline constexpr std::size_t kFewQueries = 4 * QCells::kNodes;
/// No part of a cell is halved further.
inline constexpr double kMinPart = 0x1p-8;

/// Adds the queries of a set at orders at which its nodes do not determine their sums: by the nodes
/// of its halves, and of halves of these, or at last one by one. Sums::add_part adds a part by its
/// nodes and returns the orders where that cannot be; Sums::add_query_of_set adds a single query.
template <class Sums>
void add_halves(Sums& sums, const QuerySets::Part& whole, std::vector<std::size_t> undetermined) {
  struct Open {
    QuerySets::Part part;
    std::vector<QuerySets::QueryInCell> queries;  // of the part
    std::vector<std::size_t> at;
  };
  std::vector<Open> open;
  const auto keep = [&open](const QuerySets::Part& part, std::vector<std::size_t> at) {
    if (at.empty()) return;
    Open added{part, {part.queries.begin(), part.queries.end()}, std::move(at)};
    added.part.queries = added.queries;
    open.push_back(std::move(added));
  };
  keep(whole, std::move(undetermined));
  while (!open.empty()) {
    const Open next = std::move(open.back());
    open.pop_back();
    std::vector<QuerySets::QueryInCell> queries;
    for (const QuerySets::Part& half : QuerySets::halves(next.part, queries)) {
      if (half.queries.size() > kFewQueries && half.half > kMinPart) {
        keep(half, sums.add_part(half, next.at));
        continue;
      }
      for (const QuerySets::QueryInCell& placed : half.queries) {
        sums.add_query_of_set(placed.query, next.at);
      }
    }
  }
}

}  // namespace pate
