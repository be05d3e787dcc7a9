#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pate/votes/tables/npy_table.hpp"

namespace pate::test {

/// A .npy file from the text of its header and the bytes of its elements. The header is padded so
/// that the elements begin at a multiple of `alignment` (numpy: 64 or 16; 1: no padding).
inline std::string npy_file(std::string_view dict, std::string_view data, int major = 1,
                            std::size_t alignment = 64) {
  const std::size_t prefix = major == 1 ? 10 : 12;
  std::string header(dict);
  while ((prefix + header.size() + 1) % alignment != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xffU);
  }
  return file.append(header).append(data);
}

/// The header dict as numpy writes it.
inline std::string npy_dict(std::string_view descr, std::initializer_list<std::int64_t> shape,
                            bool fortran_order = false) {
  std::string text = "{'descr': '" + std::string(descr) +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (";
  for (const std::int64_t dimension : shape) text += std::to_string(dimension) + ", ";
  return text + "), }";
}

/// The elements as bytes in the given byte order ('<', '>' or '|').
template <typename T>
std::string npy_elements(std::span<const T> values, char order) {
  std::string data;
  for (const T value : values) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof value);
    if (order == (std::endian::native == std::endian::little ? '>' : '<')) {
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
    }
    data.append(raw, sizeof raw);
  }
  return data;
}

/// numpy's name for the type, without byte order: "i8".
template <typename T>
std::string npy_type() {
  if constexpr (std::is_same_v<T, bool>) return "b1";
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return kind + std::to_string(sizeof(T));
}

/// A whole file of a shape from its elements in C order (row-major).
template <typename T>
std::string npy_array(std::initializer_list<std::int64_t> shape, const std::vector<T>& values,
                      char order = '<', bool fortran_order = false, int major = 1,
                      std::size_t alignment = 64) {
  std::vector<T> stored = values;
  if (fortran_order && shape.size() == 2) {
    const auto rows = static_cast<std::size_t>(shape.begin()[0]);
    const auto columns = static_cast<std::size_t>(shape.begin()[1]);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) stored[j * rows + i] = values[i * columns + j];
    }
  }
  return npy_file(npy_dict(order + npy_type<T>(), shape, fortran_order),
                  npy_elements(std::span<const T>(stored), order), major, alignment);
}

/// A table over the bytes of a .npy file, called "test.npy".
inline std::shared_ptr<io::NpyTable> npy_table(std::string_view file) {
  const auto bytes = std::as_bytes(std::span(file));
  return std::make_shared<io::NpyTable>("test.npy",
                                        std::vector<std::byte>(bytes.begin(), bytes.end()));
}

/// A table of int64 from its values.
inline std::shared_ptr<io::NpyTable> integer_table(std::initializer_list<std::int64_t> shape,
                                                   const std::vector<std::int64_t>& values) {
  return npy_table(npy_array<std::int64_t>(shape, values));
}

/// A .npy file as a table, mapped.
inline std::shared_ptr<io::NpyTable> open_npy(const std::filesystem::path& path) {
  return std::make_shared<io::NpyTable>(io::MappedFile(path));
}

}  // namespace pate::test
