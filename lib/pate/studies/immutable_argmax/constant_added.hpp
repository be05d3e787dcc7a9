#pragma once

#include <cstdint>
#include <optional>

#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

// The "immutable noisy argmax" of Sun, Zhou, Yu and Xiong, "Differentially Private Deep Learning
// with Smooth Sensitivity": a constant c is added to the count of the plurality, and then noise to
// every count. What the authors claim of it, and what holds (README of this folder).

/// The noise and the constant.
struct ImmutableArgmax {
  NoisyMax noise;         ///< Lap(b), the authors' gamma being 1/b, or N(0, sigma^2)
  double constant = 0.0;  ///< c, in votes
};

/// Throws `parameter_error` unless the constant is in [0, 1e100] and the noise, and the noise by
/// 1 + c, in the range of noise.
void validate(const ImmutableArgmax& mechanism);

/// The authors' c for a failure probability tau:
///
///     Laplace   b ln(L/tau)          Gaussian   sigma sqrt(2 ln(2L/tau))
///
/// Domain: classes L >= 2, 0 < tau < 1. It misses tau: that no single noise exceeds c is not
/// enough, two of them differ by up to 2c.
[[nodiscard]] double authors_constant(const NoisyMax& noise, std::int64_t classes, double tau);

/// The smallest c >= 0 with which the union bound on the failure is at most tau at a tie: the root
/// of (L-1)/2 e^-x (1 + x/2) = tau times b, or sqrt(2) sigma Phi^-1(1 - tau/(L-1)). Rounded up, by
/// less than 1e-12.
[[nodiscard]] double sufficient_constant(const NoisyMax& noise, std::int64_t classes, double tau);

/// log Pr[the answer is not the plurality] where all of `classes` >= 2 are tied: the largest
/// failure of any votes. Relative accuracy 1e-9, also where the probability underflows.
[[nodiscard]] double log_failure_at_tie(const ImmutableArgmax& mechanism, std::int64_t classes);

/// log Pr[a class `gap` >= 0 votes behind is ahead of the plurality].
[[nodiscard]] double log_overtakes(const ImmutableArgmax& mechanism, std::int64_t gap);

/// Two classes, n + 1 votes against n, and the neighbour with n against n + 1: the answer is wrong
/// with probability q on both.
struct BoundaryLoss {
  double log_q = 0.0;
  double loss = 0.0;  ///< ln((1 - q)/q), which one answer loses; exactly
  /// The smallest delta with which one answer has a given epsilon: (1 - q) - e^epsilon q, at least
  /// 0.
  [[nodiscard]] double delta_at(double epsilon) const;
};
[[nodiscard]] BoundaryLoss boundary_loss(const ImmutableArgmax& mechanism);

/// Epsilon of T answers as the authors compute it (their Theorem 4), 4 T gamma^2 + 2 gamma sqrt(2 T
/// ln(1/delta)); none for Gaussian noise, of which their theorem does not speak. Only true for c =
/// 0.
[[nodiscard]] std::optional<double> authors_epsilon(const ImmutableArgmax& mechanism,
                                                    std::int64_t queries, double delta);

/// The noise that has, without a constant, the same global sensitivity: noise / (1 + c), rounded
/// down. Adding c changes a count by up to 1 + c with one vote, so costs are those of this noise.
[[nodiscard]] NoisyMax noise_per_vote(const ImmutableArgmax& mechanism);

/// The smooth sensitivity of a count at a distance of `votes_to_flip` >= 1 from another plurality:
/// max(1, (1 + c) e^(-beta (votes_to_flip - 1))), the largest local sensitivity at distance k times
/// e^(-beta k). Source: Nissim, Raskhodnikova and Smith, Definition 2.2.
[[nodiscard]] double smooth_sensitivity(double constant, double beta, std::int64_t votes_to_flip);

/// The largest beta for which Laplace noise of scale 2 S_beta/epsilon1 on `classes` counts is
/// (epsilon1 + epsilon2, delta)-DP: beta <= epsilon2/L and Pr[Gamma(L, 1) > (epsilon2 + L
/// beta)/(e^beta - 1)] <= delta. Rounded down by less than 1e-9. Domain: epsilon2 > 0, 0 < delta <
/// 1.
[[nodiscard]] double largest_beta(double epsilon2, std::int64_t classes, double delta);

}  // namespace pate
