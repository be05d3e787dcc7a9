#include "cli/html/html.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::cli {

using io::JsonType;
using io::JsonValue;

namespace {

constexpr std::size_t kShownElements = 12;

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string escaped_words(std::string name) {
  return escaped(in_words(std::move(name)));
}

std::string data_address(std::string_view svg) {
  std::string result = "data:image/svg+xml,";
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 ||
        std::string_view(" -_.,:;=/()").find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", byte);
    }
  }
  return result;
}

std::string rounded_up(double value) {
  return digits_upwards(value, 3, 7);
}

std::string scalar_text(const JsonValue& value) {
  switch (value.type()) {
    case JsonType::null:
      return "<span class=\"quiet\">none</span>";
    case JsonType::boolean:
      return value.boolean() ? "yes" : "no";
    case JsonType::text:
      return escaped(value.text());
    default:
      return escaped(value.dump());
  }
}

bool is_scalar(const JsonValue& value) {
  return value.type() != JsonType::array && value.type() != JsonType::object;
}

// As deep as the reader of JSON allows.
// NOLINTNEXTLINE(misc-no-recursion)
void add_value(Html& page, const JsonValue& value) {
  if (value.type() == JsonType::object) {
    page.add("<dl>");
    for (const auto& [key, member] : value.members()) {
      page.add("<dt>{}</dt><dd>", escaped_words(key));
      add_value(page, member);
      page.add("</dd>");
    }
    page.add("</dl>");
    return;
  }
  if (value.type() != JsonType::array) return page.add("{}", scalar_text(value));
  const std::vector<JsonValue> all = value.elements();
  if (all.size() > kShownElements) return page.add("{} values: see the report", all.size());
  if (std::ranges::all_of(all, is_scalar)) {
    std::string list;
    for (const JsonValue& one : all) list += (list.empty() ? "" : ", ") + scalar_text(one);
    return page.add("{}", all.empty() ? "none" : list);
  }
  page.add("<ol>");
  for (const JsonValue& one : all) {
    page.add("<li>");
    add_value(page, one);
    page.add("</li>");
  }
  page.add("</ol>");
}

}  // namespace pate::cli
