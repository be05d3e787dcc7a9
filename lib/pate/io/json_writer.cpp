#include "pate/io/json_writer.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace pate::io {

namespace {

using Json = nlohmann::ordered_json;

Json& as_json(const std::shared_ptr<void>& node) {
  return *static_cast<Json*>(node.get());
}

std::string dumped(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

JsonWriter::JsonWriter() : node_(std::make_shared<Json>()) {}

JsonWriter JsonWriter::member(std::string_view key) const {
  return JsonWriter({node_, &as_json(node_)[std::string(key)]});
}

JsonWriter JsonWriter::element() const {
  Json& array = as_json(node_);
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
  return dumped(as_json(node_), -1);
}

std::string JsonWriter::text() const {
  return dumped(as_json(node_), 2);
}

}  // namespace pate::io
