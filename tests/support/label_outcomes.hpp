#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "support/label_ballots.hpp"
#include "support/noisy_max_outcomes.hpp"

namespace pate_test {

// Votes on several labels themselves, in long double: the probability of each of the 2^labels whole
// answers, by the number of the set. Nothing here comes from the library.

/// Labels that are given independently, each with its own probability.
inline Probabilities product_outcomes(const Probabilities& given) {
  Probabilities result{1.0L};
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::size_t size = result.size();
    for (std::size_t i = 0; i < size; ++i) result.push_back(result[i] * given[k]);
    for (std::size_t i = 0; i < size; ++i) result[i] *= 1.0L - given[k];
  }
  return result;
}

inline long double above_zero(long double mean, long double deviation) {
  return 0.5L * std::erfc(-mean / deviation / std::numbers::sqrt2_v<long double>);
}

/// A vote of two classes on every label, with noise on both counts.
inline Probabilities binary_outcomes(const std::vector<std::uint64_t>& sets, std::int64_t labels,
                                     double sigma) {
  Probabilities given;
  for (std::int64_t k = 0; k < labels; ++k) {
    long double lead = 0.0L;
    for (const std::uint64_t set : sets) lead += (set >> k & 1U) != 0 ? 1.0L : -1.0L;
    given.push_back(above_zero(lead, std::numbers::sqrt2_v<long double> * sigma));
  }
  return product_outcomes(given);
}

/// Ballots scaled to a norm of at most sqrt(positives), their sums with noise above half.
inline Probabilities tau_outcomes(const std::vector<std::uint64_t>& sets, std::int64_t labels,
                                  double positives, double sigma) {
  Probabilities sums(static_cast<std::size_t>(labels), -0.5L * sets.size());
  for (const std::uint64_t set : sets) {
    long double squared_norm = 0.0L;
    for (std::int64_t k = 0; k < labels; ++k) squared_norm += (set >> k & 1U) != 0 ? 1.0L : 0.0L;
    const long double most = std::sqrt(static_cast<long double>(positives));
    const long double norm = std::sqrt(squared_norm);
    const long double scale = norm > most ? most / norm : 1.0L;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += (set >> k & 1U) != 0 ? scale : 0.0L;
  }
  Probabilities given;
  for (const long double sum : sums) given.push_back(above_zero(sum, sigma));
  return product_outcomes(given);
}

/// One vote on all sets.
inline Probabilities powerset_outcomes(const std::vector<std::uint64_t>& sets, std::int64_t labels,
                                       double sigma) {
  Counts counts(std::size_t{1} << labels, 0);
  for (const std::uint64_t set : sets) ++counts[set];
  return gaussian_outcomes(counts, sigma);
}

/// The Renyi divergence of P from Q.
inline long double renyi(const Probabilities& p, const Probabilities& q, double order) {
  long double excess = 0.0L;
  for (std::size_t i = 0; i < p.size(); ++i) {
    // The linear terms cancel: none of these is negative.
    const long double log_ratio = std::log(p[i] / q[i]);
    excess += q[i] * (std::expm1(order * log_ratio) - order * std::expm1(log_ratio));
  }
  return std::log1p(excess) / (order - 1.0L);
}

}  // namespace pate_test
