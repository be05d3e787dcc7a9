#include "pate/inspection/teachers_mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/inspection/headings.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

constexpr std::int64_t kReadAtOnce = 1 << 14;
constexpr std::int64_t kByteWraps = 256;
constexpr std::int64_t kMaxSummed = 10'000'000;  // columns

// What counts of one sum a row have in common.
struct CountsSeen {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> sums;
  std::vector<bool> constant;  // by column: all rows have what the first has
  std::vector<bool> half;      // all rows have half of the votes
  std::int64_t largest = 0;
  std::int64_t divisor = 0;
};

// None where rows have other sums, or hold what are no counts.
std::optional<CountsSeen> see_counts(const NumericTable& table, std::int64_t teachers) {
  const std::int64_t width = table.columns();
  if (width < 1 || width > kMaxSummed) return {};
  CountsSeen seen;
  seen.sums.assign(static_cast<std::size_t>(width), 0);
  seen.constant.assign(seen.sums.size(), true);
  seen.half.assign(seen.sums.size(), true);
  std::vector<std::int64_t> values;
  const std::int64_t piece = std::max<std::int64_t>(1, kReadAtOnce / width);
  try {
    for (std::int64_t begin = 0; begin < table.rows(); begin += piece) {
      const std::int64_t rows = std::min(piece, table.rows() - begin);
      values.resize(static_cast<std::size_t>(rows * width));
      table.read_integers(begin, rows, 0, width, values);
      for (std::size_t i = 0; i < values.size(); i += seen.sums.size()) {
        const auto row = std::span(values).subspan(i, seen.sums.size());
        std::int64_t sum = 0;
        for (const std::int64_t value : row) {
          if (value < 0 || value > teachers) return {};
          sum += value;
        }
        if (sum != teachers) return {};
        if (seen.first.empty()) seen.first.assign(row.begin(), row.end());
        for (std::size_t j = 0; j < row.size(); ++j) {
          seen.sums[j] += row[j];
          if (row[j] != seen.first[j]) seen.constant[j] = false;
          if (2 * row[j] != teachers) seen.half[j] = false;
          seen.largest = std::max(seen.largest, row[j]);
          seen.divisor = std::gcd(seen.divisor, row[j]);
        }
      }
    }
  } catch (const input_error&) {
    return {};
  }
  return seen;
}

std::string why_other_counts(const NumericTable& table, std::int64_t found, std::int64_t said) {
  if (table.description().dtype.ends_with("u1") && said > found &&
      (said - found) % kByteWraps == 0) {
    return "; the counts are bytes: those above 255 have wrapped, store them as int32 before "
           "adding up";
  }
  const auto seen = see_counts(table, found);
  if (!seen) return {};
  const auto last_of = [](const std::vector<bool>& which) {
    const auto at = std::find(which.rbegin(), which.rend(), true);
    return static_cast<std::int64_t>(which.rend() - at) - 1;
  };
  if (found == 2 * said && last_of(seen->half) >= 0) {
    const std::int64_t column = last_of(seen->half);
    return fmt::format("; {} is the sum of all others, a total. What leaves it out: {}",
                       column_in_words(table, column), line_without_column(table, column));
  }
  for (std::size_t j = 0; j < seen->first.size(); ++j) {
    if (!seen->constant[j] || seen->first[j] != found - said || said >= found) continue;
    const auto column = static_cast<std::int64_t>(j);
    return fmt::format(
        "; {} is {} in every row, and without it they are {}: is it no class? What "
        "leaves it out: {}",
        column_in_words(table, column), found - said, said, line_without_column(table, column));
  }
  const auto uneven = [&](std::int64_t sum) { return sum != said; };
  if (std::ranges::none_of(seen->sums, uneven)) {
    return fmt::format(
        "; but every column has a sum of {}: the file looks transposed (classes x "
        "queries)",
        said);
  }
  if (said > 0 && found > said && found % said == 0) {
    const std::int64_t each = found / said;
    if (seen->divisor % each == 0) {
      return fmt::format("; all counts are multiples of {}: they were scaled, divide them by it",
                         each);
    }
    if (seen->largest <= said) {
      return fmt::format(
          "; {0} votes a teacher fit, as of the best {0} classes: one teacher then "
          "moves {0} votes, which costs more than what is computed here",
          each);
    }
  }
  if (said > found) {
    return "; if the others abstained, add --abstentions, where a command has that";
  }
  if (seen->largest < table.columns()) {
    return "; if these are class ids and not counts, add --layout predictions or "
           "predictions-by-query";
  }
  return {};
}

}  // namespace

std::string why_other_teachers(const VoteSource& votes, const NumericTable& table, Layout layout,
                               std::int64_t said) {
  const std::int64_t found = votes.teachers();
  if (layout == Layout::counts) return why_other_counts(table, found, said);
  const bool by_query = layout == Layout::predictions_by_query;
  if (said == votes.queries()) {
    return fmt::format("; there are {} queries: it looks like --layout {}", said,
                       by_query ? "predictions" : "predictions-by-query");
  }
  const std::vector<std::string> names = table.header().names;
  for (std::size_t i = 0; by_query && i < names.size(); ++i) {
    if (!heads_labels(names[i]) && !heads_index(names[i])) continue;
    const auto column = static_cast<std::int64_t>(i);
    return fmt::format("; {} is {} by its heading, and no teacher's votes. What leaves it out: {}",
                       column_in_words(table, column),
                       heads_labels(names[i]) ? "of labels" : "an index",
                       line_without_column(table, column));
  }
  if (found == said + 1) {
    return fmt::format("; is one {} of labels, or an index of the rows?",
                       by_query ? "column" : "row");
  }
  return {};
}

}  // namespace pate
