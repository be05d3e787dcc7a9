#pragma once

#include <math.h>  // NOLINT(modernize-deprecated-headers): lgammal_r is not in <cmath>

#include "pate/numerics/extended.hpp"

#if defined(PATE_EXTENDED_IN_SOFTWARE) || !(defined(__linux__) || defined(__FreeBSD__))
#include <boost/math/special_functions/gamma.hpp>
#endif

namespace pate {

/// log Gamma(x), x > 0. Not of `std::lgamma`, which writes the sign to a global that all threads
/// share.
[[nodiscard]] inline Extended log_gamma(const Extended& x) {
#if !defined(PATE_EXTENDED_IN_SOFTWARE) && (defined(__linux__) || defined(__FreeBSD__))
  int sign = 0;
  return ::lgammal_r(x, &sign);
#else
  return boost::math::lgamma(x);
#endif
}

}  // namespace pate
