#pragma once

#include <cstdint>
#include <utility>

#include "pate/math/dyadic.hpp"
#include "pate/sampling/bit_source.hpp"
#include "pate/sampling/lazy_uniform.hpp"

namespace pate {

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

}  // namespace pate
