#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "support/noisy_max_outcomes.hpp"

namespace pate_test {

/// The hockey-stick divergence of outcome probabilities: the sum of (P - e^epsilon Q)+.
inline double hockey_stick(const Probabilities& p, const Probabilities& q, double epsilon) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += std::max(p[i] - std::exp(static_cast<long double>(epsilon)) * q[i], 0.0L);
  }
  return static_cast<double>(sum);
}

}  // namespace pate_test
