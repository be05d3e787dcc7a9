#include "pate/votes/tables/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/foreign_formats.hpp"

namespace pate::io {

namespace {

// The part of Python's grammar that numpy writes: a dict of strings, booleans and tuples of
// integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void parse(NpyHeader& header) {
    constexpr std::array<std::string_view, 3> kKeys{"descr", "fortran_order", "shape"};
    std::array<bool, kKeys.size()> seen{};
    skip_space();
    expect('{', "a dict that begins with '{'");
    for (skip_space(); !accept('}'); skip_space()) {
      const std::string_view key = parse_string("a key in quotes or '}'");
      skip_space();
      expect(':', "':' after a key");
      skip_space();
      const auto* const found = std::find(kKeys.begin(), kKeys.end(), key);
      if (found == kKeys.end()) {
        fail(fmt::format("unknown key '{}'; expected {}, {} and {}", printable(key), kKeys[0],
                         kKeys[1], kKeys[2]));
      }
      if (std::exchange(seen.at(static_cast<std::size_t>(found - kKeys.begin())), true)) {
        fail(fmt::format("key '{}' occurs twice", key));
      }
      if (key == kKeys[0]) header.descr = parse_descr();
      if (key == kKeys[1]) header.fortran_order = parse_bool();
      if (key == kKeys[2]) header.shape = parse_shape();
      skip_space();
      if (accept('}')) break;
      expect(',', "',' or '}' after a value");
    }
    skip_space();
    if (position_ != text_.size()) unexpected("nothing after the dict");
    for (std::size_t k = 0; k < kKeys.size(); ++k) {
      if (!seen.at(k)) fail(fmt::format("key '{}' is missing", kKeys.at(k)));
    }
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw input_error(fmt::format("{}: npy header: {}", name_, what));
  }

  [[noreturn]] void unexpected(std::string_view expected) const {
    if (position_ >= text_.size()) fail(fmt::format("expected {}, found its end", expected));
    fail(fmt::format("expected {}, found \"{}\" at byte {} of the header", expected,
                     printable(text_.substr(position_, 16)), position_));
  }

  [[nodiscard]] char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  void skip_space() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n\f").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  bool accept(char c) {
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  void expect(char c, std::string_view what) {
    if (!accept(c)) unexpected(what);
  }

  // No escapes: neither a key nor a supported dtype has one.
  std::string_view parse_string(std::string_view what) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') unexpected(what);
    const std::size_t begin = position_ + 1;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("a string has no closing quote");
    const std::string_view inside = text_.substr(begin, end - begin);
    if (inside.find('\\') != std::string_view::npos) {
      fail(fmt::format("expected a string without escapes, found '{}'", printable(inside)));
    }
    position_ = end + 1;
    return inside;
  }

  std::string parse_descr() {
    if (peek() == '(') {
      fail("structured dtypes are not supported; expected an array of plain numbers");
    }
    if (peek() == '[') {
      fail(
          "structured dtypes are not supported; expected an array of plain numbers; what makes "
          "columns of the fields, of which those that are no votes must be left out: " +
          conversion_line(
              name_,
              R"(python3 -c 'import numpy as n; from numpy.lib import recfunctions as r; a = n.load("{0}"); print(*a.dtype.names); n.save("{1}.npy", r.structured_to_unstructured(a))')"));
    }
    return std::string(parse_string("a dtype in quotes"));
  }

  bool parse_bool() {
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(position_).starts_with(word)) continue;
      position_ += word.size();
      return value;
    }
    unexpected("True or False for 'fortran_order'");
  }

  std::vector<std::int64_t> parse_shape() {
    std::vector<std::int64_t> shape;
    expect('(', "a tuple '(...)' for 'shape'");
    for (skip_space(); !accept(')'); skip_space()) {
      shape.push_back(parse_dimension());
      skip_space();
      if (accept(',')) continue;
      // (5) is not a tuple in Python, (5,) is.
      if (shape.size() == 1) unexpected("',' after the first dimension of 'shape'");
      if (accept(')')) break;
      unexpected("',' or ')' after a dimension of 'shape'");
    }
    return shape;
  }

  std::int64_t parse_dimension() {
    const std::size_t begin = position_;
    const bool negative = accept('-');
    const std::size_t digits = position_;
    while (peek() >= '0' && peek() <= '9') ++position_;
    const std::string_view number = text_.substr(begin, position_ - begin);
    if (position_ == digits || (text_[digits] == '0' && position_ > digits + 1)) {
      position_ = begin;
      unexpected("an integer as dimension of 'shape'");
    }
    if (negative) fail(fmt::format("a dimension of 'shape' must be >= 0, got {}", number));
    std::int64_t value = 0;
    const char* const last = number.data() + number.size();
    if (std::from_chars(number.data(), last, value).ec != std::errc()) {
      fail(fmt::format("dimension {} of 'shape' is too large", number));
    }
    accept('L');  // Python 2 wrote its long integers so
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t position_ = 0;
};

