#pragma once

#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/query_costs.hpp"

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
  [[nodiscard]] double rdp(Reading reading) const;
};

/// RDP under a reading after each checkpoint of the tally.
struct CheckpointCosts {
  Reading reading = Reading::joint;
  std::vector<std::vector<double>> rdp = {};  ///< by order, then checkpoint
};

/// The costs of the run at increasing orders under `bound` (published or tradeoff); fills in
/// `checkpoints->rdp` too unless it is null.
///
/// Every sum runs over the distinct queries in their canonical order, in pieces of fixed size:
/// neither the number of threads nor the order of the queries changes a bit. Relative accuracy of a
/// sum: that of the costs and 1e-12.
[[nodiscard]] std::vector<RunCost> run_costs(const CostInputs& inputs, Bound bound,
                                             std::span<const double> orders, unsigned threads,
                                             CheckpointCosts* checkpoints = nullptr);

}  // namespace pate
