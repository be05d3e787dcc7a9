#include "pate/base/read_double.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <system_error>

namespace pate {

namespace {

// Whether digits that were read as zero or infinity were neither: releases of fast_float before 4
// do not tell.
bool out_of_range(const char* begin, const char* end, double value) {
  if (value != 0.0 && !std::isinf(value)) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (std::isinf(value)) return std::any_of(begin, end, is_digit);
  const char* const exponent =
      std::find_if(begin, end, [](char c) { return c == 'e' || c == 'E'; });
  return std::any_of(begin, exponent, [](char c) { return c >= '1' && c <= '9'; });
}

}  // namespace

std::from_chars_result read_double(const char* begin, const char* end, double& value,
                                   std::chars_format format) noexcept {
  const bool fixed = format == std::chars_format::fixed;
  double number = 0.0;
  auto [stop, code] = fast_float::from_chars(
      begin, end, number,
      fixed ? fast_float::chars_format::fixed : fast_float::chars_format::general);
  if (code == std::errc::invalid_argument) return {begin, code};
  if (out_of_range(begin, stop, number)) code = std::errc::result_out_of_range;
  if (code == std::errc()) value = number;
  return {stop, code};
}

}  // namespace pate
