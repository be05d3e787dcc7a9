#include "pate/numerics/rounded_decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace pate {

namespace {

// d.ddd 10^exponent, by its digits; "0" with exponent 0 for nothing.
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;

  // Keeps the first `count` digits, which may be none, of a number that is rounded upwards.
  void round(int count) {
    const auto kept = static_cast<std::size_t>(std::max(count, 0));
    if (kept >= digits.size()) return;
    const bool rest = digits.find_first_not_of('0', kept) != std::string::npos;
    digits.resize(kept);
    if (rest && !negative) {
      // The unit is added to the last digit that is kept, or to the one before the first.
      if (kept == 0) {
        exponent -= count - 1;
        digits.assign(1, '1');
        return;
      }
      std::size_t i = kept;
      while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
      if (i > 0) {
        ++digits[i - 1];
      } else {
        digits.insert(digits.begin(), '1');
        digits.pop_back();
        ++exponent;
      }
    }
    if (digits.empty() || digits.find_first_not_of('0') == std::string::npos) {
      *this = Decimal{false, "0", 0};
    }
  }
};

Decimal shortest(double value) {
  std::array<char, 32> text{};
  char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
          .ptr;
  Decimal result;
  const char* at = text.data();
  if (*at == '-') {
    result.negative = true;
    ++at;
  }
  for (; at != end && *at != 'e'; ++at) {
    if (*at != '.') result.digits += *at;
  }
  if (at != end) ++at;
  if (at != end && *at == '+') ++at;
  std::from_chars(at, end, result.exponent);
  return result;
}

// With so many places, of which the number has no more digits.
std::string plain(const Decimal& number, int places) {
  std::string text;
  const auto digit = [&](int power) {  // of ten
    const int place = number.exponent - power;
    const bool there = place >= 0 && place < static_cast<int>(number.digits.size());
    return there ? number.digits[static_cast<std::size_t>(place)] : '0';
  };
  if (number.negative) text += '-';
  for (int power = std::max(number.exponent, 0); power >= 0; --power) text += digit(power);
  if (places > 0) text += '.';
  for (int power = -1; power >= -places; --power) text += digit(power);
  return text;
}

}  // namespace

std::string fixed_upwards(double value, int places) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  Decimal number = shortest(value);
  number.round(number.exponent + 1 + places);
  return plain(number, places);
}

std::string digits_upwards(double value, int digits, int longest) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  Decimal number = shortest(value);
  number.round(digits);
  const std::size_t last = number.digits.find_last_not_of('0');
  number.digits.resize(last == std::string::npos ? 1 : last + 1);
  const int behind = static_cast<int>(number.digits.size()) - 1;
  if (number.exponent >= -4 && number.exponent < longest) {
    return plain(number, std::max(behind - number.exponent, 0));
  }
  const int exponent = number.exponent;
  number.exponent = 0;
  return fmt::format("{}e{}{:02}", plain(number, behind), exponent < 0 ? '-' : '+',
                     std::abs(exponent));
}

std::string odds_upwards(double epsilon) {
  constexpr double kMost = 600.0;
  if (!(epsilon < kMost)) return "e^" + digits_upwards(epsilon, 6);
  if (epsilon == 0.0) return "1";
  // exp is within a unit in the last place.
  const double odds = std::nextafter(std::exp(epsilon), std::numeric_limits<double>::infinity());
  return digits_upwards(odds, 3, 6);
}

}  // namespace pate
