#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace pate {

/// A number for people: with the fewest digits that read back to the same double; or, where it is
/// within 16 units in the last place of a decimal of at most 12 digits, that decimal. So sums of
/// decimals are shown as decimals, 1e-05 + 2e-05 as 3e-05, not 3.0000000000000004e-05: the digits
/// left out are those of binary rounding. For deltas and limits, which people give as decimals, and
/// sums of them; reports keep every bit.
[[nodiscard]] inline std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (!std::isfinite(value)) return text;
  std::string shorter = fmt::format("{:.12g}", value);
  const double read = std::strtod(shorter.c_str(), nullptr);
  const double room = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(value);
  return std::abs(read - value) <= room / 2.0 ? shorter : text;
}

}  // namespace pate
