#pragma once

#include "pate/sensitivity/local_sensitivity.hpp"
#include "pate/sensitivity/vote_profile.hpp"

namespace pate {

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

}  // namespace pate
