#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/audience.hpp"

namespace pate::reports {

// Every struct of a report is described once, by a function that names its fields in the order they
// are written:
//
//     template <class Archive>
//     void fields(Archive& a, Described<Archive, Notice>& notice) {
//       a("code", notice.code);
//       a("message", notice.message);
//     }
//
// A `FieldWriter` makes a JSON object of them, a `FieldReader` fills them from one; its errors are
// those of `io::JsonValue`. What is never read has a description for the writer alone.
//
// What of a report may be published is said there too: fields that are written through `open()`
// may, with all that is in them, and no others. So a field is private until somebody says
// otherwise.

/// The whole numbers that a field may have.
struct Whole {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// The numbers that a field may have. `null_is` is written as null, and read from it.
struct Real {
  double least = -std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::max();
  std::optional<double> null_is = std::nullopt;
};

inline constexpr std::int64_t kMaxTeachers = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kMaxQueries = std::int64_t{1} << 53;

/// What an archive takes of a struct: constant where it writes.
template <class Archive, class T>
using Described = std::conditional_t<Archive::kReads, T, const T>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
/// Enumerations are written by their names, or as whole numbers where they have none.
template <class T>
concept NamedField = std::is_enum_v<T> && HasNames<T>;
template <class T>
concept WholeField = (std::integral<T> && !std::same_as<T, bool>) ||
                     (std::is_enum_v<T> && !HasNames<T>);

/// Writes fields as the members of an object; for everybody those alone that are written through
/// `open()`.
class FieldWriter {
 public:
  static constexpr bool kReads = false;
  explicit FieldWriter(io::JsonWriter place = {}, Audience audience = Audience::owner)
      : place_(std::move(place)), audience_(audience) {}

  /// A writer at the same place whose fields may be published.
  [[nodiscard]] FieldWriter open() const { return FieldWriter(place_); }
  /// Whether private fields are left out here.
  [[nodiscard]] bool is_for_everybody() const { return audience_ == Audience::everybody; }

  /// A field. Empty optionals are null.
  template <class T, class... Domain>
  void operator()(std::string_view key, const T& value, const Domain&... domain) {
    if (is_for_everybody()) return;
    write(place_.member(key), value, domain...);
  }
  /// A field that is left out where it is empty.
  template <class T, class... Domain>
  void optional(std::string_view key, const std::optional<T>& value, const Domain&... domain) {
    if (value && !is_for_everybody()) write(place_.member(key), *value, domain...);
  }
  /// An object whose fields belong to this struct.
  template <class Describe>
  void object(std::string_view key, const Describe& describe) {
    if (is_for_everybody()) return;
    FieldWriter inner(place_.member(key));
    describe(inner);
  }
  /// The same, where each of its fields is public or private by itself.
  template <class Describe>
  void mixed_object(std::string_view key, const Describe& describe) {
    FieldWriter inner(place_.member(key), audience_);
    describe(inner);
  }
  /// One of some values that have names.
  template <NamedField T>
  void named(std::string_view key, const T& value, std::initializer_list<T> /*all*/) {
    (*this)(key, value);
  }
  /// Structs by the text that a member of theirs holds.
  template <class T>
  void keyed(std::string_view key, const std::vector<T>& all, std::string T::*by) {
    if (is_for_everybody()) return;
    const io::JsonWriter object = place_.member(key);
    object.set_empty_object();
    for (const T& one : all) write(object.member(one.*by), one);
  }

  /// Where the fields go. Throws `std::logic_error` of a writer that leaves fields out: what writes
  /// there itself does not ask.
  [[nodiscard]] const io::JsonWriter& place() const {
    if (is_for_everybody()) throw std::logic_error("a field is neither public nor private");
    return place_;
  }
  /// The text of a report: two spaces of indentation, and a newline at its end.
  [[nodiscard]] std::string text() const { return place_.text() + '\n'; }

 private:
  template <class T, class... Domain>
  static void write(const io::JsonWriter& to, const T& value, const Domain&... domain) {
    if constexpr (std::same_as<T, bool> || std::same_as<T, io::JsonValue>) {
      to.set(value);
    } else if constexpr (NamedField<T>) {
      to.set(name(value));
    } else if constexpr (WholeField<T>) {
      to.set(static_cast<std::int64_t>(value));
    } else if constexpr (std::same_as<T, double>) {
      if (!((domain.null_is == value) || ...)) to.set(value);
    } else if constexpr (std::is_array_v<T>) {
      to.set(std::string_view(std::data(value)));
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      to.set(std::string_view(value));
    } else if constexpr (kIsOptional<T>) {
      if (value) write(to, *value, domain...);
    } else if constexpr (requires { value.begin(); }) {
      to.set_empty_array();
      for (const auto& element : value) write(to.element(), element, domain...);
    } else if constexpr (requires { value.first; }) {
      write(to.element(), value.first);
      write(to.element(), value.second);
    } else {
      FieldWriter inner(to);
      fields(inner, value, domain...);
    }
  }

