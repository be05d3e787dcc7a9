#pragma once

#include <cstdint>
#include <span>

namespace pate {

/// The fewest teachers who must vote differently so that the plurality (the lowest class on ties)
/// becomes another class: with i the plurality
///
///     min over j != i of   floor((n_i - n_j)/2) + 1  for j > i,   ceil((n_i - n_j)/2)  for j < i.
///
/// >= 1; changes by at most 1 with one teacher's vote. One more than there are teachers for one
/// class, which nobody can change. Throws `parameter_error` for an empty histogram.
[[nodiscard]] std::int64_t votes_to_flip(std::span<const std::int32_t> counts);

/// The noise of a stability test, by how it is given.
enum class TestNoise {
  laplace,   ///< Laplace noise of scale 1/epsilon
  gaussian,  ///< Gaussian noise of standard deviation sigma
};

/// Propose-test-release on the plurality (PTR): a query with stability q = votes_to_flip - 1 is
/// answered with its plurality where q and noise together exceed the threshold, and is refused
/// otherwise. One vote moves q by at most 1, and q = 0 on both sides of every change of the
/// plurality, where the threshold is exceeded with probability delta at most.
///
/// With probability 1 - delta both votes' outcomes are functions of the noisy q. So the test is
/// (epsilon, delta)-DP with Laplace noise, and what a Gaussian mechanism of sensitivity 1 is, but
/// for delta, with Gaussian noise. Over many queries deltas and costs add up apart: the event that
/// some answered query has another plurality on the neighbour has at most the sum of the deltas.
/// Source: Dwork and Lei, "Differential Privacy and Robust Statistics" (2009); the stability is
/// that of the plurality of votes.
struct StabilityTest {
  TestNoise noise = TestNoise::laplace;
  double parameter = 0.0;  ///< epsilon or sigma
  double delta = 0.0;      ///< of one query

  /// The scale or the standard deviation of the noise, in votes.
  [[nodiscard]] double scale() const {
    return noise == TestNoise::laplace ? 1.0 / parameter : parameter;
  }
  /// ln(1/(2 delta)) / epsilon, or sigma Phi^-1(1 - delta): rounded up by less than 1e-12, so that
  /// q = 0 exceeds it with probability delta at most.
  [[nodiscard]] double threshold() const;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const StabilityTest&, const StabilityTest&) = default;
};

/// No delta of a query is larger.
inline constexpr double kLargestTestDelta = 0.1;

/// Throws `parameter_error` unless the parameter is in the range of noise and 0 < delta <=
/// kLargestTestDelta.
void validate(const StabilityTest& test);

/// log Pr[answered | q] and log Pr[refused | q]. Relative accuracy 1e-13.
[[nodiscard]] double log_answered(const StabilityTest& test, std::int64_t q);
[[nodiscard]] double log_refused(const StabilityTest& test, std::int64_t q);

}  // namespace pate
