#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "pate/base/error.hpp"

namespace pate {

/// Throws `parameter_error` with the text, filled with the values, unless `holds`. Say what must
/// hold so that NaN fails it.
template <class... Values>
void require(bool holds, fmt::format_string<const Values&...> text, const Values&... values) {
  if (!holds) throw parameter_error(fmt::format(text, values...));
}

/// Throws `parameter_error` unless a cost, or what it is counted in, is >= 0 and finite.
inline void require_cost(double value, std::string_view name) {
  require(value >= 0.0 && std::isfinite(value), "{} must be >= 0 and finite, got {}", name, value);
}

/// Throws `parameter_error` unless there are 1 to `most` of something.
inline void require_count(std::int64_t value, std::int64_t most, std::string_view name) {
  require(value >= 1 && value <= most, "{} must be >= 1 and <= {}, got {}", name, most, value);
}

}  // namespace pate
