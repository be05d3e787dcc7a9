#include "pate/numerics/dyadic.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "pate/base/require.hpp"

namespace pate {

namespace {

// Both mantissas over the smaller of the two exponents.
std::pair<Integer, Integer> aligned(const Dyadic& a, const Dyadic& b) {
  const int exponent = std::min(a.exponent(), b.exponent());
  return {a.mantissa() << static_cast<unsigned>(a.exponent() - exponent),
          b.mantissa() << static_cast<unsigned>(b.exponent() - exponent)};
}

}  // namespace

Dyadic::Dyadic(double value) {
  require(std::isfinite(value), "an exact number must be finite, got {}", value);
  constexpr int kDigits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  mantissa_ = static_cast<std::int64_t>(std::ldexp(fraction, kDigits));
  exponent_ = exponent - kDigits;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  const auto [x, y] = aligned(a, b);
  return {x + y, std::min(a.exponent_, b.exponent_)};
}

Dyadic operator-(const Dyadic& a, const Dyadic& b) {
  const auto [x, y] = aligned(a, b);
  return {x - y, std::min(a.exponent_, b.exponent_)};
}

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  return {a.mantissa_ * b.mantissa_, a.exponent_ + b.exponent_};
}

std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b) {
  const auto [x, y] = aligned(a, b);
  return x.compare(y) <=> 0;
}

Integer ceil_to_multiple(const Dyadic& value, int exponent) {
  const int shift = exponent - value.exponent();
  if (shift <= 0) return value.mantissa() << static_cast<unsigned>(-shift);
  const auto bits = static_cast<unsigned>(shift);
  // Shifts of non-negative numbers only: what they do to negative ones is a matter of taste.
  Integer result = (value.mantissa() < 0 ? Integer(-value.mantissa()) : value.mantissa()) >> bits;
  if (value.mantissa() < 0) return -result;
  if (value.mantissa() > 0 && lsb(value.mantissa()) < bits) ++result;
  return result;
}

double round_up_to_double(const Dyadic& value) {
  const Integer& mantissa = value.mantissa();
  if (mantissa == 0) return 0.0;
  const Integer magnitude = mantissa < 0 ? Integer(-mantissa) : mantissa;
  constexpr int kDigits = std::numeric_limits<double>::digits;
  constexpr int kLowest = std::numeric_limits<double>::min_exponent - kDigits;  // of a subnormal
  const int top = static_cast<int>(msb(magnitude)) + 1 + value.exponent();
  const int exponent = std::max(top - kDigits, kLowest);
  // At most 2^53 in magnitude, so both conversions are exact, but for an overflow to infinity.
  const double result =
      std::ldexp(ceil_to_multiple(value, exponent).convert_to<double>(), exponent);
  return result == -std::numeric_limits<double>::infinity() ? std::numeric_limits<double>::lowest()
                                                            : result;
}

}  // namespace pate
