#include "pate/votes/count_votes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMostVotes = std::numeric_limits<std::int32_t>::max();

// The sum of a row of counts, each of them checked.
std::int64_t votes_in_row(std::span<const std::int64_t> counts, std::int64_t row,
                          const std::string& name) {
  std::int64_t sum = 0;
  bool good = true;
  for (const std::int64_t count : counts) {
    good = count >= 0 && count <= kMostVotes && good;
    // Modulo 2^64 as long as it is not known whether the counts are small.
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                    static_cast<std::uint64_t>(count));
  }
  if (good) return sum;  // exact: at most 2^31 columns of less than 2^31 each
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      throw input_error(
          fmt::format("{}: row {}, column {}: expected a count of votes >= 0, found {}", name, row,
                      i, counts[i]));
    }
    if (counts[i] > kMostVotes) {
      throw input_error(
          fmt::format("{}: row {}, column {}: expected a count of at most {} votes, found {}", name,
                      row, i, kMostVotes, counts[i]));
    }
  }
  return sum;
}

}  // namespace

CountVotes::CountVotes(std::shared_ptr<const NumericTable> table) : table_(std::move(table)) {
  if (table_->dimensions() != 2) {
    throw input_error(fmt::format(
        "{}: expected counts with one row per query and one column per class (queries x "
        "classes), found a one-dimensional array of {} numbers",
        name(), table_->rows()));
  }
  if (classes() == 0) {
    throw input_error(
        fmt::format("{}: expected one column per class, found a table of {} rows without columns",
                    name(), queries()));
  }
  if (classes() > kMostVotes) {
    throw input_error(
        fmt::format("{}: expected at most {} classes, found {}", name(), kMostVotes, classes()));
  }
  if (queries() == 0) return;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes()));
  table_->read_integers(0, 1, 0, classes(), counts);
  teachers_ = votes_in_row(counts, 0, name());
  if (teachers_ == 0) {
    throw input_error(fmt::format(
        "{}: row 0: expected the votes of at least one teacher, found only zeros", name()));
  }
  if (teachers_ > kMostVotes) {
    throw input_error(fmt::format("{}: row 0: expected at most {} votes in a row, found {}", name(),
                                  kMostVotes, teachers_));
  }
}

void CountVotes::read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const {
  if (first < 0 || count < 0 || count > queries() || first > queries() - count ||
      out.size() != static_cast<std::size_t>(count * classes())) {
    throw std::out_of_range("CountVotes: queries outside the table or a buffer of another size");
  }
  if (count == 0) return;
  // Pieces that stay in the cache between being read, checked and narrowed.
  constexpr std::int64_t kPiece = 16384;
  const std::int64_t piece_rows = std::clamp<std::int64_t>(kPiece / classes(), 1, count);
  const auto width = static_cast<std::size_t>(classes());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(piece_rows) * width);
  for (std::int64_t done = 0; done < count; done += piece_rows) {
    const std::int64_t rows = std::min(piece_rows, count - done);
    const auto piece = std::span(counts).first(static_cast<std::size_t>(rows) * width);
    table_->read_integers(first + done, rows, 0, classes(), piece);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto row =
          std::span<const std::int64_t>(piece).subspan(static_cast<std::size_t>(i) * width, width);
      const std::int64_t sum = votes_in_row(row, first + done + i, name());
      if (sum != teachers_) {
        throw input_error(fmt::format(
            "{}: row {}: expected {} votes, the sum of row 0, found a sum of {}; if these "
            "are class ids and not counts, add --layout predictions",
            name(), first + done + i, teachers_, sum));
      }
      std::transform(row.begin(), row.end(),
                     out.begin() + static_cast<std::ptrdiff_t>((done + i) * classes()),
                     [](std::int64_t votes) { return static_cast<std::int32_t>(votes); });
    }
  }
}

}  // namespace pate
