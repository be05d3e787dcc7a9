#include "pate/votes/row_selection.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text, std::string_view whole) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  require(std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc(),
          "queries must be below 2^63, got {} in '{}'", text, whole);
  return value;
}

}  // namespace

RowSelection RowSelection::all(std::int64_t rows) {
  return first(rows);
}

RowSelection RowSelection::first(std::int64_t n) {
  require(n >= 0, "queries must be >= 0, got {}", n);
  return {0, n};
}

RowSelection RowSelection::range(std::int64_t begin, std::int64_t end) {
  require(begin >= 0 && end >= begin, "queries A:B must have 0 <= A <= B, got {}:{}", begin, end);
  return {begin, end - begin};
}

RowSelection RowSelection::list(std::vector<std::int64_t> rows, std::string source) {
  RowSelection selection(rows.empty() ? 0 : rows.front(), static_cast<std::int64_t>(rows.size()));
  // Row numbers are not checked yet: no sum of theirs is formed that could overflow.
  for (std::size_t i = 1; i < rows.size() && selection.contiguous_; ++i) {
    selection.contiguous_ = rows[i] > rows[i - 1] && rows[i] - 1 == rows[i - 1];
  }
  selection.listed_ = true;
  selection.rows_ = std::move(rows);
  selection.source_ = std::move(source);
  return selection;
}

void RowSelection::check(const std::string& name, std::int64_t rows) const {
  if (!listed_) {
    if (begin_ + size_ > rows) {
      throw input_error(fmt::format("{} has {} rows; queries {}:{} asks for rows up to {}", name,
                                    rows, begin_, begin_ + size_, begin_ + size_));
    }
    return;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] >= 0 && rows_[i] < rows) continue;
    throw input_error(rows == 0
                          ? fmt::format("{}: position {}: found row {}, but {} has no rows",
                                        source_, i, rows_[i], name)
                          : fmt::format("{}: position {}: expected a row of {} in 0..{}, found {}",
                                        source_, i, name, rows - 1, rows_[i]));
  }
}

RowSelection parse_row_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto n = parse_number(text, text);
    if (n && *n > 0) return RowSelection::first(*n);
  } else {
    const auto begin = parse_number(text.substr(0, colon), text);
    const auto end = parse_number(text.substr(colon + 1), text);
    if (begin && end && *begin < *end) return RowSelection::range(*begin, *end);
  }
  throw parameter_error(fmt::format(
      "queries must be N >= 1 (the first N) or A:B with A < B (rows A to B - 1), got '{}'", text));
}

}  // namespace pate
