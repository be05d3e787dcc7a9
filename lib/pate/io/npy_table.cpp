#include "pate/io/npy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "pate/error.hpp"

namespace pate {

namespace {

// Beyond this many touched bytes a file's pages are dropped from resident memory.
constexpr std::size_t kResidentLimit = std::size_t{64} << 20U;
// What the kernel maps around one touched byte (fault-around).
constexpr std::size_t kFaultSize = std::size_t{64} << 10U;

enum class Bool : std::uint8_t {};

template <typename T, bool swapped>
T load(const std::byte* from) {
  // memcpy: nothing in the format aligns the elements.
  if constexpr (!swapped || sizeof(T) == 1) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(__builtin_bswap16(load<std::uint16_t, false>(from)));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(__builtin_bswap32(load<std::uint32_t, false>(from)));
  } else {
    return std::bit_cast<T>(__builtin_bswap64(load<std::uint64_t, false>(from)));
  }
}

template <typename T>
bool convert(T value, std::int64_t& to) {
  if constexpr (std::is_same_v<T, Bool>) {
    to = static_cast<std::int64_t>(value);
    return to <= 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    constexpr T kLimit = static_cast<T>(9223372036854775808.0);  // 2^63 is exact in float too
    const bool good = value >= -kLimit && value < kLimit && std::trunc(value) == value;
    to = good ? static_cast<std::int64_t>(value) : 0;
    return good;
  } else {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8 elements are numbers
    to = static_cast<std::int64_t>(value);
    return std::is_signed_v<T> || to >= 0;
  }
}

template <typename T>
bool convert(T value, double& to) {
  to = static_cast<double>(value);
  if constexpr (std::is_same_v<T, Bool>) return static_cast<int>(value) <= 1;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
  return true;
}

template <typename T, bool swapped, typename Number>
bool copy_run(const std::byte* from, std::size_t count, Number* to, std::size_t stride) {
  bool good = true;
  if (stride == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      good = convert(load<T, swapped>(from + i * sizeof(T)), to[i]) && good;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      good = convert(load<T, swapped>(from + i * sizeof(T)), to[i * stride]) && good;
    }
  }
  return good;
}

