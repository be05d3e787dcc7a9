#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pate::io {

/// What the header of a .npy file says, checked: a dtype that can be read, one to three dimensions.
struct NpyHeader {
  std::string descr;      ///< the dtype as the file spells it: "<i8"
  char byte_order = '|';  ///< '<' little-endian, '>' big-endian, '|' (single bytes only) neither
  char kind = 'i';        ///< 'b' bool, 'u' unsigned, 'i' signed, 'f' float
  int item_size = 0;      ///< bytes per element
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< one to three dimensions, each >= 0
  std::size_t data_offset = 0;      ///< where the elements begin
};

/// Reads the header of a .npy file, versions 1.0, 2.0 and 3.0.
///
/// `bytes` is the file, or at least its beginning up to the end of the header; `name` is what to
/// call the file in messages. The header must be a Python dict literal with exactly the keys
/// descr, fortran_order and shape. Supported are bool, signed and unsigned integers of 1, 2, 4 and
/// 8 bytes and floats of 2, 4 and 8 bytes, of either byte order, with one to three dimensions.
///
/// Throws `input_error` saying what was expected and what was found. Whether the elements
/// themselves are all there is not looked at; that their size does not overflow is.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

/// The number of bytes the elements take: the product of the shape times the item size.
[[nodiscard]] std::int64_t npy_data_size(const NpyHeader& header);

/// The size in bytes of the .npy file that begins with `bytes`; none where they are no such
/// beginning, or end before its header does. Throws as `parse_npy_header`.
[[nodiscard]] std::optional<std::size_t> npy_file_size(std::span<const std::byte> bytes,
                                                       const std::string& name);

/// The shape as Python writes it: "(2500, 10)", "(5,)".
[[nodiscard]] std::string format_shape(std::span<const std::int64_t> shape);

/// The header of a .npy file, version 1.0, C order: what comes before the elements. Byte for byte
/// what numpy writes, padded to a multiple of 64 bytes.
///
/// `descr` is the dtype as numpy spells it ("<i8"), `shape` the number of elements along each
/// dimension: one or two. Throws `parameter_error` for
/// another number of dimensions, a dimension below 0, and a dtype that needs quotes or is longer
/// than 16 characters.
[[nodiscard]] std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape);

/// Appends the values as elements of dtype "<i8": 8 bytes each, little-endian. A row of an array,
/// or any other piece of it.
void append_int64(std::string& bytes, std::span<const std::int64_t> values);
void append_int64(std::string& bytes, std::span<const std::int32_t> values);

}  // namespace pate::io
