#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "pate/numerics/infinity.hpp"

namespace pate {

/// The largest of some numbers, NaN where one is; the lowest there is of none. In a few parts,
/// which do not wait for each other.
template <class Value>
[[nodiscard]] Value largest_of(std::span<const Value> values) {
  constexpr std::size_t kParts = 16;
  std::array<Value, kParts> parts{};
  parts.fill(std::numeric_limits<Value>::lowest());
  std::size_t i = 0;
  for (; i + kParts <= values.size(); i += kParts) {
    for (std::size_t k = 0; k < kParts; ++k) {
      parts[k] = max_or_nan(parts[k], values[i + k]);
    }
  }
  Value result = std::numeric_limits<Value>::lowest();
  for (; i < values.size(); ++i) result = max_or_nan(result, values[i]);
  for (const Value part : parts) result = max_or_nan(result, part);
  return result;
}

/// Rows of numbers with the maxima of their blocks and of blocks of those: the maximum of any
/// stretch of a row in few steps, NaN where one is in it.
template <class Value>
class RangeMaxima {
 public:
  RangeMaxima() = default;
  /// So many rows of `width` > 0 numbers, to be written and then `index`ed, each for itself:
  /// several threads may do so with different ones.
  RangeMaxima(std::size_t rows, std::size_t width)
      : width_(width),
        values_(rows * width),
        blocks_(rows * blocks_of(width)),
        large_blocks_(rows * blocks_of(blocks_of(width))) {}
  /// `values` row by row, indexed.
  RangeMaxima(std::size_t width, std::vector<Value> values)
      : width_(width),
        values_(std::move(values)),
        blocks_(values_.size() / width * blocks_of(width)),
        large_blocks_(values_.size() / width * blocks_of(blocks_of(width))) {
    for (std::size_t r = 0; r < values_.size() / width; ++r) index(r);
  }

  [[nodiscard]] std::span<const Value> row(std::size_t r) const { return part(values_, r, width_); }
  [[nodiscard]] std::span<Value> row(std::size_t r) {
    return std::span(values_).subspan(r * width_, width_);
  }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

  /// What `largest` needs, after `row` was written.
  void index(std::size_t r) {
    const std::size_t small = blocks_of(width_);
    raise_blocks(row(r), std::span(blocks_).subspan(r * small, small));
    const std::size_t large = blocks_of(small);
    raise_blocks(part(blocks_, r, small), std::span(large_blocks_).subspan(r * large, large));
  }

  /// The largest of begin..end - 1 of a row; the lowest number there is where that is empty.
  [[nodiscard]] Value largest(std::size_t r, std::size_t begin, std::size_t end) const {
    const std::size_t small = blocks_of(width_);
    const std::span<const Value> large = part(large_blocks_, r, blocks_of(small));
    return largest_in(row(r), begin, end, [&](std::size_t first, std::size_t last) {
      return largest_in(part(blocks_, r, small), first, last,
                        [&](std::size_t low, std::size_t high) {
                          return largest_of(large.subspan(low, high - low));
                        });
    });
  }

 private:
  static constexpr std::size_t kBlock = 16;
  static constexpr std::size_t blocks_of(std::size_t size) { return (size + kBlock - 1) / kBlock; }
  [[nodiscard]] static std::span<const Value> part(const std::vector<Value>& of, std::size_t r,
                                                   std::size_t width) {
    return std::span<const Value>(of).subspan(r * width, width);
  }
  static void raise_blocks(std::span<const Value> from, std::span<Value> to) {
    for (std::size_t b = 0; b < to.size(); ++b) {
      to[b] = largest_of(from.subspan(b * kBlock, std::min(kBlock, from.size() - b * kBlock)));
    }
  }
  // of_blocks: the largest of whole blocks.
  template <class OfBlocks>
  static Value largest_in(std::span<const Value> values, std::size_t begin, std::size_t end,
                          const OfBlocks& of_blocks) {
    const auto plain = [&](std::size_t from, std::size_t to) {
      return largest_of(values.subspan(from, to - from));
    };
    if (begin >= end) return std::numeric_limits<Value>::lowest();
    const std::size_t first = blocks_of(begin);
    const std::size_t last = end / kBlock;
    if (first >= last) return plain(begin, end);
    return max_or_nan(max_or_nan(plain(begin, first * kBlock), of_blocks(first, last)),
                      plain(last * kBlock, end));
  }

  std::size_t width_ = 1;
  std::vector<Value> values_, blocks_, large_blocks_;
};

}  // namespace pate
