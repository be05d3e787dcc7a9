#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

// Elements of tables: what is read of them as which number, whatever they are stored in.

namespace pate::io {

/// An element of an array of bool: a byte that must be 0 or 1.
enum class BoolElement : std::uint8_t {};

/// What an element must be to be read as a `Number`, int64 or double; for messages.
template <typename Number>
inline constexpr const char* kExpectedElement =
    std::is_floating_point_v<Number> ? "a finite number" : "an integer in the range of int64";

/// Whether an element is an integer in the range of int64, and that integer.
template <typename T>
bool convert_element(T value, std::int64_t& to) {
  if constexpr (std::is_same_v<T, BoolElement>) {
    to = static_cast<std::int64_t>(value);
    return to <= 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T kLimit = static_cast<T>(9223372036854775808.0);  // 2^63 is exact in float too
    const bool good = value >= -kLimit && value < kLimit && std::trunc(value) == value;
    to = good ? static_cast<std::int64_t>(value) : 0;
    return good;
  } else {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8 elements are numbers
    to = static_cast<std::int64_t>(value);
    return std::is_signed_v<T> || to >= 0;
  }
}

/// Whether an element is a finite number, and the double nearest to it.
template <typename T>
bool convert_element(T value, double& to) {
  to = static_cast<double>(value);
  if constexpr (std::is_same_v<T, BoolElement>) return static_cast<int>(value) <= 1;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
  return true;
}

/// An element as text: the shortest that reads back to the same number, or "nan", "inf", "-inf".
template <typename T>
std::string show_element(T value) {
  if constexpr (std::is_same_v<T, BoolElement>) {
    return fmt::format("byte {} in an array of bool", static_cast<int>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
  } else {
    return fmt::format(
        "{}",
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  }
}

}  // namespace pate::io
