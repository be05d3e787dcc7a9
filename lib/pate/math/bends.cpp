#include "pate/math/bends.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pate/math/vector_clones.hpp"

namespace pate {

namespace {

// Below this e^y - 1 - y is a short series.
constexpr double kShort = 0.5;
constexpr double kLargestDouble = std::numeric_limits<double>::max();

// The series of e^y - 1 - y, y = factor * l * scale, by Horner's rule.
PATE_VECTOR_CLONES void start(const double* l, double factor, double scale, std::size_t size,
                              double* __restrict result) {
  for (std::size_t i = 0; i < size; ++i) {
    const double y = factor * l[i] * scale;
    double sum = 1.0 / 1307674368000.0;
    sum = sum * y + 1.0 / 87178291200.0;
    sum = sum * y + 1.0 / 6227020800.0;
    sum = sum * y + 1.0 / 479001600.0;
    sum = sum * y + 1.0 / 39916800.0;
    sum = sum * y + 1.0 / 3628800.0;
    sum = sum * y + 1.0 / 362880.0;
    sum = sum * y + 1.0 / 40320.0;
    sum = sum * y + 1.0 / 5040.0;
    sum = sum * y + 1.0 / 720.0;
    sum = sum * y + 1.0 / 120.0;
    sum = sum * y + 1.0 / 24.0;
    sum = sum * y + 1.0 / 6.0;
    sum = sum * y + 0.5;
    result[i] = sum * y * y;
  }
}

// From y to 2 y: e^2y - 1 - 2y = 2 (e^y - 1 - y) + (e^y - 1)^2, of which both are >= 0.
PATE_VECTOR_CLONES void redouble(const double* l, double factor, double scale, std::size_t size,
                                 double* __restrict result) {
  for (std::size_t i = 0; i < size; ++i) {
    const double more = factor * l[i] * scale + result[i];
    result[i] = 2.0 * result[i] + more * more;
  }
}

}  // namespace

void bends(const double* l, double factor, double most, std::size_t size, double* result) {
  double scale = 1.0;
  while (most * scale > kShort) scale *= 0.5;
  start(l, factor, scale, size, result);
  while (scale < 1.0) {
    redouble(l, factor, scale, size, result);
    scale *= 2.0;
  }
}

PATE_VECTOR_CLONES void log1p_positive(double* x, std::size_t size) {
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  // A double of 2^52 + n has n in its last bits.
  constexpr std::uint64_t kCount = 0x4330000000000000;
  constexpr double kCounted = 4503599627370496.0 + 1023.0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 21 zeros at its end
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  for (std::size_t i = 0; i < size; ++i) {
    // 1 + x is 2^k (1 + f) + lost, 1 + f from sqrt(1/2) to sqrt(2).
    const double sum = 1.0 + x[i];
    const double lost = x[i] < 1.0 ? x[i] - (sum - 1.0) : 1.0 - (sum - x[i]);
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum) + (kOne - kRootHalf);
    const double k = std::bit_cast<double>((bits >> 52U) | kCount) - kCounted;
    const double f = std::bit_cast<double>((bits & kMantissa) + kRootHalf) - 1.0;
    // log(1 + f) = 2 artanh(s), |s| <= .1716.
    const double s = f / (2.0 + f);
    const double t = s * s;
    double tail = 1.0 / 23.0;
    tail = tail * t + 1.0 / 21.0;
    tail = tail * t + 1.0 / 19.0;
    tail = tail * t + 1.0 / 17.0;
    tail = tail * t + 1.0 / 15.0;
    tail = tail * t + 1.0 / 13.0;
    tail = tail * t + 1.0 / 11.0;
    tail = tail * t + 1.0 / 9.0;
    tail = tail * t + 1.0 / 7.0;
    tail = tail * t + 1.0 / 5.0;
    tail = tail * t + 1.0 / 3.0;
    const double log_f = 2.0 * s + 2.0 * s * t * tail;
    const double result = k * kLn2High + (log_f + (k * kLn2Low + lost / sum));
    x[i] = x[i] <= kLargestDouble ? result : x[i];
  }
}

PATE_VECTOR_CLONES void log1p_near_zero(double* x, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    // 2 artanh(s), |s| <= 1/9.
    const double s = x[i] / (2.0 + x[i]);
    const double t = s * s;
    double sum = 1.0 / 17.0;
    sum = sum * t + 1.0 / 15.0;
    sum = sum * t + 1.0 / 13.0;
    sum = sum * t + 1.0 / 11.0;
    sum = sum * t + 1.0 / 9.0;
    sum = sum * t + 1.0 / 7.0;
    sum = sum * t + 1.0 / 5.0;
    sum = sum * t + 1.0 / 3.0;
    x[i] = 2.0 * s + 2.0 * s * t * sum;
  }
}

}  // namespace pate
