#pragma once

#include <span>
#include <vector>

#include "pate/accounting/cost_inputs.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/run_curve.hpp"

namespace pate {

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
