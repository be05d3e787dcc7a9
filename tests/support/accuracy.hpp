#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "pate/numerics/infinity.hpp"

namespace pate_test {

using pate::kInfinity;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The one error metric: |got - expected| / |expected|; 0 where both are the same, infinities
/// included; +inf where either is NaN, where only one is infinite, and where only `expected` is 0.
inline double relative_error(double got, double expected) {
  if (std::isnan(got) || std::isnan(expected)) return kInfinity;
  if (got == expected) return 0.0;
  if (std::isinf(got) || std::isinf(expected) || expected == 0.0) return kInfinity;
  return std::abs(got - expected) / std::abs(expected);
}

/// Costs below this are reported as any number in (0, kMinReported].
inline constexpr double kMinReported = 1e-300;

/// Whether a reported cost is at least the reference and at most (1 + 1e-9) times it.
inline bool covers(double reported, double reference) {
  if (reference < kMinReported) return reported > 0.0 && reported <= kMinReported;
  return reported >= reference && reported <= reference * (1.0 + 1e-9);
}

/// The error of a probability, where anything in [0, 1e-300) does for a reference below 1e-300.
inline double probability_error(double got, double expected) {
  if (expected < kMinReported && got >= 0.0 && got < kMinReported) return 0.0;
  return relative_error(got, expected);
}

/// "log_q=-4.5 sigma=40 ...", with all digits, for messages.
inline std::string show(std::initializer_list<std::pair<const char*, double>> values) {
  std::string text;
  for (const auto& [name, value] : values) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%s=%.17g ", name, value);
    text += buffer;
  }
  return text;
}

}  // namespace pate_test
