#pragma once

#include <compare>

namespace pate {

/// Who is in a sample, and so whether the number of votes changes with one of them.
enum class SampleOf {
  teachers,  ///< all of the sample vote: with one more there is one vote more
  records,   ///< a fixed number of them votes, as the k nearest: one more moves a vote
};

/// "sample_teachers", "sample_records": in reports, with hyphens in options.
[[nodiscard]] const char* name(SampleOf of);

/// Everybody is in the sample with probability `rate`, independently of all others and anew for
/// every query (a Poisson sample).
struct Sampling {
  double rate = 1.0;
  SampleOf of = SampleOf::teachers;
};

/// A query that a sample answers: its votes get Gaussian noise. With a threshold check both steps
/// look at the same sample.
///
/// For one teacher, or record, that is added or removed: given who else is in the sample, the query
/// is a Gaussian mechanism with sensitivity `mu` if this one is in it, and does not see it
/// otherwise. By joint convexity of the hockey-stick divergence it is dominated by the pair
///
///     (1 - rate) N(0, 1) + rate N(mu, 1)   and   N(0, 1),     mu^2 = v/sigma2^2 + 1/sigma1^2
///
/// the first where it is there; v is 1 for a vote more, 2 for one that moves. The top count changes
/// by one at most; a query that is refused tells less. Source: Zhu, Dong, Wang, "Optimal Accounting
/// of Differential Privacy via Characteristic Function" (2022), Theorem 11. Not covered is one that
/// is replaced: mixtures with two moves are no such pair.
struct SampledGaussian {
  double rate = 1.0;
  double sigma2 = 0.0;  ///< of the noisy maximum, in votes
  double sigma1 = 0.0;  ///< of the threshold check; 0 without one
  SampleOf of = SampleOf::teachers;

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
