#include "pate/inspection/column_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMostColumns = 10'000'000;
constexpr std::int64_t kMostVotes = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kPiece = 1 << 16;

std::optional<std::vector<std::int64_t>> column_sums(const NumericTable& table) {
  const std::int64_t columns = table.columns();
  const std::int64_t piece = std::max<std::int64_t>(1, kPiece / columns);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(columns));
  std::vector<std::int64_t> values;
  for (std::int64_t first = 0; first < table.rows(); first += piece) {
    const std::int64_t rows = std::min(piece, table.rows() - first);
    values.resize(static_cast<std::size_t>(rows * columns));
    table.read_integers(first, rows, 0, columns, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::int64_t& sum = sums[i % sums.size()];
      if (values[i] < 0 || values[i] > kMostVotes) return std::nullopt;
      sum += values[i];
      if (sum > kMostVotes) return std::nullopt;  // more teachers than there may be
    }
  }
  return sums;
}

}  // namespace

std::optional<std::int64_t> common_column_sum(const NumericTable& table) {
  if (table.rows() < 2 || table.columns() < 2 || table.columns() > kMostColumns) {
    return std::nullopt;
  }
  try {
    const auto sums = column_sums(table);
    if (!sums ||
        std::adjacent_find(sums->begin(), sums->end(), std::not_equal_to<>()) != sums->end()) {
      return std::nullopt;
    }
    return sums->front();
  } catch (const input_error&) {
    return std::nullopt;
  }
}

}  // namespace pate
