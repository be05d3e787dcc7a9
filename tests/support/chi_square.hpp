#pragma once

#include <boost/math/special_functions/gamma.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pate::test {

/// Pearson's test of counts against probabilities that sum to 1: the probability of a statistic at
/// least as large. Cells should expect some ten counts or more.
inline double chi_square_p(std::span<const std::int64_t> counts,
                           std::span<const double> probabilities) {
  double total = 0.0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  double statistic = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    const double difference = static_cast<double>(counts[i]) - expected;
    statistic += difference * difference / expected;
  }
  return boost::math::gamma_q(0.5 * static_cast<double>(counts.size() - 1), 0.5 * statistic);
}

/// What a fixed seed must show of a right sampler: neither too far nor too good.
inline bool is_plausible(double p) {
  return p > 0.001 && p < 0.999;
}

}  // namespace pate::test
