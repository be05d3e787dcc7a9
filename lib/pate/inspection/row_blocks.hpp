#pragma once

#include <algorithm>
#include <cstdint>

#include "pate/votes/row_selection.hpp"

namespace pate {

/// Calls read(row, count) for pieces of consecutive rows that together are the selection, in its
/// order: so many that about a million numbers are read at a time where a row has `width`.
template <class Read>
void for_each_block(const RowSelection& rows, std::int64_t width, const Read& read) {
  constexpr std::int64_t kNumbers = std::int64_t{1} << 20U;
  const std::int64_t block = std::max<std::int64_t>(1, kNumbers / width);
  rows.for_each_range(0, rows.size(),
                      [&](std::int64_t row, std::int64_t /*offset*/, std::int64_t size) {
                        for (std::int64_t done = 0; done < size; done += block) {
                          read(row + done, std::min(block, size - done));
                        }
                      });
}

}  // namespace pate
