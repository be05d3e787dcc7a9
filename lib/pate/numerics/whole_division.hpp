#pragma once

#include <cstdint>

namespace pate {

/// floor(a / b) of whole numbers a and b > 0. Exact.
[[nodiscard]] constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/// ceil(a / b) of whole numbers a >= 0 and b > 0 whose sum is in range. Exact.
[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace pate
