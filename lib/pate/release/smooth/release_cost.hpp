#pragma once

#include "pate/accounting/run.hpp"
#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// Reads the votes of a run once and counts its distinct queries. Throws what `validate(run)` and
/// reading the votes throw, and `parameter_error` for a single class, where nothing depends on the
/// votes. Memory: the distinct histograms. `threads` (0: all processors) changes no bit.
[[nodiscard]] VoteProfile collect_votes(const Run& run, unsigned threads = 1);

/// Which cost of a run is to be released.
enum class ReleasedBound {
  tradeoff,
  exact,  ///< two classes only (TwoClassCost)
};

/// The data-dependent RDP of a run at one order, forward, and how it changes with the votes.
struct CostAtOrder {
  double order = 0.0;
  double rdp = 0.0;          ///< f, an upper bound of the run's D(M(votes) || M(neighbour))
  double largest_rdp = 0.0;  ///< f_max, the data-independent RDP, which is public
  LocalSensitivity local;
};

/// What is to be released and how carefully it is computed.
struct CostChoice {
  ReleasedBound bound = ReleasedBound::tradeoff;
  ReleasedCost cost = ReleasedCost::joint;
  GridResolution resolution;
  std::int64_t most_votes = 0;  ///< the largest distance at which sensitivities are computed
  unsigned threads = 0;
};

/// f as computed is a fixed function of the votes to the last bit, whatever the threads. Costs are
/// rounded outwards by up to 1e-9; the local sensitivity allows for that, and for the rounding of
/// the sum. Throws `parameter_error` for an order that is not finite and > 1, for an exact cost
/// where there is none (TwoClassCost), for `realized` without decisions or selection;
/// `validity_error` where moments are beyond every floating point number.
[[nodiscard]] CostAtOrder cost_at_order(const VoteProfile& votes, double order,
                                        const CostChoice& choice);

/// The Renyi cost of releasing one number by smooth sensitivity with a safety shift.
///
/// On votes with cost f and smooth sensitivity S the number f + S sigma (k + N(0, 1)) is released;
/// neighbours have f' and S' with |f - f'| <= min(S, S') and e^-beta <= S/S' <= e^beta. With x =
/// S/S' and y = lambda - (lambda-1) x^2 the divergence at order lambda is at most
///
///     g(x) = lambda (min(1, x) + k sigma |x - 1|)^2 / (2 sigma^2 y) - log x - log(y)/(2
///     (lambda-1))
///
/// and its maximum over [e^-beta, e^beta] is at x = e^beta, for every k >= 0: there every part of g
/// is increasing for x >= 1, and g(1/x) <= g(x) part by part. Hence, with v = lambda - (lambda-1)
/// e^(2 beta),
///
///     c = lambda (1 + k sigma (e^beta - 1))^2 / (2 sigma^2 v) - beta - log(v)/(2 (lambda-1)).
///
/// Rounded outwards, at most 1e-9 above. +inf where v <= 0, that is beta >= largest_beta(order).
/// Domain: order > 1, beta > 0, sigma > 0, k >= 0; finite.
/// (S18, Theorem 23, prints a smaller number that is too small: it leaves out that unequal
/// variances also amplify the difference of the means.)
[[nodiscard]] double release_cost(double order, double beta, double sigma, double k);

/// 1/2 log(order / (order - 1)): smaller beta has a finite release cost.
[[nodiscard]] double largest_beta(double order);

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

/// beta and sigma at the cost's order with the smallest objective; `known_only`: of those whose
/// smooth sensitivity is not that of distances beyond the ones computed.
[[nodiscard]] ReleaseParameters best_noise(const CostAtOrder& cost, const ReleaseGoal& goal,
                                           bool known_only = false);

/// Order, beta and sigma with the smallest objective, or nearly: the order is looked for on a rough
/// grid of q, then near what that found on a coarse one, and on some of the queries where there are
/// many. Both change all sensitivities by about the same factor; up to 2% are lost. They depend on
/// the votes. `choice.resolution` and `most_votes` are not used.
[[nodiscard]] ReleaseParameters best_parameters(const VoteProfile& votes, const ReleaseGoal& goal,
                                                const CostChoice& choice);

}  // namespace pate
