#include "pate/io/npy_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "pate/error.hpp"
#include "pate/io/npy_header.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPrefix = 10;  // magic, version, length
constexpr std::size_t kLongestDescr = 16;
// numpy leaves room for the first dimension to grow to any 64-bit number in place.
constexpr std::size_t kLongestDimension = 21;

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

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  if (shape.empty() || shape.size() > 2 ||
      std::ranges::any_of(shape, [](auto n) { return n < 0; })) {
    throw parameter_error(
        fmt::format("shape must have one or two dimensions >= 0, got {}", format_shape(shape)));
  }
  if (descr.empty() || descr.size() > kLongestDescr ||
      descr.find_first_of("'\\\n") != std::string_view::npos) {
    throw parameter_error(fmt::format("dtype must be 1 to {} characters without quotes, got \"{}\"",
                                      kLongestDescr, descr));
  }
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr,
                                 format_shape(shape));
  dict.append(kLongestDimension - fmt::formatted_size("{}", shape.front()), ' ');
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