  io::JsonWriter place_;
  Audience audience_;
};

/// Reads fields from the members of an object. Throws `input_error` naming file and field.
class FieldReader {
 public:
  static constexpr bool kReads = true;
  explicit FieldReader(io::JsonValue json) : json_(std::move(json)) {}

  /// A field that must be there. Empty optionals are null.
  template <class T, class... Domain>
  void operator()(const char* key, T& value, const Domain&... domain) {
    read(json_.at(key), value, domain...);
  }
  /// A field that may be missing, or null: the value stays as it is then.
  template <class T, class... Domain>
  void optional(const char* key, T& value, const Domain&... domain) {
    if (const auto found = json_.find(key)) read(*found, value, domain...);
  }
  template <class Describe>
  void object(const char* key, const Describe& describe) {
    FieldReader inner(json_.at(key));
    describe(inner);
  }
  template <class T>
  void named(const char* key, T& value, std::initializer_list<T> all) {
    const io::JsonValue json = json_.at(key);
    const std::string text = json.text();
    std::string names;
    for (const T one : all) {
      if (name(one) == text) {
        value = one;
        return;
      }
      names += fmt::format("{}{}", names.empty() ? "" : " or ", name(one));
    }
    json.fail(names);
  }
  template <class T>
  void keyed(const char* key, std::vector<T>& all, std::string T::*by) {
    for (const auto& [found, json] : json_.at(key).members()) {
      T one;
      one.*by = found;
      read(json, one);
      all.push_back(std::move(one));
    }
  }

  [[nodiscard]] const io::JsonValue& json() const { return json_; }

  /// The value of a field at its place.
  template <class T, class... Domain>
  static void read(const io::JsonValue& json, T& value, const Domain&... domain) {
    if constexpr (std::same_as<T, bool>) {
      value = json.boolean();
    } else if constexpr (WholeField<T>) {
      const Whole range{domain...};
      value = static_cast<T>(json.integer(range.least, range.most));
    } else if constexpr (std::same_as<T, double>) {
      const Real range{domain...};
      value =
          range.null_is && json.is_null() ? *range.null_is : json.number(range.least, range.most);
    } else if constexpr (std::same_as<T, std::string>) {
      value = json.text();
    } else if constexpr (kIsOptional<T>) {
      if (!json.is_null()) read(json, value.emplace(), domain...);
    } else if constexpr (std::same_as<T, std::vector<double>>) {
      const Real range{domain...};
      value = json.numbers(range.least, range.most, range.null_is);
    } else if constexpr (std::same_as<T, std::vector<std::int64_t>>) {
      const Whole range{domain...};
      value = json.integers(range.least, range.most);
    } else if constexpr (requires { value.push_back(value.front()); }) {
      for (const io::JsonValue& element : json.elements()) {
        read(element, value.emplace_back(), domain...);
      }
    } else {
      FieldReader inner(json);
      fields(inner, value, domain...);
    }
  }

 private:
  io::JsonValue json_;
};

/// One column of rows: its field, where a row has it, and its values (`Whole` or `Real`).
template <class Place, class Domain>
struct Column {
  const char* key;
  Place place;  ///< a member, or a function from a row to a field of it
  Domain domain;
};
template <class Place, class Domain>
Column(const char*, Place, Domain) -> Column<Place, Domain>;

/// Rows as arrays side by side, which have a number for each row. The reader takes the first to say
/// how many rows there are, unless `size` does.
template <class Row, class... Columns>
void columns(FieldWriter& a, const std::vector<Row>& rows, std::optional<std::size_t> /*size*/,
             const Columns&... column) {
  const auto write = [&](const auto& its) {
    const io::JsonWriter array = a.place().member(its.key);
    array.set_empty_array();
    for (const Row& row : rows) {
      const auto& value = std::invoke(its.place, row);
      if constexpr (std::same_as<decltype(its.domain), Real>) {
        array.element().set(value);
      } else {
        array.element().set(static_cast<std::int64_t>(value));
      }
    }
  };
  (write(column), ...);
}

template <class Row, class... Columns>
void columns(FieldReader& a, std::vector<Row>& rows, std::optional<std::size_t> size,
             const Columns&... column) {
  const auto read = [&](const auto& its) {
    using Number =
        std::conditional_t<std::same_as<decltype(its.domain), Real>, double, std::int64_t>;
    std::vector<Number> values;
    a(its.key, values, its.domain);
    if (!size) size = values.size();
    if (values.size() != *size) a.json().at(its.key).fail(fmt::format("{} numbers", *size));
    rows.resize(*size);
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto& value = std::invoke(its.place, rows[i]);
      value = static_cast<std::decay_t<decltype(value)>>(values[i]);
    }
  };
  (read(column), ...);
}

}  // namespace pate::reports
