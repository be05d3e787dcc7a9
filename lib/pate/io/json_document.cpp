#include "pate/io/json_document.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "pate/error.hpp"
#include "pate/io/json_excess.hpp"
#include "pate/io/mapped_file.hpp"
#include "pate/io/pipes.hpp"
#include "pate/io/printable.hpp"
#include "pate/io/sha256.hpp"

namespace pate::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownBytes = 60;

const Json& as_json(const void* node) {
  return *static_cast<const Json*>(node);
}

std::string shown(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return fmt::format("an array of {}", json.size());
  return printable(json.dump(-1, ' ', false, Json::error_handler_t::replace), kShownBytes);
}

std::string text_of(double value) {
  return fmt::format("{}", value);
}

// A number in the range, or nothing.
std::optional<double> number_of(const Json& json, double least, double most) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (!(value >= least && value <= most)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_of(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  const auto value = json.get<std::int64_t>();
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::string number_expected(double least, double most) {
  const double largest = std::numeric_limits<double>::max();
  if (least == -largest && most == largest) return "a number";
  if (most == largest) return "a number >= " + text_of(least);
  if (least == -largest) return "a number <= " + text_of(most);
  return fmt::format("a number from {} to {}", least, most);
}

std::string integer_expected(std::int64_t least, std::int64_t most) {
  if (most == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("a whole number >= {}", least);
  }
  return fmt::format("a whole number from {} to {}", least, most);
}

}  // namespace

std::string read_text_file(const std::string& path) {
  const auto text_of = [](std::span<const std::byte> bytes) {
    // Characters may look at any object's bytes.
    const auto* text = reinterpret_cast<const char*>(bytes.data());  // NOLINT(*-reinterpret-cast)
    return std::string(text, bytes.size());
  };
  if (is_pipe(path)) return text_of(read_pipe(path));
  const MappedFile file(path);
  std::string text = text_of(file.bytes());
  file.check_unchanged();
  return text;
}

struct JsonValue::Document {
  std::string file;
  std::string sha256;
  std::shared_ptr<const void> root;
};

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
  const std::string_view excess = json_excess(text);
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

const std::string& JsonValue::file() const {
  return document_->file;
}

const std::string& JsonValue::sha256() const {
  return document_->sha256;
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
  const Json& json = as_json(node_);
  if (!json.is_array()) fail("an array of numbers");
  std::vector<double> result;
  result.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i].is_null() && null_is) {
      result.push_back(*null_is);
      continue;
    }
    const auto value = number_of(json[i], least, most);
    if (!value) elements()[i].fail(number_expected(least, most));
    result.push_back(*value);
  }
  return result;
}

std::vector<std::int64_t> JsonValue::integers(std::int64_t least, std::int64_t most) const {
  const Json& json = as_json(node_);
  if (!json.is_array()) fail("an array of whole numbers");
  std::vector<std::int64_t> result;
  result.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto value = integer_of(json[i], least, most);
    if (!value) elements()[i].fail(integer_expected(least, most));
    result.push_back(*value);
  }
  return result;
}

std::string JsonValue::dump() const {
  return as_json(node_).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace pate::io