// What a kind of numpy is, in words.
std::string_view reason_against(char kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReasons{
      {{"O", "Python objects"},
       {"SaU", "strings"},
       {"c", "complex numbers"},
       {"V", "raw bytes, as bfloat16 is stored,"},
       {"Mm", "dates and times"},
       {"f", "floats of this size"}}};
  for (const auto& [kinds, reason] : kReasons) {
    if (kinds.find(kind) != std::string_view::npos) return reason;
  }
  return "this type";
}

void parse_dtype(NpyHeader& header, const std::string& name) {
  constexpr std::array<std::string_view, 12> kSupported{"b1", "u1", "u2", "u4", "u8", "i1",
                                                        "i2", "i4", "i8", "f2", "f4", "f8"};
  const std::string_view descr = header.descr;
  const char order = descr.empty() ? '\0' : descr.front();
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view type = has_order ? descr.substr(1) : descr;
  if (std::find(kSupported.begin(), kSupported.end(), type) == kSupported.end()) {
    throw input_error(
        fmt::format("{}: dtype '{}': {} are not supported; expected bool (|b1), integers (u1, u2, "
                    "u4, u8, i1, i2, i4, i8) or floats (f2, f4, f8) of either byte order (< or >)",
                    name, printable(descr), reason_against(type.empty() ? '\0' : type.front())) +
        help_with_dtype(name, type.empty() ? '\0' : type.front(), header.shape.size()));
  }
  header.byte_order = order;
  header.kind = type[0];
  header.item_size = type[1] - '0';
  // '=' and a missing order mean "as on the machine that wrote it", which nobody knows any more.
  const bool known = order == '<' || order == '>' || (order == '|' && header.item_size == 1);
  if (!known) {
    throw input_error(fmt::format("{}: dtype '{}': expected a byte order, as in '<{}' or '>{}'",
                                  name, descr, type, type));
  }
}

void check_shape(const NpyHeader& header, const std::string& name) {
  const std::string shape = format_shape(header.shape);
  if (header.shape.empty() || header.shape.size() > 3) {
    throw input_error(
        fmt::format("{}: expected an array with 1 to 3 dimensions, found {} (shape {})", name,
                    header.shape.size(), shape) +
        help_with_four(name, header.shape.size()));
  }
  // As numpy does, dimensions of 0 are left out: no product of the others may overflow either.
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / header.item_size;
  for (const std::int64_t dimension : header.shape) {
    if (dimension == 0) continue;
    room /= dimension;
    if (room == 0) {
      throw input_error(
          fmt::format("{}: shape {} of dtype '{}' is too large: its size in bytes is "
                      "beyond 2^63 - 1",
                      name, shape, header.descr));
    }
  }
}

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPrefix = 10;  // magic, version, length
constexpr std::size_t kMaxDescr = 16;
// numpy leaves room for the first dimension to grow to any 64-bit number in place.
constexpr std::size_t kMaxDimension = 21;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;

// Where the length of the header ends and the header begins, by the major version.
constexpr std::size_t length_end(std::size_t major) {
  return kVersionEnd + (major == 1 ? 2 : 4);
}

