#pragma once

#include <cmath>
#include <limits>

namespace pate {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The larger of two numbers, NaN if either is: for maxima over costs, where std::max may pass over
/// a NaN and report too little.
template <class Real>
[[nodiscard]] Real max_or_nan(Real a, Real b) {
  return a > b || std::isnan(a) ? a : b;
}

}  // namespace pate
