#include "pate/mechanisms/positive_parameter.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr double kSmallest = 1e-100;
constexpr double kLargest = 1e100;

}  // namespace

void require_positive(double value, const char* name) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw parameter_error(fmt::format("{} must be > 0 and finite, got {}", name, value));
  }
  if (value < kSmallest || value > kLargest) {
    throw parameter_error(fmt::format("{} must be between {} and {} votes, got {}", name, kSmallest,
                                      kLargest, value));
  }
}

}  // namespace pate
