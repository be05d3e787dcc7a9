#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pate::io {

/// The header of a .npy file, version 1.0, C order: what comes before the elements. Byte for byte
/// what numpy writes, padded to a multiple of 64 bytes.
///
/// `descr` is the dtype as numpy spells it ("<i8"), `shape` the number of elements along each
/// dimension, at most those of `parse_npy_header`: one or two. Throws `parameter_error` for
/// another number of dimensions, a dimension below 0, and a dtype that needs quotes or is longer
/// than 16 characters.
[[nodiscard]] std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

/// Appends the values as elements of dtype "<i8": 8 bytes each, little-endian. A row of an array,
/// or any other piece of it.
void append_int64(std::string& bytes, std::span<const std::int64_t> values);
void append_int64(std::string& bytes, std::span<const std::int32_t> values);

}  // namespace pate::io
