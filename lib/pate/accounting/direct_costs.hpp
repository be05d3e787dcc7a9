#pragma once

#include "pate/accounting/cost_sums.hpp"

namespace pate {

/// How the costs of a run's queries are summed.
enum class QuerySum {
  interpolated,  ///< `run_costs`: fast at many orders, for curves and the search of the best order
  direct,        ///< `direct_cost`: query by query, for the headline
};

/// Sums the costs of a run at one order > 1 under `bound` (published or tradeoff), one distinct
/// query by one: never below the sum of the bounds and at most 1e-9 above it, relative. Noise that
/// is not Gaussian is never interpolated and has the sum of `run_costs`. `threads` (0: all
/// processors) changes no bit. Throws `parameter_error` for another bound.
[[nodiscard]] RunCost direct_cost(const CostInputs& inputs, Bound bound, double order,
                                  unsigned threads);

}  // namespace pate
