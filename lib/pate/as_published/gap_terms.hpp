#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/gaussian_noisy_max.hpp"

namespace pate {

/// Some classes that are equally many votes behind the plurality.
struct Gap {
  std::int64_t votes = 0;
  double classes = 0.0;
};

/// The union bound of GNMax from gaps that are given in order, for the many histograms on a path of
/// moving votes: no sorting, and classes too far behind to change a digit are not looked at.
class GapTerms {
 public:
  /// For gaps 0..teachers. Memory: 16 bytes each.
  GapTerms(const GaussianNoisyMax& mechanism, std::int64_t teachers);

  /// log of sum over gaps of classes * Pr[a class `votes + shift` behind beats the plurality], at
  /// most log(1 - 1/m) for m classes in all, the plurality among them. Gaps increase; at least one.
  /// Relative accuracy 1e-14. `classes_behind` is the sum of the classes.
  [[nodiscard]] double log_q(std::span<const Gap> gaps, double classes_behind,
                             std::int64_t shift) const;

 private:
  std::vector<double> log_terms_;
  std::vector<double> terms_;
};

}  // namespace pate
