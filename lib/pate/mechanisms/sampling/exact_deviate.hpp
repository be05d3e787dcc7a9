#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/numerics/dyadic.hpp"

namespace pate {

/// A uniform deviate of (0, 1) with infinitely many binary digits, drawn from the bit source when
/// somebody looks at them and never changed after. What was not looked at is independent of
/// everything decided so far: that is what makes samplers built from comparisons exact.
class LazyUniform {
 public:
  LazyUniform() = default;
  // Not copied: two copies would go on with different digits.
  LazyUniform(LazyUniform&&) noexcept = default;
  LazyUniform& operator=(LazyUniform&&) noexcept = default;
  LazyUniform(const LazyUniform&) = delete;
  LazyUniform& operator=(const LazyUniform&) = delete;
  ~LazyUniform() = default;

  /// Digit number `i` in base 2^32, from the point on. Throws what the source throws, and
  /// `input_error` after 2^15 binary digits: nothing needs so many but a source that repeats
  /// itself.
  [[nodiscard]] std::uint32_t digit(std::size_t i, BitSource& source) {
    if (i == 0 && has_first_) return first_;
    return reveal(i, source);
  }

  /// floor(deviate * 2^bits): the first `bits` binary digits as a number.
  [[nodiscard]] Integer leading(unsigned bits, BitSource& source);

  static constexpr unsigned kDigitBits = 32;

 private:
  std::uint32_t reveal(std::size_t i, BitSource& source);

  std::uint32_t first_ = 0;
  bool has_first_ = false;
  std::vector<std::uint32_t> rest_;  // few deviates are ever looked at beyond their first digit
};

/// Whether a < b, decided on as few digits as it takes. They differ with probability 1.
[[nodiscard]] bool less(LazyUniform& a, LazyUniform& b, BitSource& source);

/// An interval low <= x <= high.
struct DyadicInterval {
  Dyadic low;
  Dyadic high;
};

/// One draw from a distribution on the real line, exactly: sign * (whole + fraction), the digits of
/// the fraction drawn when somebody looks at them. No double ever stands for the number itself.
class ExactDeviate {
 public:
  ExactDeviate(bool negative, std::uint64_t whole, LazyUniform fraction)
      : negative_(negative), whole_(whole), fraction_(std::move(fraction)) {}

  [[nodiscard]] bool is_negative() const { return negative_; }
  /// floor(|deviate|).
  [[nodiscard]] std::uint64_t whole() const { return whole_; }

  /// Minus the deviate; the digits move on to it.
  [[nodiscard]] ExactDeviate negated() && { return {!negative_, whole_, std::move(fraction_)}; }

  /// The deviate to `bits` binary digits after the point, any number of them: an interval of width
  /// 2^-bits it lies in. Intervals of more digits lie within those of fewer. Throws what
  /// `LazyUniform::digit` throws.
  [[nodiscard]] DyadicInterval interval(unsigned bits, BitSource& source);

  /// The deviate as a double, at most (whole + 1) 2^-32 away from it: to skip comparisons that are
  /// clear, never to decide close ones.
  [[nodiscard]] double approximation(BitSource& source);

  /// Whether a < b, decided on as few digits as it takes; they differ with probability 1.
  friend bool less(ExactDeviate& a, ExactDeviate& b, BitSource& source);

 private:
  bool negative_;
  std::uint64_t whole_;
  LazyUniform fraction_;
};

/// A standard normal deviate. Source: Karney, "Sampling exactly from the normal distribution"
/// (2016), Algorithm N; README.md here has the proof.
[[nodiscard]] ExactDeviate exact_normal(BitSource& source);

/// An exponential deviate of mean 1. Source: von Neumann (1951); README.md here has the proof.
[[nodiscard]] ExactDeviate exact_exponential(BitSource& source);

/// A Laplace deviate of scale 1, density exp(-|x|) / 2.
[[nodiscard]] ExactDeviate exact_laplace(BitSource& source);

/// A standard normal deviate given that it is above `level`, 0 <= level <= 64, in time that hardly
/// depends on it. The wholes from `level` on are proposed as `exact_normal` proposes those from 0
/// on. Throws `parameter_error` for another level.
[[nodiscard]] ExactDeviate exact_normal_above(std::uint64_t level, BitSource& source);

/// The same of a Laplace deviate: beyond any level >= 0 it is an exponential one.
[[nodiscard]] ExactDeviate exact_laplace_above(std::uint64_t level, BitSource& source);

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
