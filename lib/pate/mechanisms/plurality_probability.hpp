#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// Pr[the noisy maximum is the plurality]: `outcome_probability` of the first class of `counts`,
///
///     Integral density(z) prod_{k > 1} distribution(z + (n_1 - n_k)/s) dz
///
/// for searches that ask for it very often, by the trapezoidal rule on fixed nodes. Of several
/// classes with the largest count one is the plurality, and it does not matter which.
///
/// counts: those that are not zero, in decreasing order; zeros: classes without a vote beside them.
/// Gaussian noise: absolute accuracy 1e-8 up to 10,000 classes. Laplace noise: as
/// `outcome_probability`. PTR tells no other class: 1. Without any class: 0. Throws
/// `parameter_error` for bad noise.
[[nodiscard]] double plurality_probability(const NoisyMax& noisy_max,
                                           std::span<const std::int32_t> counts, std::size_t zeros);

}  // namespace pate
