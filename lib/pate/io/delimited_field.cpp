#include "pate/io/delimited_field.hpp"

#include <charconv>
#include <system_error>

namespace pate {

FieldNumber parse_field(std::string_view text) {
  FieldNumber number;
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, number.integer);
  if (whole.ptr == end && whole.ec == std::errc()) {
    number.kind = FieldNumber::Kind::integer;
    return number;
  }
  const auto real = std::from_chars(text.data(), end, number.real);
  // from_chars takes "nan(anything)" for a number too.
  if (real.ptr != end || text.ends_with(')')) return number;
  if (real.ec == std::errc()) number.kind = FieldNumber::Kind::real;
  if (real.ec == std::errc::result_out_of_range) number.kind = FieldNumber::Kind::too_far;
  return number;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace pate
