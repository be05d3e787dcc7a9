#pragma once

#include <cstddef>

namespace pate {

// Functions of many numbers at once, in loops that compilers make vectors of; the products and sums
// are the same in vectors of any width.

/// The largest |z| of `bends`.
inline constexpr double kLargestBend = 16.0;

/// result[i] = e^z - 1 - z >= 0 of z = factor * l[i], i < size, without the cancellation near 0.
/// most: at least |z| of all of them, at most kLargestBend. Relative accuracy 2e-14. l and result
/// do not overlap. What is not finite is not either in the result.
void bends(const double* l, double factor, double most, std::size_t size, double* result);

/// Where `log1p_near_zero` holds: -1/5 <= x <= 1/4.
[[nodiscard]] inline bool is_near_zero(double x) {
  return x >= -0.2 && x <= 0.25;
}

/// x[i] becomes log(1 + x[i]) of x[i] >= 0, to a relative accuracy of 1e-15. What is infinite or
/// NaN is not finite in the result.
void log1p_positive(double* x, std::size_t size);

/// x[i] becomes log(1 + x[i]) where `is_near_zero(x[i])`, to a relative accuracy of 1e-15; others
/// become any number.
void log1p_near_zero(double* x, std::size_t size);

}  // namespace pate
