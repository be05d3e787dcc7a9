#pragma once

#include <cstdint>
#include <span>

namespace pate {

/// LNMax: the class with the largest count after independent Laplace noise on every count.
struct LaplaceNoisyMax {
  double scale = 0.0;  ///< scale b of the noise in votes; S17 writes gamma = 1/b

  [[nodiscard]] double gamma() const { return 1.0 / scale; }
};

/// Throws `parameter_error` unless the scale is positive and finite.
void validate(const LaplaceNoisyMax& mechanism, const char* name = "laplace-scale");

/// log of the pair term of q: log( (2 + g) / (4 e^g) ) with g = gamma * gap, gap >= 0.
[[nodiscard]] double log_pair_probability(const LaplaceNoisyMax& mechanism, std::int64_t gap);

/// log q, q = min( sum_{j != i*} (2 + g_j) / (4 e^g_j), 1 - 1/m ), g_j = gamma (n_i* - n_j): an
/// upper bound on Pr[output != i*]. -inf for one class. Source: S17, Lemma 4; the cap as for GNMax.
/// Throws `parameter_error` for an empty histogram or a bad scale.
[[nodiscard]] double log_q(const LaplaceNoisyMax& mechanism, std::span<const std::int32_t> counts);

}  // namespace pate
