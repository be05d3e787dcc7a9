#include "pate/base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"

namespace pate::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownBytes = 60;

const Json& as_json(const void* node) {
  return *static_cast<const Json*>(node);
}

Json& as_json(const std::shared_ptr<void>& node) {
  return *static_cast<Json*>(node.get());
}

// Escaped beyond what JSON asks for: DEL and the control characters U+0080 to U+009F, which a
// terminal may obey. Outside of strings there are none.
std::string dumped(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    if (code == 0x7f) {
      text.replace(i, 1, "\\u007f");
    } else if (code == 0xc2 && i + 1 < text.size() &&
               static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      text.replace(i, 2, fmt::format("\\u{:04x}", static_cast<unsigned char>(text[i + 1])));
    }
  }
  return text;
}

bool is_number_or_null(const Json& json) {
  return json.is_number() || json.is_null();
}

// With two spaces of indentation; `indent` is a line break and the indentation of the value.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the report.
void print(const Json& json, const std::string& indent, std::string& text) {
  if (!json.is_structured() || json.empty()) {
    text += dumped(json);
    return;
  }
  if (json.is_array() && std::ranges::all_of(json, is_number_or_null)) {
    for (const char c : dumped(json)) {
      text += c;
      if (c == ',') text += ' ';
    }
    return;
  }
  const std::string inner = indent + "  ";
  text += json.is_array() ? '[' : '{';
  const char* between = "";
  for (auto member = json.begin(); member != json.end(); ++member) {
    text += between + inner;
    between = ",";
    if (json.is_object()) text += dumped(member.key()) + ": ";
    print(*member, inner, text);
  }
  text += indent + (json.is_array() ? ']' : '}');
}

// Members of objects by name, but for one of the outermost.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the report.
void print_canonical(const Json& json, std::string_view left_out, std::string& text) {
  if (!json.is_structured()) {
    text += dumped(json);
    return;
  }
  std::vector<std::pair<std::string_view, const Json*>> children;
  if (json.is_array()) {
    for (const Json& element : json) children.emplace_back("", &element);
  } else {
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>()) {
      if (key != left_out || left_out.empty()) children.emplace_back(key, &value);
    }
    std::ranges::sort(children, {}, [](const auto& child) { return child.first; });
  }
  text += json.is_array() ? '[' : '{';
  for (const auto& [key, value] : children) {
    if (json.is_object()) text += dumped(Json(key)) + ':';
    print_canonical(*value, "", text);
    text += ',';
  }
  text += json.is_array() ? ']' : '}';
}

std::string shown(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return fmt::format("an array of {}", json.size());
  return printable(dumped(json), kShownBytes);
}

// A number in the range, or nothing.
std::optional<double> number_of(const Json& json, double least, double most) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> integer_of(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) {
    return std::nullopt;
  }
  const auto value = json.get<std::int64_t>();
  return value < least || value > most ? std::nullopt : std::optional(value);
}

std::string number_expected(double least, double most) {
  const double largest = std::numeric_limits<double>::max();
  if (least == -largest && most == largest) return "a number";
  if (most == largest) return fmt::format("a number >= {}", least);
  if (least == -largest) return fmt::format("a number <= {}", most);
  return fmt::format("a number from {} to {}", least, most);
}

std::string integer_expected(std::int64_t least, std::int64_t most) {
  if (most == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("a whole number >= {}", least);
  }
  return fmt::format("a whole number from {} to {}", least, most);
}

// The elements of an array, each as `read` gives it, which is nothing where it is not as expected.
template <typename T, typename Read>
std::vector<T> read_array(const JsonValue& value, const Json& json, const char* array,
                          const std::string& expected, const Read& read) {
  if (!json.is_array()) value.fail(array);
  std::vector<T> result;
  result.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::optional<T> element = read(json[i]);
    if (!element) value.elements()[i].fail(expected);
    result.push_back(*element);
  }
  return result;
}

