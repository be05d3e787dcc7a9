#include "pate/base/clock.hpp"

#include <fmt/format.h>

#include "pate/base/error.hpp"

namespace pate::io {

std::time_t clock_now(std::string_view help) {
  const std::time_t now = std::time(nullptr);
  if (has_date(now)) return now;
  throw input_error(
      fmt::format("the clock of this machine says {} seconds since 1970, {}", now, help));
}

}  // namespace pate::io
