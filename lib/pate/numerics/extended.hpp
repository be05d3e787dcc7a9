#pragma once

#include <cfloat>
#include <cmath>

// A build may ask for software where `long double` would do, so that what other machines compute is
// tested on this one (`make extended`).
#if LDBL_MANT_DIG < 64 || LDBL_MANT_DIG == 106 || defined(PATE_SOFTWARE_EXTENDED)
#define PATE_EXTENDED_IN_SOFTWARE
#include <boost/multiprecision/cpp_bin_float.hpp>
#endif

namespace pate {

/// Numbers of at least 64 bits of precision and with exponents up to 2^16384, for the few places
/// where doubles cancel or overflow: `long double` where it is that (x86-64: 64 bits; Linux on
/// arm64: 113), and otherwise the same in software (macOS on arm64 and Visual C++, whose
/// `long double` is a double; POWER, whose is two).
///
/// Functions are called without `std::`, after `using std::exp` and the like.
#ifdef PATE_EXTENDED_IN_SOFTWARE
using Extended = boost::multiprecision::cpp_bin_float_double_extended;
#else
using Extended = long double;
#endif

}  // namespace pate
