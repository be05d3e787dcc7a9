#pragma once

#include <ctime>
#include <string_view>

namespace pate::io {

/// Whether seconds since 1970 have a date within the years 1970 to 9999, which has four digits of a
/// year.
[[nodiscard]] constexpr bool has_date(std::time_t seconds) {
  constexpr std::time_t kLast = 253402300799;
  return seconds >= 0 && seconds <= kLast;
}

/// The seconds since 1970 that the clock says. Throws `input_error`, which ends with `help`, where
/// they have no date.
[[nodiscard]] std::time_t clock_now(std::string_view help);

}  // namespace pate::io