template <typename T, bool swapped>
std::string show_element(const std::byte* from) {
  const T value = load<T, swapped>(from);
  if constexpr (std::is_same_v<T, Bool>) {
    return fmt::format("byte {} in an array of bool", static_cast<int>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
  } else {
    return fmt::format(
        "{}",
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  }
}

}  // namespace

template <typename T, bool swapped>
NpyTable::ElementFunctions NpyTable::functions_for() {
  return {copy_run<T, swapped, std::int64_t>, copy_run<T, swapped, double>,
          show_element<T, swapped>};
}

template <bool swapped>
NpyTable::ElementFunctions NpyTable::functions_for_kind(const NpyHeader& header) {
  const int size = header.item_size;
  switch (header.kind) {
    case 'b':
      return functions_for<Bool, swapped>();
    case 'u':
      if (size == 1) return functions_for<std::uint8_t, swapped>();
      if (size == 2) return functions_for<std::uint16_t, swapped>();
      if (size == 4) return functions_for<std::uint32_t, swapped>();
      return functions_for<std::uint64_t, swapped>();
    case 'i':
      if (size == 1) return functions_for<std::int8_t, swapped>();
      if (size == 2) return functions_for<std::int16_t, swapped>();
      if (size == 4) return functions_for<std::int32_t, swapped>();
      return functions_for<std::int64_t, swapped>();
    default:
      return size == 4 ? functions_for<float, swapped>() : functions_for<double, swapped>();
  }
}

NpyTable::ElementFunctions NpyTable::choose_functions(const NpyHeader& header) {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  return header.byte_order == kForeign ? functions_for_kind<true>(header)
                                       : functions_for_kind<false>(header);
}

NpyTable::NpyTable(MappedFile file)
    : name_(file.path().string()),
      file_(std::move(file)),
      header_(parse_npy_header(file_->bytes(), name_)),
      functions_(choose_functions(header_)),
      data_(file_->bytes().data() + header_.data_offset) {
  check_size();
}

NpyTable::NpyTable(std::string name, std::vector<std::byte> contents)
    : name_(std::move(name)),
      buffer_(std::move(contents)),
      header_(parse_npy_header(buffer_, name_)),
      functions_(choose_functions(header_)),
      data_(buffer_.data() + header_.data_offset) {
  check_size();
}

void NpyTable::check_size() const {
  const std::size_t found = contents().size();
  const std::size_t expected =
      header_.data_offset + static_cast<std::size_t>(npy_data_size(header_));
  if (found != expected) {
    throw input_error(fmt::format("{}: {}: shape {} of dtype '{}' expected {} bytes, found {}",
                                  name_, found < expected ? "truncated file" : "overlong file",
                                  format_shape(header_.shape), header_.descr, expected, found));
  }
}

std::span<const std::byte> NpyTable::contents() const {
  return file_ ? file_->bytes() : std::span<const std::byte>(buffer_);
}

TableDescription NpyTable::description() const {
  return {"npy", header_.descr, header_.shape};
}

const std::byte* NpyTable::element(std::int64_t row, std::int64_t column) const {
  const std::int64_t index =
      header_.fortran_order ? column * rows() + row : row * columns() + column;
  return data_ + index * header_.item_size;
}

void NpyTable::count_touched(std::int64_t runs, std::int64_t elements) const {
  if (!file_ || file_->bytes().size() <= kResidentLimit) return;
  const auto run_size = static_cast<std::size_t>(elements * header_.item_size);
  const std::size_t touched = static_cast<std::size_t>(runs) * std::max(run_size, kFaultSize);
  if (touched_.fetch_add(touched) + touched > kResidentLimit) {
    touched_.store(0);
    file_->advise_done(0, file_->bytes().size());
  }
}

template <typename Number, typename Copy>
void NpyTable::report(const Block& block, Copy copy, const char* expected) const {
  for (std::int64_t row = block.first_row; row < block.first_row + block.row_count; ++row) {
    for (std::int64_t i = 0; i < block.column_count; ++i) {
      const std::byte* const at = element(row, block.first_column + i);
      Number ignored{};
      if (copy(at, 1, &ignored, 1)) continue;
      throw input_error(fmt::format("{}: row {}, column {}: expected {}, found {}", name_, row,
                                    block.first_column + i, expected, functions_.show(at)));
    }
  }
  throw input_error(fmt::format("{}: changed while it was read", name_));
}

template <typename Number, typename Copy>
void NpyTable::read(const Block& block, std::span<Number> out, Copy copy,
                    const char* expected) const {
  const auto inside = [](std::int64_t first, std::int64_t count, std::int64_t total) {
    return first >= 0 && count >= 0 && count <= total && first <= total - count;
  };
  if (!inside(block.first_row, block.row_count, rows()) ||
      !inside(block.first_column, block.column_count, columns()) ||
      out.size() != static_cast<std::size_t>(block.row_count * block.column_count)) {
    throw std::out_of_range("NpyTable: block outside the table or of another size than its buffer");
  }
  if (out.empty()) return;

  // The block in runs of elements that lie one after the other in the file.
  const auto width = static_cast<std::size_t>(block.column_count);
  bool good = true;
  if (header_.fortran_order) {
    // Some rows at a time, so that the rows being filled stay in the cache while columns go by.
    const std::int64_t tile = std::max<std::int64_t>(64, 16384 / block.column_count);
    for (std::int64_t top = 0; top < block.row_count; top += tile) {
      const std::int64_t height = std::min(tile, block.row_count - top);
      Number* const to = out.data() + static_cast<std::size_t>(top) * width;
      for (std::size_t i = 0; i < width; ++i) {
        good =
            copy(element(block.first_row + top, block.first_column + static_cast<std::int64_t>(i)),
                 static_cast<std::size_t>(height), to + i, width) &&
            good;
      }
      count_touched(block.column_count, height);
    }
  } else if (block.column_count == columns()) {
    good = copy(element(block.first_row, 0), out.size(), out.data(), 1);
    count_touched(1, static_cast<std::int64_t>(out.size()));
  } else {
    for (std::int64_t i = 0; i < block.row_count; ++i) {
      good = copy(element(block.first_row + i, block.first_column), width,
                  out.data() + static_cast<std::size_t>(i) * width, 1) &&
             good;
    }
    count_touched(block.row_count, block.column_count);
  }
  if (!good) report<Number>(block, copy, expected);
}

void NpyTable::read_integers(std::int64_t first_row, std::int64_t row_count,
                             std::int64_t first_column, std::int64_t column_count,
                             std::span<std::int64_t> out) const {
  read({first_row, row_count, first_column, column_count}, out, functions_.copy_integers,
       "an integer in the range of int64");
}

void NpyTable::read_reals(std::int64_t first_row, std::int64_t row_count, std::int64_t first_column,
                          std::int64_t column_count, std::span<double> out) const {
  read({first_row, row_count, first_column, column_count}, out, functions_.copy_reals,
       "a finite number");
}

std::unique_ptr<NumericTable> open_npy(const std::filesystem::path& path) {
  return std::make_unique<NpyTable>(MappedFile(path));
}

}  // namespace pate
