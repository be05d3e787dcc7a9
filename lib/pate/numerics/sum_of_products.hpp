#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace pate {

/// The sum of a[i] b[i], i < a.size(), of b as long at least: element i is added to the sum i mod
/// 8, so that additions need not wait for each other; the result does not depend on how they are
/// done. Rounding: (3 + n/8) units in the last place of the sum of absolute values.
[[nodiscard]] inline double sum_of_products(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= a.size(); i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < a.size(); ++i) sums[i % kSums] += a[i] * b[i];
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace pate
