#pragma once

#include <cmath>
#include <cstdint>

namespace pate {

// How both kinds of curves are made of a growth by e^(beta y): where they begin, and what is in
// their tables.

/// The first index that is looked at: there a curve has 1e-4 of its growth.
[[nodiscard]] inline std::int64_t first_index(double beta) {
  constexpr double kMinShare = 1e-4;
  return static_cast<std::int64_t>(std::floor(std::log(kMinShare) / beta));
}

/// The last: from there on a curve is `cap` times what it has at 0.
[[nodiscard]] inline std::int64_t last_index(double beta, double cap) {
  return static_cast<std::int64_t>(std::ceil(std::log(cap) / beta));
}

/// A multiple of 2^-30, rounded up: values that many machines agree on.
[[nodiscard]] inline double curve_value(double x) {
  constexpr int kExponent = -30;
  return std::ldexp(std::ceil(std::ldexp(x, -kExponent)), kExponent);
}

}  // namespace pate
