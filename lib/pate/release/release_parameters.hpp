#pragma once

#include "pate/release/release_cost.hpp"

namespace pate {

/// What must not depend on the votes if the published epsilon is to mean what it says.
struct ReleaseParameters {
  double order = 0.0;
  double beta = 0.0;   ///< of the smooth sensitivity
  double sigma = 0.0;  ///< noise in units of the smooth sensitivity
};

/// What is asked of the release.
struct ReleaseGoal {
  double delta = 0.0;  ///< of the run
  double k = 0.0;      ///< safety factor: standard deviations by which the number is shifted
};

/// Throws `parameter_error` unless the order is > 1, beta in (0, largest_beta(order)) and sigma >
/// 0, all finite.
void validate(const ReleaseParameters& parameters);

/// The numbers a release rests on; private, all of them.
struct ReleaseNumbers {
  double epsilon_before = 0.0;      ///< f converted at the order, without release
  double smooth_sensitivity = 0.0;  ///< S, with its margin
  double release_cost = 0.0;        ///< c, RDP at the order
  double noise_sd = 0.0;            ///< S sigma
  double mean_released = 0.0;       ///< epsilon_before + release_cost + k noise_sd
  bool at_end = false;              ///< S rests on distances that were not computed

  /// What a search minimises: the mean published value; without a safety shift, where half of all
  /// values are below, plus two standard deviations.
  [[nodiscard]] double objective(double k) const {
    return k > 0.0 ? mean_released : mean_released + 2.0 * noise_sd;
  }
};
[[nodiscard]] ReleaseNumbers release_numbers(const CostAtOrder& cost,
                                             const ReleaseParameters& parameters,
                                             const ReleaseGoal& goal);

/// beta and sigma at the cost's order with the smallest objective.
[[nodiscard]] ReleaseParameters best_noise(const CostAtOrder& cost, const ReleaseGoal& goal);

/// Order, beta and sigma with the smallest objective, or nearly: the order is looked for on a
/// coarse grid of q, which changes all sensitivities by about the same small factor, and on some of
/// the queries where there are thousands. They depend on the votes. `choice.resolution` and
/// `most_votes` are not used.
[[nodiscard]] ReleaseParameters best_parameters(const VoteProfile& votes, const ReleaseGoal& goal,
                                                const CostChoice& choice);

}  // namespace pate
