#include "pate/sampling/noisy_value.hpp"

#include <fmt/format.h>

#include <utility>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr unsigned kFirstBits = 128;  // nearly always enough

}  // namespace

NoisyValue::NoisyValue(Dyadic location, Dyadic scale, ExactDeviate deviate)
    : location_(std::move(location)), scale_(std::move(scale)), deviate_(std::move(deviate)) {
  if (scale_.mantissa() < 0) {
    throw parameter_error(
        fmt::format("the scale of noise must be >= 0, got {}", round_up_to_double(scale_)));
  }
}

DyadicInterval NoisyValue::interval(unsigned bits, BitSource& source) {
  const DyadicInterval noise = deviate_.interval(bits, source);
  return {location_ + scale_ * noise.low, location_ + scale_ * noise.high};
}

// Each decision: more digits until both ends of the interval agree. The value itself is at an end
// with probability 0, so it does not matter on which side ends are counted.

bool NoisyValue::reaches(const Dyadic& threshold, BitSource& source) {
  for (unsigned bits = kFirstBits;; bits *= 2) {
    const DyadicInterval value = interval(bits, source);
    if (value.low >= threshold) return true;
    if (value.high < threshold) return false;
  }
}

bool NoisyValue::exceeds(NoisyValue& other, BitSource& source) {
  for (unsigned bits = kFirstBits;; bits *= 2) {
    const DyadicInterval mine = interval(bits, source);
    const DyadicInterval theirs = other.interval(bits, source);
    if (mine.low > theirs.high) return true;
    if (mine.high <= theirs.low) return false;
  }
}

Integer NoisyValue::rounded_up(int exponent, BitSource& source) {
  for (unsigned bits = kFirstBits;; bits *= 2) {
    const DyadicInterval value = interval(bits, source);
    Integer high = ceil_to_multiple(value.high, exponent);
    if (ceil_to_multiple(value.low, exponent) == high) return high;
  }
}

double released_on_grid(NoisyValue& value, double largest, BitSource& source) {
  if (!(largest >= 0.0)) {
    throw parameter_error(
        fmt::format("the largest released value must be >= 0 and finite, got {}", largest));
  }
  const Integer top = ceil_to_multiple(Dyadic(largest), kReleaseGridExponent);
  Integer steps = value.rounded_up(kReleaseGridExponent, source);
  if (steps < 0) steps = 0;
  if (steps > top) steps = top;
  return round_up_to_double({std::move(steps), kReleaseGridExponent});
}

}  // namespace pate
