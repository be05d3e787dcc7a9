#pragma once

#include <charconv>

namespace pate {

/// Reads the decimal number that a text begins with, to the nearest double, whatever the locale:
/// what `std::from_chars` does, which not every standard library has for doubles. "inf", "nan" and
/// "nan(anything)" are numbers in any case of letters; a sign `+` and blanks in front are not.
///
/// Returns where the number ends and, in `ec`, `invalid_argument` where there is none,
/// `result_out_of_range` where it is larger than any double or is not zero and would be read as
/// zero; `value` is written only where `ec` is no error.
[[nodiscard]] std::from_chars_result read_double(
    const char* begin, const char* end, double& value,
    std::chars_format format = std::chars_format::general) noexcept;

}  // namespace pate
