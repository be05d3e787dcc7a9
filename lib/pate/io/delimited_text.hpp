#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "pate/io/packed_numbers.hpp"

namespace pate::io {

/// What stands between the fields of a line. `blanks`: any number of spaces and tabs, and those at
/// the ends of a line mean nothing.
enum class Separator : char { comma = ',', tab = '\t', semicolon = ';', blanks = ' ' };

/// The first of tab, comma and semicolon that occurs in the first line, otherwise blanks.
[[nodiscard]] Separator detect_separator(std::string_view text);

/// The numbers of a text table, row by row.
struct DelimitedNumbers {
  PackedNumbers numbers;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool has_header = false;
};

/// Reads lines of numbers with a separator between them.
///
/// A first line without any number is a header; with nothing after it the table has no rows. Fine
/// are also CR LF at the ends of lines, no newline at the end of the text, empty lines there,
/// blanks around fields, double quotes around numbers, a sign +, a UTF-8 byte order mark. "nan" and
/// "inf" are numbers here: who asks for the values refuses them. Integers beyond int64 become
/// reals.
///
/// Throws `input_error` naming `name`, data row (from 0), line (from 1) and column (from 0), what
/// was expected and the text found: rows of different lengths, also than the header; empty fields;
/// fields that are no numbers; numbers no double is near; an empty text; a header of empty or
/// missing values (a row that would be lost).
///
/// `done` is called now and then with how many bytes will not be looked at again.
[[nodiscard]] DelimitedNumbers parse_delimited(std::string_view text, Separator separator,
                                               const std::string& name,
                                               const std::function<void(std::size_t)>& done = {});

}  // namespace pate::io
