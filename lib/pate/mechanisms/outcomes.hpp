#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// Pr[the noisy maximum of `counts` is class `winner`]:
///
///     Integral density((x - n_winner)/s)/s prod_{k != winner} distribution((x - n_k)/s) dx
///
/// No sampling: the integrand is positive and log-concave. Relative accuracy 1e-12 for Gaussian
/// (trapezoidal rule around the peak) and 1e-10 for Laplace noise (piecewise between the kinks at
/// the counts), also where the probability is tiny; 0 where it underflows. Domain: winner <
/// counts.size(); throws `parameter_error` otherwise and for bad noise. zeros: classes without a
/// vote beyond those of `counts`.
[[nodiscard]] double outcome_probability(const NoisyMax& noisy_max,
                                         std::span<const std::int32_t> counts, std::size_t winner,
                                         std::size_t zeros = 0);
[[nodiscard]] double outcome_probability(const GaussianNoisyMax& noise,
                                         std::span<const std::int32_t> counts, std::size_t winner,
                                         std::size_t zeros = 0);
[[nodiscard]] double outcome_probability(const LaplaceNoisyMax& noise,
                                         std::span<const std::int32_t> counts, std::size_t winner,
                                         std::size_t zeros = 0);
/// 1 - e^(-lead/(2b)) / 2 for the winner that leads by `lead` votes, e^(lead/(2b)) / 2 for the
/// other. Throws `parameter_error` for other than two classes.
[[nodiscard]] double outcome_probability(const OneLaplaceNoise& noise,
                                         std::span<const std::int32_t> counts, std::size_t winner,
                                         std::size_t zeros = 0);

}  // namespace pate
