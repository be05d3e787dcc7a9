#include "pate/votes/tables/npy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/votes/tables/table_elements.hpp"

namespace pate::io {

namespace {

// Larger files are copied run by run: a run that is touched where it is mapped costs a fault and
// makes 64 KiB resident, and dropping pages again holds up everybody who reads.
constexpr std::size_t kMaxTouched = std::size_t{16} << 20U;

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
bool is_nan(T value) {
  if constexpr (std::is_same_v<T, HalfElement>) return std::isnan(half_value(value));
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

// Converts `count` elements that lie one after the other to `to[0], to[stride], ...` and returns
// whether all of them could be; it copies on past those that could not.
template <typename T, bool swapped, typename Number>
bool copy_run(const std::byte* from, std::size_t count, Number* to, std::size_t stride) {
  bool good = true;
  if (stride == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      good = convert_element(load<T, swapped>(from + i * sizeof(T)), to[i]) && good;
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      good = convert_element(load<T, swapped>(from + i * sizeof(T)), to[i * stride]) && good;
    }
  }
  return good;
}

// Calls use.operator()<T, swapped>() for the type of the elements; swapped: their bytes are in the
// other order than this machine's.
template <typename Use>
auto with_element_type(const NpyHeader& header, const Use& use) {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  const auto with = [&]<typename T>(T /*tag*/) {
    return header.byte_order == kForeign ? use.template operator()<T, true>()
                                         : use.template operator()<T, false>();
  };
  const int size = header.item_size;
  switch (header.kind) {
    case 'b':
      return with(BoolElement{});
    case 'u':
      if (size == 1) return with(std::uint8_t{});
      if (size == 2) return with(std::uint16_t{});
      return size == 4 ? with(std::uint32_t{}) : with(std::uint64_t{});
    case 'i':
      if (size == 1) return with(std::int8_t{});
      if (size == 2) return with(std::int16_t{});
      return size == 4 ? with(std::int32_t{}) : with(std::int64_t{});
    default:
      if (size == 2) return with(HalfElement{});
      return size == 4 ? with(float{}) : with(double{});
  }
}

}  // namespace

NpyTable::NpyTable(MappedFile file, std::optional<std::int64_t> missing)
    : name_(file.path().string()),
      file_(std::move(file)),
      missing_(missing),
      header_(parse_npy_header(file_->bytes(), name_)) {
  check_size();
}

NpyTable::NpyTable(std::string name, std::vector<std::byte> contents, std::string format,
                   std::optional<std::int64_t> missing)
    : name_(std::move(name)),
      format_(std::move(format)),
      buffer_(std::move(contents)),
      missing_(missing),
      header_(parse_npy_header(buffer_, name_)) {
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
  return {format_, header_.descr, header_.shape};
}

std::size_t NpyTable::offset_of(std::int64_t row, std::int64_t column) const {
  std::int64_t index = row * columns() + column;
  if (header_.fortran_order) {
    const std::int64_t last = header_.shape.size() == 3 ? header_.shape[2] : 1;
    const std::int64_t middle = header_.shape.size() > 1 ? header_.shape[1] : 1;
    index = (column % last * middle + column / last) * rows() + row;
  }
  return header_.data_offset + static_cast<std::size_t>(index * header_.item_size);
}

std::string NpyTable::place(std::int64_t row, std::int64_t column) const {
  if (header_.shape.size() < 3) return fmt::format("row {}, column {}", row, column);
  const std::int64_t last = header_.shape.back();
  return fmt::format("row {}, column {}, class {}", row, column / last, column % last);
}

// A block that holds what is no `Number`: NaN may be a value that is missing.
template <typename Number>
void NpyTable::copy_singly(const Block& block, std::span<Number> out) const {
  Number* to = out.data();
  for (std::int64_t row = block.first_row; row < block.first_row + block.row_count; ++row) {
    for (std::int64_t i = 0; i < block.column_count; ++i, ++to) {
      const std::byte* const at = &contents()[offset_of(row, block.first_column + i)];
      with_element_type(header_, [&]<typename T, bool swapped>() {
        const T value = load<T, swapped>(at);
        if (convert_element(value, *to)) return;
        if constexpr (std::is_integral_v<Number>) {
          if (missing_ && is_nan(value)) {
            *to = *missing_;
            return;
          }
        }
        throw input_error(fmt::format("{}: {}: expected {}, found {}", name_,
                                      place(row, block.first_column + i),
                                      kExpectedElement<Number, T>, show_element(value)));
      });
    }
  }
}

template <typename Number>
void NpyTable::copy_runs(const Block& block, std::span<Number> out) const {
  const auto copier = with_element_type(
      header_, []<typename T, bool swapped>() { return &copy_run<T, swapped, Number>; });
  // The block in runs of elements that lie one after the other in the file.
  const auto width = static_cast<std::size_t>(block.column_count);
  bool good = true;
  const bool touches = !file_ || file_->bytes().size() <= kMaxTouched;
  std::vector<std::byte> copied;
  const auto run_at = [&](std::int64_t row, std::int64_t column, std::size_t elements) {
    const std::size_t offset = offset_of(row, column);
    if (touches) return contents().data() + offset;
    copied.resize(elements * static_cast<std::size_t>(header_.item_size));
    file_->read(offset, copied);
    return static_cast<const std::byte*>(copied.data());
  };
  if (header_.fortran_order) {
    // Some rows at a time, so that the rows being filled stay in the cache while columns go by.
    const std::int64_t tile = std::max<std::int64_t>(64, 16384 / block.column_count);
    for (std::int64_t top = 0; top < block.row_count; top += tile) {
      const std::int64_t height = std::min(tile, block.row_count - top);
      Number* const to = out.data() + static_cast<std::size_t>(top) * width;
      for (std::size_t i = 0; i < width; ++i) {
        const auto size = static_cast<std::size_t>(height);
        good = copier(run_at(block.first_row + top,
                             block.first_column + static_cast<std::int64_t>(i), size),
                      size, to + i, width) &&
               good;
      }
    }
  } else {
    const bool whole = block.column_count == columns();
    const std::int64_t runs = whole ? 1 : block.row_count;
    const std::size_t run = whole ? out.size() : width;
    for (std::int64_t i = 0; i < runs; ++i) {
      good = copier(run_at(block.first_row + i, block.first_column, run), run,
                    out.data() + static_cast<std::size_t>(i) * run, 1) &&
             good;
    }
  }
  if (!good) copy_singly(block, out);
}

void NpyTable::copy(const Block& block, std::span<std::int64_t> out) const {
  copy_runs(block, out);
}

void NpyTable::copy(const Block& block, std::span<double> out) const {
  copy_runs(block, out);
}

}  // namespace pate::io
