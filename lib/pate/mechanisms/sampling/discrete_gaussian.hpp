#pragma once

#include <cstdint>

#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate {

/// The discrete Gaussian on the integers: Pr[z] = e^(-z^2 / (2 s^2)) / sum over all integers n of
/// e^(-n^2 / (2 s^2)), with s^2 a multiple of 2^-20.
class DiscreteGaussian {
 public:
  static constexpr double kLeast = 1.0 / 128.0;
  static constexpr double kMost = 4096.0;

  /// s^2 is rounded to the nearest multiple of 2^-20. Throws `parameter_error` unless s is in
  /// [kLeast, kMost].
  explicit DiscreteGaussian(double s);

  /// s^2 as it is used, exactly.
  [[nodiscard]] double variance() const { return variance_; }
  /// sqrt of it, rounded.
  [[nodiscard]] double s() const;
  /// log Pr[z], also where the probability underflows; relative accuracy 1e-15.
  [[nodiscard]] double log_probability(std::int64_t z) const;
  /// log(Pr[z] / Pr[z - shift]) = (shift^2 - 2 z shift) / (2 s^2).
  [[nodiscard]] double log_ratio(std::int64_t z, std::int64_t shift) const;

  /// One draw of exactly this distribution: integers and fair bits only. Source: Canonne, Kamath,
  /// Steinke, "The Discrete Gaussian for Differential Privacy" (2020), Algorithms 1 to 3. Throws
  /// what the source throws, and `input_error` for a source that repeats itself.
  [[nodiscard]] std::int64_t draw(BitSource& source) const;

 private:
  std::int64_t variance_units_;
  double variance_;
  double log_normaliser_;
};

}  // namespace pate
