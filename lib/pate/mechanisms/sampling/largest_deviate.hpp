#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/mechanisms/sampling/exact_deviate.hpp"
#include "pate/numerics/dyadic.hpp"

namespace pate {

/// A number in [0, 1) by its binary digits, as many as anybody asks for.
class BinaryDigits {
 public:
  /// low * 2^-bits <= number <= high * 2^-bits.
  struct Interval {
    Integer low, high;
  };
  /// Intervals of any number of bits, of a few units' width; of a multiple of 2^-bits itself of
  /// none.
  using Number = std::function<Interval(unsigned bits)>;

  explicit BinaryDigits(Number number);

  /// Digit number `i` from the point on. Throws `input_error` after 2^12 digits: nothing needs so
  /// many but a source of randomness that repeats itself.
  [[nodiscard]] bool operator[](unsigned i);
  /// A multiple of 2^-128 that is not above the number.
  [[nodiscard]] const Integer& lower_128() const { return lower_; }

 private:
  Number number_;
  Integer lower_;
  Interval interval_;
  unsigned bits_;
};

/// Pr[N(0, 1) > level] and Pr[Laplace(1) > level], in integers rounded outwards. Throws
/// `parameter_error` unless level <= 64.
[[nodiscard]] BinaryDigits normal_tail(std::uint64_t level);
[[nodiscard]] BinaryDigits laplace_tail(std::uint64_t level);

/// How many of `n` independent events happen that have the same probability: a binomial deviate,
/// exactly, from about 2n fair bits.
///
/// An event is a uniform deviate below the probability. At each digit a fair coin for every deviate
/// that has agreed with the probability so far tells whether it still does, or on which side it
/// leaves. Throws what the source and the digits throw.
[[nodiscard]] std::uint64_t draw_binomial(std::uint64_t n, BinaryDigits& probability,
                                          BitSource& source);

/// The largest of many deviates of one distribution, without drawing all of them.
class LargestDeviate {
 public:
  /// A distribution: Pr[deviate > level], one draw given that, one draw.
  struct Law {
    BinaryDigits (*tail)(std::uint64_t level);
    ExactDeviate (*draw_above)(std::uint64_t level, BitSource& source);
    ExactDeviate (*draw)(BitSource& source);
  };
  static constexpr Law kNormal{normal_tail, exact_normal_above, exact_normal};
  static constexpr Law kLaplace{laplace_tail, exact_laplace_above, exact_laplace};

  explicit LargestDeviate(const Law& law);

  /// The largest of n independent deviates, of exactly its distribution: the number above a level,
  /// then these. Of n >= 32 the level is one that 16 are expected to be above, or some more. Where
  /// none is, in one of nine million draws at most, all n are drawn given that they are not. Throws
  /// `parameter_error` for n = 0, and what the source throws.
  [[nodiscard]] ExactDeviate draw(std::uint64_t n, BitSource& source);

 private:
  Law law_;
  std::vector<BinaryDigits> tails_;  // by level, as far as they were needed
};

}  // namespace pate
