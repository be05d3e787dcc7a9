#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// `plurality_probability` of many histograms over the same classes under one noise: what depends
/// on how many votes a class is behind is tabulated once. Gives the same bits, however far the
/// table goes.
class PluralityTable {
 public:
  /// Tabulates classes that are at most `lead` votes behind, and not those that are so far behind
  /// that they do not matter. Domain: classes >= 0, lead >= 0. Throws `parameter_error` for bad
  /// noise.
  PluralityTable(const NoisyMax& noisy_max, std::size_t classes, std::int32_t lead);

  /// counts: as for `plurality_probability`, of at most all classes; the others are zero.
  [[nodiscard]] double of(std::span<const std::int32_t> counts) const;

 private:
  NoisyMax noisy_max_;
  std::size_t classes_;
  std::size_t nodes_ = 0;     // of a row; 0 where nothing is tabulated
  std::vector<double> rows_;  // by lead
};

}  // namespace pate
