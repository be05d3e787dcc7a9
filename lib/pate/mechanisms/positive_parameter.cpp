#include "pate/mechanisms/positive_parameter.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pate/error.hpp"

namespace pate {

void require_positive(double value, const char* name) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw parameter_error(fmt::format("{} must be > 0 and finite, got {}", name, value));
  }
}

}  // namespace pate
