#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// Calls take(row, numbers) for each row of the selection, in its order, with its `width` numbers:
/// read(row, count, numbers) reads consecutive rows, about a million numbers at a time.
template <class Number, class Read, class Take>
void for_each_row(const RowSelection& rows, std::int64_t width, const Read& read,
                  const Take& take) {
  constexpr std::int64_t kNumbers = std::int64_t{1} << 20U;
  const std::int64_t block = std::max<std::int64_t>(1, kNumbers / width);
  const auto each = static_cast<std::size_t>(width);
  std::vector<Number> numbers;
  const auto read_range = [&](std::int64_t row, std::int64_t /*offset*/, std::int64_t size) {
    for (std::int64_t done = 0; done < size; done += block) {
      const std::int64_t count = std::min(block, size - done);
      numbers.resize(static_cast<std::size_t>(count) * each);
      read(row + done, count, std::span(numbers));
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        take(static_cast<std::size_t>(row + done) + i,
             std::span<const Number>(numbers).subspan(i * each, each));
      }
    }
  };
  rows.for_each_range(0, rows.size(), read_range);
}

/// The same of the counts of votes.
template <class Take>
void for_each_histogram(const VoteSource& votes, const RowSelection& rows, const Take& take) {
  const auto read = [&](std::int64_t row, std::int64_t count, std::span<std::int32_t> counts) {
    votes.read(row, count, counts);
  };
  for_each_row<std::int32_t>(rows, votes.classes(), read, take);
}

}  // namespace pate
