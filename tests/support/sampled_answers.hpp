#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pate/divergence/exact/sampled_outcomes.hpp"
#include "support/noisy_max_outcomes.hpp"

namespace pate_test {

// A query that a sample of the teachers answers, itself: by going through all samples that there
// may be. Of the library the parameters only.

/// Outcomes of one sample, with refusals last where there is a check.
inline Probabilities answers_of(const pate::SampledQuery& query, const Counts& counts) {
  Probabilities p = gaussian_outcomes(counts, query.noise.sigma2);
  if (!query.noise.has_check()) return p;
  const long double z =
      (static_cast<long double>(query.threshold) - *std::ranges::max_element(counts)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(query.noise.sigma1));
  for (long double& x : p) x *= 0.5L * std::erfc(z);
  p.push_back(0.5L * std::erfc(-z));
  return p;
}

/// Of every class as many of its votes are in the sample as there may be.
inline Probabilities sampled_answers(const pate::SampledQuery& query, const Counts& votes) {
  Probabilities result;
  Counts sample(votes.size(), 0);
  const long double rate = query.noise.rate;
  for (;;) {
    long double probability = 1.0L;
    for (std::size_t j = 0; j < votes.size(); ++j) {
      const auto n = static_cast<long double>(votes[j]);
      const auto b = static_cast<long double>(sample[j]);
      probability *= std::tgamma(n + 1) / std::tgamma(b + 1) / std::tgamma(n - b + 1) *
                     std::pow(rate, b) * std::pow(1.0L - rate, n - b);
    }
    const Probabilities p = answers_of(query, sample);
    result.resize(p.size(), 0.0L);
    for (std::size_t o = 0; o < p.size(); ++o) result[o] += probability * p[o];
    std::size_t j = 0;
    while (j < votes.size() && sample[j] == votes[j]) sample[j++] = 0;
    if (j == votes.size()) return result;
    ++sample[j];
  }
}

}  // namespace pate_test
