#pragma once

#include <span>
#include <vector>

#include "pate/accounting/cost_inputs.hpp"
#include "pate/accounting/names.hpp"

namespace pate {

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
