#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pate::io {

/// What a JSON value is; `whole` is a number without fraction and exponent.
enum class JsonType { null, boolean, whole, real, text, array, object };

/// A value in a JSON file that knows its place: whatever is not as expected is an `input_error`
/// that names the file, the path within it ("costs[2].epsilon") and what was found.
///
/// Values of one file share it and keep it alive.
class JsonValue {
 public:
  /// Reads a whole file. Throws `input_error` when it cannot be read or is no JSON.
  [[nodiscard]] static JsonValue read_file(const std::string& path);
  /// Parses text; `name` is what messages call it.
  [[nodiscard]] static JsonValue parse(std::string_view text, std::string name);
  /// The same; none where the text is no JSON.
  [[nodiscard]] static std::optional<JsonValue> parse_if_json(std::string_view text,
                                                              std::string name);
  /// This value as a document of its own, which messages call `name`.
  [[nodiscard]] JsonValue as_document(std::string name) const;

  [[nodiscard]] const std::string& file() const { return document_->file; }
  /// SHA-256 of the file, in hexadecimal.
  [[nodiscard]] const std::string& sha256() const { return document_->sha256; }
  /// Path within the file, "" for the whole.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// A member of an object.
  [[nodiscard]] JsonValue at(const std::string& key) const;
  /// The same; none where there is no such member or it is null.
  [[nodiscard]] std::optional<JsonValue> find(const std::string& key) const;
  /// Whether an object has such a member, be it null.
  [[nodiscard]] bool has(const std::string& key) const;
  /// The members of an object, by name.
  [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> members() const;
  /// The elements of an array.
  [[nodiscard]] std::vector<JsonValue> elements() const;
  [[nodiscard]] JsonType type() const;
  [[nodiscard]] bool is_null() const { return type() == JsonType::null; }

  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  /// A finite number of at least `least` and at most `most`.
  [[nodiscard]] double number(double least = -std::numeric_limits<double>::max(),
                              double most = std::numeric_limits<double>::max()) const;
  /// A whole number of at least `least` and at most `most`.
  [[nodiscard]] std::int64_t integer(
      std::int64_t least = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// An array of numbers in that range; null stands for `null_is`, which may be outside of it.
  [[nodiscard]] std::vector<double> numbers(double least, double most,
                                            std::optional<double> null_is = std::nullopt) const;
  /// An array of whole numbers in that range.
  [[nodiscard]] std::vector<std::int64_t> integers(std::int64_t least, std::int64_t most) const;

  /// The value as JSON text without white space; numbers read back to the same double.
  [[nodiscard]] std::string dump() const;

  /// The same for digests: members of objects by name, whatever their order; of an object without
  /// the member `left_out`.
  [[nodiscard]] std::string canonical(std::string_view left_out) const;

  /// Throws `input_error`: "FILE: PATH: expected EXPECTED, found VALUE".
  [[noreturn]] void fail(const std::string& expected) const;

  /// Whether two values are the same, wherever they are.
  friend bool operator==(const JsonValue& a, const JsonValue& b);

 private:
  friend class JsonWriter;
  struct Document {
    std::string file;
    std::string sha256;
    std::shared_ptr<const void> root;
  };
  JsonValue(std::shared_ptr<const Document> document, const void* node, std::string path)
      : document_(std::move(document)), node_(node), path_(std::move(path)) {}
  [[nodiscard]] JsonValue child(const std::string& key, const void* node) const;
  // A document of its own from a node of another, which it keeps alive.
  [[nodiscard]] static JsonValue document_of(std::shared_ptr<const void> node, std::string name,
                                             std::string sha256);

  std::shared_ptr<const Document> document_;
  const void* node_;  // of the JSON library, which headers do not name
  std::string path_;
};

/// What of a JSON text no report or ledger has and no reader here can bear: "it is nested deeper
/// than 50 levels" (copying or writing a value takes stack for each), or "it has an object of more
/// than 1000 members" (finding one goes through all). Empty when there is nothing of the kind.
///
/// Any text may be given; whether it is JSON is for a parser to say, afterwards. One pass over the
/// bytes. Throws nothing but what memory does.
[[nodiscard]] std::string_view json_limit_exceeded(std::string_view text);

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
  /// As JSON text: on one line, or with two spaces of indentation, where arrays of nothing but
  /// numbers (and null) stay on one line.
  [[nodiscard]] std::string line() const;
  [[nodiscard]] std::string text() const;

 private:
  explicit JsonWriter(std::shared_ptr<void> node) : node_(std::move(node)) {}

  std::shared_ptr<void> node_;  // of the JSON library, which headers do not name; owns the document
};

}  // namespace pate::io