// Reports need 6 levels, and 50 members.
constexpr std::size_t kMaxLevels = 50;
constexpr std::size_t kMaxMembers = 1000;

// The position behind a string that begins at `start`; the size of the text where it does not end.
std::size_t behind_string(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

}  // namespace

JsonValue JsonValue::document_of(std::shared_ptr<const void> node, std::string name,
                                 std::string sha256) {
  const void* root = node.get();
  return {std::make_shared<const Document>(
              Document{std::move(name), std::move(sha256), std::move(node)}),
          root, ""};
}

JsonValue JsonValue::as_document(std::string name) const {
  return document_of({document_, node_}, std::move(name), sha256());
}

JsonValue JsonValue::read_file(const std::string& path) {
  return parse(read_text_file(path), path);
}

std::optional<JsonValue> JsonValue::parse_if_json(std::string_view text, std::string name) {
  const std::string_view excess = json_limit_exceeded(text);
  if (!excess.empty()) {
    throw input_error(fmt::format("{}: expected a JSON report, but {}", name, excess));
  }
  auto root = std::make_shared<const Json>(Json::parse(text, nullptr, false));
  if (root->is_discarded()) return std::nullopt;
  return document_of(std::move(root), std::move(name),
                     sha256_hex(std::as_bytes(std::span(text.data(), text.size()))));
}

JsonValue JsonValue::parse(std::string_view text, std::string name) {
  if (auto value = parse_if_json(text, name)) return *std::move(value);
  try {
    const Json none = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw input_error(fmt::format("{}: expected a JSON report, but it is no JSON from byte {} on",
                                  name, error.byte));
  } catch (const Json::exception&) {
  }
  throw input_error(
      fmt::format("{}: expected a JSON report, but it has a number that no double holds", name));
}

bool operator==(const JsonValue& a, const JsonValue& b) {
  return as_json(a.node_) == as_json(b.node_);
}

void JsonValue::fail(const std::string& expected) const {
  throw input_error(fmt::format("{}: {}{}expected {}, found {}", file(), path_,
                                path_.empty() ? "" : ": ", expected, shown(as_json(node_))));
}

JsonValue JsonValue::child(const std::string& key, const void* node) const {
  return {document_, node, path_.empty() ? key : path_ + "." + key};
}

bool JsonValue::has(const std::string& key) const {
  if (type() != JsonType::object) fail("an object");
  return as_json(node_).contains(key);
}

std::optional<JsonValue> JsonValue::find(const std::string& key) const {
  if (!has(key) || at(key).is_null()) return std::nullopt;
  return at(key);
}

JsonValue JsonValue::at(const std::string& key) const {
  if (has(key)) return child(key, &as_json(node_).at(key));
  throw input_error(fmt::format("{}: {}: is missing", file(), child(key, nullptr).path()));
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (type() != JsonType::object) fail("an object");
  std::vector<std::pair<std::string, JsonValue>> result;
  for (const auto& [key, value] : as_json(node_).items()) {
    result.emplace_back(key, child(key, &value));
  }
  return result;
}

std::vector<JsonValue> JsonValue::elements() const {
  const Json& json = as_json(node_);
  if (!json.is_array()) fail("an array");
  std::vector<JsonValue> result;
  for (std::size_t i = 0; i < json.size(); ++i) {
    result.push_back(JsonValue(document_, &json[i], fmt::format("{}[{}]", path_, i)));
  }
  return result;
}

JsonType JsonValue::type() const {
  const Json& json = as_json(node_);
  if (json.is_null()) return JsonType::null;
  if (json.is_boolean()) return JsonType::boolean;
  if (json.is_number_integer()) return JsonType::whole;
  if (json.is_number()) return JsonType::real;
  if (json.is_string()) return JsonType::text;
  return json.is_array() ? JsonType::array : JsonType::object;
}

bool JsonValue::boolean() const {
  if (!as_json(node_).is_boolean()) fail("true or false");
  return as_json(node_).get<bool>();
}

