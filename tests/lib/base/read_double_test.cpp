#include "pate/base/read_double.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

namespace {

struct Read {
  double value = -7.0;
  std::size_t length = 0;
  std::errc code{};
};

Read read(std::string_view text, std::chars_format format = std::chars_format::general) {
  Read result;
  const auto [end, code] =
      pate::read_double(text.data(), text.data() + text.size(), result.value, format);
  result.length = static_cast<std::size_t>(end - text.data());
  result.code = code;
  return result;
}

// The text ends before the end of the memory it is in.
void check_read(std::string_view text, double value, std::size_t length) {
  CAPTURE(text);
  const Read found = read(text);
  CHECK(found.code == std::errc());
  CHECK(std::bit_cast<std::uint64_t>(found.value) == std::bit_cast<std::uint64_t>(value));
  CHECK(found.length == length);
}

void check_refused(std::string_view text, std::errc code, std::size_t length) {
  CAPTURE(text);
  const Read found = read(text);
  CHECK(found.code == code);
  CHECK(found.value == -7.0);
  CHECK(found.length == length);
}

}  // namespace

TEST_CASE("read double: numbers, and where they end") {
  check_read("1", 1.0, 1);
  check_read("-0", -0.0, 2);
  check_read("0.0e5x", 0.0, 5);
  check_read(".5", 0.5, 2);
  check_read("5.", 5.0, 2);
  check_read("1e3", 1000.0, 3);
  check_read("1E-3,2", 1e-3, 4);
  check_read("1e", 1.0, 1);
  check_read("1e+", 1.0, 1);
  check_read("0x10", 0.0, 1);
  check_read("1,5", 1.0, 1);
  check_read("inf", std::numeric_limits<double>::infinity(), 3);
  check_read("-Infinity", -std::numeric_limits<double>::infinity(), 9);
  check_read("1.7976931348623157e308", 1.7976931348623157e308, 22);
  check_read("4.9406564584124654e-324", 4.9406564584124654e-324, 23);
  CHECK(std::isnan(read("nan").value));
  CHECK(std::isnan(read("NaN(12)").value));
  CHECK(read("NaN(12)").length == 7);
  CHECK(read(std::string_view("123", 2)).value == 12.0);
}

TEST_CASE("read double: what is no number, or none that a double can be") {
  for (const std::string_view text : {"", "-", "+1", " 1", ".", "e5", "--1", "votes", "-.e1"}) {
    check_refused(text, std::errc::invalid_argument, 0);
  }
  check_refused("1e309", std::errc::result_out_of_range, 5);
  check_refused("-2e308,", std::errc::result_out_of_range, 6);
  check_refused("1e-400", std::errc::result_out_of_range, 6);
  check_refused("-0.0001e-400", std::errc::result_out_of_range, 12);
  check_refused("1" + std::string(400, '0'), std::errc::result_out_of_range, 401);
  // Zero is zero, whatever its exponent.
  check_read("0e-9999", 0.0, 7);
  check_read("0.000e99", 0.0, 8);
}

TEST_CASE("read double: fixed numbers have no exponent") {
  const Read found = read("1e3", std::chars_format::fixed);
  CHECK(found.value == 1.0);
  CHECK(found.length == 1);
  CHECK(read("2.5GB", std::chars_format::fixed).length == 3);
}

TEST_CASE("read double: the nearest double, as the C library finds it") {
  std::mt19937_64 random(20261125);
  for (int i = 0; i < 20000; ++i) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number) || number == 0.0) continue;
    const std::string shortest = fmt::format("{}", number);
    check_read(shortest, number, shortest.size());
    // Many digits, some of them just beside the middle between two doubles.
    const std::string longer = fmt::format("{:.{}e}", number, 15 + static_cast<int>(random() % 40));
    const double expected = std::strtod(longer.c_str(), nullptr);
    if (std::isfinite(expected) && expected != 0.0) check_read(longer, expected, longer.size());
  }
}
