#pragma once

#include "pate/divergence/bounds/cost.hpp"
#include "pate/mechanisms/answer_table.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

// The cost of one step under each bound. Costs are rounded outwards (math/margin.hpp).
// log_q is the log of a bound on Pr[output is not the plurality]; log_q = -inf costs 0.
// Domain: log_q <= 0, noise in its domain, order > 1.
//
// Neighbours: formulas are written for one vote that moves. Where S teachers vote otherwise, or are
// added or removed, q stays what it is, a property of the votes, and the divergence grows:
//
//     Gaussian            sigma / S, or sqrt 2 sigma / S, takes the place of sigma: all that the
//                         proofs ask for is the largest difference of the means, sqrt 2 S or S
//     Laplace             2 S / b, or S / b, takes the place of eps = 2 gamma; shifts of S scales
//     of
//                         two Laplace mechanisms, or of one, give the data-independent cost
//     one Laplace noise   S / b takes the place of eps = 1/b; the data-independent cost is that of
//                         n_1 - n_0 + Lap(2b), one Laplace mechanism
//     threshold check     sigma1 / S takes the place of sigma1

/// Renyi cost of one noisy maximum, whatever the votes. Relative accuracy 1e-15.
///
///     Gaussian   order / sigma^2: one vote that moves changes two counts by one, an L2 sensitivity
///                of sqrt 2. Source: S18 (arXiv 1802.08908), Proposition 8.
///     Laplace    2/(order-1) log( order/(2 order-1) e^((order-1) gamma)
///                                 + (order-1)/(2 order-1) e^(-order gamma) ),
///                as a post-processing of two Laplace mechanisms. Source: Mironov, "Renyi
///                Differential Privacy" (2017), Proposition 6, twice.
///     one Laplace noise   the largest over all votes, in either direction, exactly: with
///                r = e^(-1/b) and s = e^(-1/(2b)) that of (r/2, 1 - r/2) and (1/2, 1/2), a vote
///                that ties, or of (s/2, 1 - s/2) and (1 - s/2, s/2), one that turns a majority of
///                one. Further away both probabilities of the rarer answer shrink by the same
///                factor, and the Renyi moment is convex in it and 1 at 0.
[[nodiscard]] double data_independent_cost(const NoisyStep& step, double order);

/// Renyi cost of one threshold check: order / (2 sigma1^2); the top count changes by at most one.
[[nodiscard]] double threshold_data_independent(double sigma1, double order);
/// That of a check with Laplace noise: half of what a noisy maximum with that scale costs, a
/// post-processing of one Laplace mechanism.
[[nodiscard]] double laplace_check_cost(double scale, double order);
/// The same of a stability test, of the sparse form of a round: `pure_dp_cost`, with Gaussian noise
/// `sparse_round_cost`. What its delta costs: `MechanismCounts::delta`.
[[nodiscard]] double threshold_data_independent(const StabilityTest& test, double order);
[[nodiscard]] double threshold_data_independent(const AnswerRule& rule,
                                                const Neighbours& neighbours, double order);

/// The largest Renyi cost of anything (epsilon, 0)-DP, that of randomised response:
///
///     log( 1 + (e^(k epsilon) - 1) (1 - e^(-order epsilon)) / (1 + e^-epsilon) ) / k,  k = order -
///     1
///
/// Source: Kairouz, Oh, Viswanath, "The Composition Theorem for Differential Privacy", Theorem 3.4:
/// everything is a post-processing of that.
[[nodiscard]] double pure_dp_cost(double epsilon, double order);

/// The cost as published, forward direction only: for reproducing printed numbers. At most 1e-9
/// above it, relative.
///
/// Gaussian: Theorem 6 with the parameters of Proposition 10 of S18. With mu2 = sigma sqrt(-log q),
/// mu1 = mu2 + 1:
///
///     cost = log( (1-q) A^(order-1) + q B^(order-1) ) / (order-1)
///     A = (1-q) / (1 - (q e^(mu2/sigma^2))^(1 - 1/mu2)),   B = e^(mu1/sigma^2) / q^(1/(mu1-1))
///
/// where order <= mu1, mu2 > 1 and q is small enough, and never more than order / sigma^2, which is
/// the cost everywhere else.
///
/// Laplace: S17, Theorem 3, at real orders (its moment l is order - 1). With eps = 2 gamma, or 1/b
/// for one Laplace noise, where q <= 1/(e^eps + 1):
///
///     cost = log( (1-q) ((1-q)/(1 - e^eps q))^(order-1) + q e^(eps (order-1)) ) / (order-1)
///
/// and never more than min(eps^2 order / 2, eps) (S17, Theorem 2).
[[nodiscard]] double published_cost(const NoisyStep& step, double log_q, double order);

/// The published bound of Gaussian noise for one q at many orders: what does not depend on the
/// order is computed once.
class GaussianPublishedBound {
 public:
  GaussianPublishedBound(double log_q, double sigma);
  /// The bound, at most `data_independent` (the cost of that name at `order`).
  [[nodiscard]] double cost(double order, double data_independent) const;
  /// Whether the theorem says anything at this order; elsewhere the data-independent cost holds.
  [[nodiscard]] bool applies(double order) const { return order <= largest_order_; }

 private:
  double log_q_;
  double largest_order_ = 0.0;  // above it, and where the conditions on q fail, there is no bound
  double rest_ = 0.0;           // 1 - q
  double log_a_ = 0.0;
  double log_b_ = 0.0;
};

/// The published cost of the threshold check: Theorem 6 at sqrt(2) sigma1, q the probability of the
/// less likely answer. Source: S18, Section 4.3; W19, Algorithm 1.
[[nodiscard]] double threshold_published(double log_q, double sigma1, double order);
/// The noisy maximum that the check is taken for there.
[[nodiscard]] GaussianNoisyMax threshold_as_noisy_max(double sigma1);

// The trade-off bound: the smallest cost that can be proved from q alone, in both directions and
// without side conditions. The theorem and its proof are in the README of this folder. A smaller
// valid q gives a smaller cost.

/// The log excesses of the trade-off bound in both directions, without margin, possibly a rounding
/// error above that of the data-independent cost. log_q must be finite and < 0.
///
/// Gaussian: relative accuracy of the excess 1e-10, mostly 1e-13. Laplace: LNMax is (2 gamma,
/// 0)-DP and the worst pair is randomised response, so the maximum over the split of q is at one of
/// two ends, in closed form; one Laplace noise likewise, with 1/b for 2 gamma.
[[nodiscard]] BothDirections tradeoff_log_excess(const NoisyStep& step, double log_q, double order);

/// Those of Gaussian noise by mu > 0, the largest difference of the means in standard deviations.
[[nodiscard]] BothDirections gaussian_tradeoff_log_excess(double log_q, double mu, double order);

/// The trade-off bound of one noisy maximum in either direction, at most its data-independent cost.
/// `.larger()` is the cost `tradeoff` of reports.
[[nodiscard]] BothDirections tradeoff_cost(const NoisyStep& step, double log_q, double order);

/// The log excess of the data-independent cost.
[[nodiscard]] double log_excess_cap(const NoisyStep& step, double order);

}  // namespace pate