std::string JsonValue::text() const {
  if (!as_json(node_).is_string()) fail("a text");
  return as_json(node_).get<std::string>();
}

double JsonValue::number(double least, double most) const {
  const auto value = number_of(as_json(node_), least, most);
  if (!value) fail(number_expected(least, most));
  return *value;
}

std::int64_t JsonValue::integer(std::int64_t least, std::int64_t most) const {
  const auto value = integer_of(as_json(node_), least, most);
  if (!value) fail(integer_expected(least, most));
  return *value;
}

std::vector<double> JsonValue::numbers(double least, double most,
                                       std::optional<double> null_is) const {
  const auto read = [&](const Json& json) {
    return json.is_null() && null_is ? null_is : number_of(json, least, most);
  };
  return read_array<double>(*this, as_json(node_), "an array of numbers",
                            number_expected(least, most), read);
}

std::vector<std::int64_t> JsonValue::integers(std::int64_t least, std::int64_t most) const {
  const auto read = [&](const Json& json) { return integer_of(json, least, most); };
  return read_array<std::int64_t>(*this, as_json(node_), "an array of whole numbers",
                                  integer_expected(least, most), read);
}

std::string JsonValue::dump() const {
  return dumped(as_json(node_));
}

std::string JsonValue::canonical(std::string_view left_out) const {
  std::string text;
  print_canonical(as_json(node_), left_out, text);
  return text;
}

std::string_view json_limit_exceeded(std::string_view text) {
  // Of every open object how many names it has had. Elements of arrays are not counted.
  std::array<std::size_t, kMaxLevels> names{};
  std::size_t levels = 0;
  for (std::size_t i = 0; i < text.size();) {
    switch (text[i]) {
      case '"':
        i = behind_string(text, i);
        continue;
      case '{':
      case '[':
        if (levels == kMaxLevels) return "it is nested deeper than 50 levels";
        names[levels++] = 0;
        break;
      case '}':
      case ']':
        levels -= std::min<std::size_t>(levels, 1);
        break;
      case ':':
        if (levels > 0 && ++names[levels - 1] > kMaxMembers) {
          return "it has an object of more than 1000 members";
        }
        break;
      default:
        break;
    }
    ++i;
  }
  return {};
}

JsonWriter::JsonWriter() : node_(std::make_shared<Json>()) {}

// The first member or element would make an object or an array of null, and where memory is lacking
// leave one that cannot be destroyed: so that is made apart.
JsonWriter JsonWriter::member(std::string_view key) const {
  Json& object = as_json(node_);
  if (object.is_null()) object = Json::object();
  return JsonWriter({node_, &object[std::string(key)]});
}

JsonWriter JsonWriter::element() const {
  Json& array = as_json(node_);
  if (array.is_null()) array = Json::array();
  array.push_back(nullptr);
  return JsonWriter({node_, &array.back()});
}

void JsonWriter::set(std::variant<bool, std::int64_t, double, std::string_view> value) const {
  const auto* number = std::get_if<double>(&value);
  if (number != nullptr && !std::isfinite(*number)) {
    as_json(node_) = nullptr;
    return;
  }
  std::visit([&](auto its) { as_json(node_) = its; }, value);
}

void JsonWriter::set_empty_object() const {
  as_json(node_) = Json::object();
}

void JsonWriter::set_empty_array() const {
  as_json(node_) = Json::array();
}

void JsonWriter::set(const JsonValue& value) const {
  as_json(node_) = *static_cast<const Json*>(value.node_);
}

JsonValue JsonWriter::value(std::string name) const {
  return JsonValue::document_of(node_, std::move(name), "");
}

std::string JsonWriter::line() const {
  return dumped(as_json(node_));
}

std::string JsonWriter::text() const {
  std::string text;
  print(as_json(node_), "\n", text);
  return text;
}

}  // namespace pate::io
