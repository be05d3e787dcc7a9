#pragma once

#include <optional>

#include "pate/exact/exact_run.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

/// The exact (epsilon, delta) of a run, from the outcome probabilities of its queries without Renyi
/// DP between (README of `profile`): an interval that holds the smallest epsilon.
struct RunProfile {
  BothDirections upper;  ///< certified: every neighbour, whichever it is at each query
  BothDirections lower;  ///< one neighbour has at least this
  double step = 0.0;     ///< of the grid of losses
};

/// The profile of a run at delta. `exact` are the run's exact epsilons from RDP by direction, which
/// say how fine the grid must be; `step` overrides that. None where outcome probabilities are not
/// known (noise far below one vote). Neither the order of the queries nor threads change a bit.
[[nodiscard]] std::optional<RunProfile> run_profile(ExactRun& costs, double delta,
                                                    const OptimalOrder& forward,
                                                    const OptimalOrder& reverse, unsigned threads,
                                                    std::optional<double> step = std::nullopt);

}  // namespace pate
