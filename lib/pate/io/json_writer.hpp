#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "pate/io/json_document.hpp"

namespace pate::io {

/// A place in a JSON document that is being made: null until it is given a value, members or
/// elements. Members keep the order in which they were made. A place may be used until a member or
/// element is made beside it. Places share their document and keep it alive.
///
/// Numbers read back to the same double; infinities and NaN become null. Of texts, which may hold
/// any bytes, what is no UTF-8 is replaced when they are put out.
class JsonWriter {
 public:
  /// A document of its own.
  JsonWriter();

  /// The member of an object; it is made where there is none of this name.
  [[nodiscard]] JsonWriter member(std::string_view key) const;
  /// A new element at the end of an array.
  [[nodiscard]] JsonWriter element() const;

  void set(std::variant<bool, std::int64_t, double, std::string_view> value) const;
  void set_empty_object() const;
  void set_empty_array() const;
  /// A copy of a value that was read.
  void set(const JsonValue& value) const;

  /// What was written, to be read; messages call it `name`. Nothing must be written after that.
  [[nodiscard]] JsonValue value(std::string name) const;
  /// As JSON text: on one line, or with two spaces of indentation.
  [[nodiscard]] std::string line() const;
  [[nodiscard]] std::string text() const;

 private:
  explicit JsonWriter(std::shared_ptr<void> node) : node_(std::move(node)) {}

  std::shared_ptr<void> node_;  // of the JSON library, which headers do not name; owns the document
};

}  // namespace pate::io
