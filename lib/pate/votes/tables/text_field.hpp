#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pate::io {

// One field of a text table: what it holds, and what it may mean.

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
inline constexpr std::size_t kShownOfField = 60;  ///< of a field's text in a message

/// What one field of a text table holds.
struct FieldNumber {
  enum class Kind : std::uint8_t {
    none,     ///< no number
    integer,  ///< in the range of int64
    truth,    ///< True or False, as 1 or 0
    real,     ///< any other: "0.5", "1e3", "2.0", an integer beyond int64, "nan", "-inf"
    too_far,  ///< a number, but no double is near: "1e999", "1e-999"
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;
  double real = 0;
};

/// Reads a whole field, nothing around it, as a number; a sign '+' is fine. Reals are rounded to
/// the nearest double. The locale plays no role.
[[nodiscard]] FieldNumber parse_field(std::string_view text);

/// Takes blanks (spaces, tabs, carriage returns) off both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// How missing values are written, a vote above all; what consists of them alone is no line of
/// column names.
[[nodiscard]] bool is_missing(std::string_view field);

/// How pandas heads an index without a name: to_csv not at all, reset_index "index", and one that
/// was read and written again "Unnamed: 0".
[[nodiscard]] bool is_index(std::string_view heading);

}  // namespace pate::io
