#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

// Elements of tables: what is read of them as which number, whatever they are stored in, and how
// they lie in memory.

namespace pate::io {

/// An element of an array of bool: a byte that must be 0 or 1.
enum class BoolElement : std::uint8_t {};

/// An element of an array of float16: its bits.
enum class HalfElement : std::uint16_t {};

/// The number that it is, exactly; infinities and NaN as they are.
[[nodiscard]] double half_value(HalfElement element);

/// What an element of type T must be to be read as a `Number`, int64 or double; for messages.
///
/// Floats of 2 bytes are integers as far as every integer is one of them: what is beyond may have
/// been another integer before it was stored.
template <typename Number, typename T = void>
inline constexpr const char* kExpectedElement =
    std::is_floating_point_v<Number> ? "a finite number"
    : std::is_same_v<T, HalfElement> ? "an integer below 2048 (float16 has not all that are larger)"
                                     : "an integer in the range of int64";

/// So far may a float be from an integer to be read as one: what sums and means leave behind.
inline constexpr double kWholeWithin = 1e-9;

/// Whether an element is an integer in the range of int64, of floats within 1e-9, and that integer.
template <typename T>
bool convert_element(T value, std::int64_t& to) {
  if constexpr (std::is_same_v<T, BoolElement>) {
    to = static_cast<std::int64_t>(value);
    return to <= 1;
  } else if constexpr (std::is_same_v<T, HalfElement>) {
    constexpr double kLimit = 2048.0;
    const double number = half_value(value);
    const bool good = number > -kLimit && number < kLimit && std::trunc(number) == number;
    to = good ? static_cast<std::int64_t>(number) : 0;
    return good;
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T kLimit = static_cast<T>(9223372036854775808.0);  // 2^63 is exact in float too
    const bool in_range = value >= -kLimit && value < kLimit;
    if (in_range && std::trunc(value) != value) {
      const T nearest = std::round(value);
      if (std::abs(static_cast<double>(value - nearest)) <= kWholeWithin) value = nearest;
    }
    const bool good = in_range && std::trunc(value) == value;
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
  if constexpr (std::is_same_v<T, HalfElement>) return convert_element(half_value(value), to);
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
  } else if constexpr (std::is_same_v<T, HalfElement>) {
    return show_element(half_value(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
  } else {
    return fmt::format(
        "{}",
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  }
}

/// A sequence of numbers in memory, in about as few bytes as they need.
///
/// Stretches of 65,536 numbers are stored apart: integers in 1, 2, 4 or 8 bytes each, whichever the
/// stretch fits into; a stretch with a real among them as doubles, where integers beyond 2^53 are
/// rounded to the nearest double. Filled by one thread (`push`..., `finish`), then read by any.
class PackedNumbers {
 public:
  void push(std::int64_t value) {
    if (used_ == kStretch) seal();
    if (open_is_real_) {
      reals_[used_++] = static_cast<double>(value);
    } else {
      if (used_ == 0) integers_.resize(kStretch);
      integers_[used_++] = value;
    }
  }
  void push(double value);
  /// Nothing is pushed afterwards; before it, nothing is read.
  void finish();

  /// Whether every number was pushed as an integer.
  [[nodiscard]] bool all_integers() const { return all_integers_; }

  /// Copies the numbers from `first` on into `out`, int64 or double, up to the first that
  /// `convert_element` refuses. Returns how many were copied.
  template <typename Number>
  [[nodiscard]] std::size_t copy(std::size_t first, std::span<Number> out) const;
  /// A number as text: the shortest that reads back to the same double, or "nan", "inf", "-inf".
  [[nodiscard]] std::string show(std::size_t index) const;

 private:
  static constexpr std::size_t kStretch = 65536;
  using Stretch =
      std::variant<std::vector<std::int8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                   std::vector<std::int64_t>, std::vector<double>>;

  void seal();

  std::vector<Stretch> stretches_;
  // The stretch being filled.
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
  std::size_t used_ = 0;
  bool open_is_real_ = false;
  bool all_integers_ = true;
};

template <typename Number>
std::size_t PackedNumbers::copy(std::size_t first, std::span<Number> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::size_t offset = (first + done) % kStretch;
    const std::size_t count = std::min(kStretch - offset, out.size() - done);
    const std::size_t copied = std::visit(
        [&](const auto& values) {
          std::size_t i = 0;
          while (i < count && convert_element(values[offset + i], out[done + i])) ++i;
          return i;
        },
        stretches_[(first + done) / kStretch]);
    done += copied;
    if (copied < count) break;
  }
  return done;
}

}  // namespace pate::io
