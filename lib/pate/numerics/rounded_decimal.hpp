#pragma once

#include <string>

namespace pate {

// Numbers for people that must not be shown as less than they are. A double stands for the decimal
// with the fewest digits that reads back to it, as 0.1 does for 0x3FB999999999999A, and that
// decimal is rounded upwards, exactly: what is shown reads back to no less than the double.
// Infinities and NaN are "inf", "-inf" and "nan".

/// With so many places behind the point, 0..17: 0.10001 with 4 is "0.1001", and 0.1 "0.1000".
[[nodiscard]] std::string fixed_upwards(double value, int places);

/// With so many digits at most, 1..17, and no zeros at their end: 12341 with 3 is "12400". Numbers
/// below 1e-4, and those of 10^longest or more, are written in powers of ten, "1.24e+04" where
/// `longest` is 4.
[[nodiscard]] std::string digits_upwards(double value, int digits, int longest);

/// The same, in powers of ten from 10^digits on, as "%g" has it.
[[nodiscard]] inline std::string digits_upwards(double value, int digits) {
  return digits_upwards(value, digits, digits);
}

/// e^epsilon with three digits, in powers of ten from a million on; "e^712.4" where a double cannot
/// be relied on to hold it. Domain: epsilon >= 0.
[[nodiscard]] std::string odds_upwards(double epsilon);

}  // namespace pate
