#include "cli/commands/html.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "pate/reports/figures/report_figures.hpp"

namespace pate::cli {

using io::JsonType;
using io::JsonValue;

namespace {

constexpr std::size_t kShownElements = 12;

}  // namespace

const char* const kStyle = R"(
:root { color-scheme: light dark; --text: #1a1a1a; --quiet: #555; --page: #fff; --line: #c8c8c8;
  --box: #f3f5f7; --yes: #0b5d2e; --no: #9b1c1c; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --quiet: #b5b5b5; --page: #16181b;
  --line: #474b50; --box: #22262b; --yes: #7ddba2; --no: #ff9d94; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.35rem; margin-top: 2.5rem; } h3 { font-size: 1.1rem; }
h1, h2, h3 { line-height: 1.25; }
.quiet { color: var(--quiet); } .yes { color: var(--yes); } .no { color: var(--no); }
.yes, .no { font-weight: 600; }
.box { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .2rem 1rem; }
.number { font-size: 1.5rem; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; text-align: left;
  vertical-align: top; overflow-wrap: normal; }
td.right, th.right { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: .3rem; }
figure { margin: 1rem 0; display: inline-block; max-width: 100%; vertical-align: top; }
figure img { max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line); }
dl { margin: 0 0 0 1rem; } dt { font-weight: 600; } dd { margin: 0 0 .3rem 1rem; }
summary { cursor: pointer; }
@media print { body { max-width: none; font-size: 10pt; } h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; } }
)";

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

bool is_scalar(const JsonValue& value) {
  return value.type() != JsonType::array && value.type() != JsonType::object;
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

void add_texts(Html& page, const char* title, const JsonValue& list) {
  const std::vector<JsonValue> all = list.elements();
  if (all.empty()) return;
  page.add("<h4>{}</h4>\n<ul>", title);
  for (const JsonValue& one : all) page.add("<li>{}</li>", escaped(one.text()));
  page.add("</ul>");
}

}  // namespace pate::cli
