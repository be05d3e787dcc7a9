#pragma once

#include "pate/math/dyadic.hpp"
#include "pate/sampling/bit_source.hpp"
#include "pate/sampling/exact_deviate.hpp"

namespace pate {

/// location + scale * deviate, exactly. What is asked of it is answered by drawing as many digits
/// of the deviate as it takes, so every answer has exactly the probability it has for a real number
/// of that distribution; no answer is ever guessed. An answer that 2^15 digits do not decide, which
/// for any density below 2^1000 has probability below 2^-30000, ends in the `input_error` of
/// `LazyUniform` rather than in an output.
class NoisyValue {
 public:
  /// Throws `parameter_error` unless scale >= 0; a scale of 0 is no noise.
  NoisyValue(Dyadic location, Dyadic scale, ExactDeviate deviate);

  /// The value to scale * 2^-bits.
  [[nodiscard]] DyadicInterval interval(unsigned bits, BitSource& source);

  /// Whether the value is at least `threshold`.
  [[nodiscard]] bool reaches(const Dyadic& threshold, BitSource& source);

  /// Whether the value is larger than another; they may share the source.
  [[nodiscard]] bool exceeds(NoisyValue& other, BitSource& source);

  /// The smallest integer n with n * 2^exponent >= value.
  [[nodiscard]] Integer rounded_up(int exponent, BitSource& source);

 private:
  Dyadic location_;
  Dyadic scale_;
  ExactDeviate deviate_;
};

/// The grid of released numbers: multiples of 2^-30, whatever the votes are.
inline constexpr int kReleaseGridExponent = -30;

/// min(max(value, 0), largest), rounded up to the grid: what a release with normal noise publishes.
///
/// The rounding is exact, with the reservation of `NoisyValue`. A result of at least 2^23, where a
/// double does not hold the grid, is rounded up once more, to a double. Throws `parameter_error`
/// unless `largest` is finite and >= 0.
[[nodiscard]] double released_on_grid(NoisyValue& value, double largest, BitSource& source);

}  // namespace pate
