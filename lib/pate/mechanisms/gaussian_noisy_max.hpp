#pragma once

#include <cstdint>
#include <span>

namespace pate {

/// GNMax: the class with the largest count after independent N(0, sigma^2) noise on every count.
struct GaussianNoisyMax {
  double sigma = 0.0;  ///< standard deviation of the noise on each count, in votes
};

/// Throws `parameter_error` unless sigma is positive and finite. `name` is how messages call it.
void validate(const GaussianNoisyMax& mechanism, const char* name = "sigma2");

/// log of the pair term of q: log Pr[a class `gap` votes behind beats the plurality]
/// = log( erfc(gap / (2 sigma)) / 2 ), gap >= 0. Relative accuracy 1e-15.
[[nodiscard]] double log_pair_probability(const GaussianNoisyMax& mechanism, std::int64_t gap);

/// log q, q = min( 1/2 sum_{j != i*} erfc((n_i* - n_j) / (2 sigma)), 1 - 1/m ): an upper bound on
/// Pr[output != i*] for the histogram `counts` of m >= 1 classes. -inf for one class. A function of
/// the multiset of counts alone, to the last bit. Relative accuracy of the logarithm 1e-13.
/// Source: S18, Proposition 7 (union bound); the cap because the likeliest of m outcomes has
/// probability at least 1/m. Throws `parameter_error` for an empty histogram or a bad sigma.
[[nodiscard]] double log_q(const GaussianNoisyMax& mechanism, std::span<const std::int32_t> counts);

}  // namespace pate
