#pragma once

#include <math.h>  // NOLINT(modernize-deprecated-headers): lgammal_r is not in <cmath>

namespace pate {

/// log Gamma(x), x > 0, of `std::lgamma`, which writes the sign to a global that all threads share.
[[nodiscard]] inline long double log_gamma(long double x) {
  int sign = 0;
  return ::lgammal_r(x, &sign);
}

}  // namespace pate
