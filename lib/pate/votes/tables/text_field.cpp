#include "pate/votes/tables/text_field.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "pate/base/read_double.hpp"

namespace pate::io {

FieldNumber parse_field(std::string_view text) {
  FieldNumber number;
  for (const bool truth : {false, true}) {
    const std::array<std::string_view, 3> words =
        truth ? std::array<std::string_view, 3>{"True", "TRUE", "true"}
              : std::array<std::string_view, 3>{"False", "FALSE", "false"};
    if (std::ranges::find(words, text) == words.end()) continue;
    number.kind = FieldNumber::Kind::truth;
    number.integer = truth ? 1 : 0;
    return number;
  }
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, number.integer);
  if (whole.ptr == end && whole.ec == std::errc()) {
    number.kind = FieldNumber::Kind::integer;
    return number;
  }
  const auto real = read_double(text.data(), end, number.real);
  // "nan(anything)" is read as a number too.
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

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 16> kMissing{
      "",  "NA", "N/A", "na",  "null",    "NULL",    "None",      "none",
      "-", "?",  "nan", "NaN", "abstain", "Abstain", "abstained", "ABSTAIN"};
  return std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

bool is_index(std::string_view heading) {
  return heading.empty() || heading == "index" || heading == "Unnamed: 0";
}

}  // namespace pate::io
