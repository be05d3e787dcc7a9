#pragma once

#include <cmath>
#include <limits>

namespace pate {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The larger of two numbers, NaN if either is: for maxima over costs, where std::max may pass over
/// a NaN and report too little.
template <class Real>
[[nodiscard]] Real max_or_nan(Real a, Real b) {
  using std::isnan;
  return a > b || isnan(a) ? a : b;
}

}  // namespace pate