std::size_t header_length(std::span<const std::byte> bytes, std::size_t begin) {
  std::size_t length = 0;
  for (std::size_t i = begin; i > kVersionEnd; --i) {
    length = length << 8U | std::to_integer<std::size_t>(bytes[i - 1]);
  }
  return length;
}

template <typename Integer>
void append(std::string& bytes, std::span<const Integer> values) {
  std::size_t position = bytes.size();
  bytes.resize(position + sizeof(std::int64_t) * values.size());
  for (const Integer value : values) {
    auto rest = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    for (std::size_t i = 0; i < sizeof(std::int64_t); ++i, rest >>= 8U) {
      bytes[position++] = static_cast<char>(rest & 0xffU);
    }
  }
}

}  // namespace

std::string format_shape(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::int64_t npy_data_size(const NpyHeader& header) {
  std::int64_t size = header.item_size;
  for (const std::int64_t dimension : header.shape) size *= dimension;
  return size;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text = as_text(bytes);
  if (!kMagic.starts_with(text.substr(0, kMagic.size())) || text.empty()) {
    refuse_foreign(name, bytes);
    throw input_error(
        fmt::format(R"({}: expected a .npy file that begins with "\x93NUMPY", found {})", name,
                    text.empty() ? std::string("an empty file")
                                 : '"' + printable(text.substr(0, kMagic.size())) + '"'));
  }
  const auto require = [&](std::size_t needed, std::string_view what) {
    if (bytes.size() < needed) {
      throw input_error(fmt::format("{}: truncated npy header: expected {} bytes {}, found {}",
                                    name, needed, what, bytes.size()));
    }
  };
  const auto byte_at = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  require(kVersionEnd, "up to the version");
  const std::size_t major = byte_at(6);
  const std::size_t minor = byte_at(7);
  if (major < 1 || major > 3 || minor != 0) {
    throw input_error(fmt::format(
        "{}: npy version {}.{} is not supported; expected 1.0, 2.0 or 3.0", name, major, minor));
  }
  const std::size_t begin = length_end(major);
  require(begin, "up to the header length");
  const std::size_t length = header_length(bytes, begin);
  require(begin + length, "up to the end of the header");

  NpyHeader header;
  header.data_offset = begin + length;
  HeaderParser(text.substr(begin, length), name).parse(header);
  parse_dtype(header, name);
  check_shape(header, name);
  return header;
}

std::optional<std::size_t> npy_file_size(std::span<const std::byte> bytes,
                                         const std::string& name) {
  constexpr std::size_t kMaxPrefix = kVersionEnd + 4;
  if (bytes.size() < kMaxPrefix || !as_text(bytes).starts_with(kMagic)) return std::nullopt;
  const std::size_t begin = length_end(std::to_integer<std::size_t>(bytes[kMagic.size()]));
  if (bytes.size() < begin + header_length(bytes, begin)) return std::nullopt;
  const NpyHeader header = parse_npy_header(bytes, name);
  return header.data_offset + static_cast<std::size_t>(npy_data_size(header));
}

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  if (shape.empty() || shape.size() > 2 ||
      std::ranges::any_of(shape, [](auto n) { return n < 0; })) {
    throw parameter_error(
        fmt::format("shape must have one or two dimensions >= 0, got {}", format_shape(shape)));
  }
  if (descr.empty() || descr.size() > kMaxDescr ||
      descr.find_first_of("'\\\n") != std::string_view::npos) {
    throw parameter_error(fmt::format("dtype must be 1 to {} characters without quotes, got \"{}\"",
                                      kMaxDescr, descr));
  }
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr,
                                 format_shape(shape));
  dict.append(kMaxDimension - fmt::formatted_size("{}", shape.front()), ' ');
  // As numpy does: where nothing is missing to a multiple of 64, 64 more.
  dict.append(kAlignment - (kPrefix + dict.size() + 1) % kAlignment, ' ');
  dict += '\n';

  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xffU);
  header += static_cast<char>(dict.size() >> 8U);
  return header + dict;
}

void append_int64(std::string& bytes, std::span<const std::int64_t> values) {
  append(bytes, values);
}

void append_int64(std::string& bytes, std::span<const std::int32_t> values) {
  append(bytes, values);
}

}  // namespace pate::io
