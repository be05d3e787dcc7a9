#pragma once

#include <compare>

namespace pate {

/// A query that a sample of the teachers answers: every teacher votes with probability `rate`,
/// independently of all others and anew for every query (a Poisson sample); the votes of the sample
/// get Gaussian noise. With a threshold check both steps look at the same sample.
///
/// Of one teacher that is added or removed: given who else is in the sample, the query is a
/// Gaussian mechanism with sensitivity `mu` if the teacher is in it, and does not see the teacher
/// otherwise. By joint convexity of the hockey-stick divergence it is dominated by the pair
///
///     (1 - rate) N(0, 1) + rate N(mu, 1)   and   N(0, 1),     mu^2 = 1/sigma2^2 + 1/sigma1^2
///
/// the first where the teacher is there. A count, and the top count, change by one; a query that is
/// refused tells less. Source: Zhu, Dong, Wang, "Optimal Accounting of Differential Privacy via
/// Characteristic Function" (2022), Theorem 11.
struct SampledGaussian {
  double rate = 1.0;
  double sigma2 = 0.0;  ///< of the noisy maximum, in votes
  double sigma1 = 0.0;  ///< of the threshold check; 0 without one

  [[nodiscard]] bool has_check() const { return sigma1 > 0.0; }
  /// Rounded up.
  [[nodiscard]] double mu() const;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const SampledGaussian&, const SampledGaussian&) = default;
};

/// Throws `parameter_error` unless 0 < rate < 1, sigma2 is positive and finite, and sigma1 is that
/// or 0.
void validate(const SampledGaussian& sampled);

}  // namespace pate
