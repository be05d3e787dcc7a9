#pragma once

namespace pate {

// The costs as published, forward direction only: for reproducing printed numbers. Costs are
// rounded outwards (margin.hpp); between rounding and truth lie at most 1e-9 relative.

/// Data-dependent Renyi cost of one noisy maximum with Gaussian noise, Theorem 6 with the
/// parameters of Proposition 10 of S18 (arXiv 1802.08908). With log_q = log of a bound on
/// Pr[output is not the plurality], mu2 = sigma sqrt(-log q), mu1 = mu2 + 1:
///
///     cost = log( (1-q) A^(order-1) + q B^(order-1) ) / (order-1)
///     A = (1-q) / (1 - (q e^(mu2/sigma^2))^(1 - 1/mu2)),   B = e^(mu1/sigma^2) / q^(1/(mu1-1))
///
/// where order <= mu1, mu2 > 1 and q is small enough, and never more than order / sigma^2, which is
/// the cost everywhere else. log_q = -inf costs 0.
/// Domain: log_q <= 0, sigma > 0, order > 1.
[[nodiscard]] double gaussian_noisy_max_published(double log_q, double sigma, double order);

/// The same bound for one q at many orders: what does not depend on the order is computed once.
class GaussianPublishedBound {
 public:
  GaussianPublishedBound(double log_q, double sigma);
  /// The bound, rounded outwards, at most `data_independent` (the cost of that name at `order`).
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

/// The same for the threshold check: Theorem 6 at sqrt(2) sigma1, q the probability of the less
/// likely answer. Source: S18, Section 4.3; W19, Algorithm 1.
[[nodiscard]] double threshold_published(double log_q, double sigma1, double order);

/// Data-dependent Renyi cost of one noisy maximum with Laplace noise of scale 1/gamma: S17, Theorem
/// 3, at real orders (its moment l is order - 1). With eps = 2 gamma, where q <= 1/(e^eps + 1):
///
///     cost = log( (1-q) ((1-q)/(1 - e^eps q))^(order-1) + q e^(eps (order-1)) ) / (order-1)
///
/// and never more than min(2 gamma^2 order, 2 gamma) (S17, Theorem 2).
[[nodiscard]] double laplace_noisy_max_published(double log_q, double gamma, double order);

}  // namespace pate
