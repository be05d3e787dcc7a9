#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "pate/numerics/sums.hpp"

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

/// A positive decimal of at most 12 digits as (n, e), n 10^e, where x is the double nearest to one.
[[nodiscard]] inline std::optional<std::pair<std::int64_t, int>> short_decimal(double x) {
  const std::string text = fmt::format("{:.11e}", x);  // d.ddddddddddde-05
  if (!(x > 0.0) || !std::isfinite(x) || std::strtod(text.c_str(), nullptr) != x) return {};
  std::int64_t n = std::stoll(text.substr(0, 1) + text.substr(2, 11));
  int e = std::stoi(text.substr(14)) - 11;
  for (; n % 10 == 0; n /= 10) ++e;
  return std::pair(n, e);
}

/// a + b for deltas, which are never negative: where both are short decimals, as people give them,
/// the double nearest to the sum of these decimals, as they are nearest to theirs, so that 1e-05
/// and 2e-05 are 3e-05; otherwise, and where the sum has more than 15 digits, rounded up.
[[nodiscard]] inline double decimal_sum(double a, double b) {
  auto x = short_decimal(a);
  auto y = short_decimal(b);
  if (!x || !y || std::abs(x->second - y->second) > 6) return sum_upwards(a, b);
  if (x->second < y->second) std::swap(x, y);
  for (; x->second > y->second; --x->second) x->first *= 10;
  const std::int64_t n = x->first + y->first;
  if (n >= 1'000'000'000'000'000) return sum_upwards(a, b);
  return std::strtod(fmt::format("{}e{}", n, y->second).c_str(), nullptr);
}

}  // namespace pate
