#include "pate/inspection/student_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/inspection/labels_at_chance.hpp"
#include "pate/inspection/row_blocks.hpp"

namespace pate {

namespace {

constexpr double kExact = 1e-6;
constexpr double kRounded = 0.005 + 1e-6;
constexpr std::int64_t kFewestExact = 3;
constexpr std::int64_t kFewestRounded = 10;

// How far the scores of rows are from the shares of the votes at most, and in how many rows not all
// teachers agree.
struct SharesApart {
  double furthest = 0.0;
  std::int64_t contested = 0;

  void look(std::span<const std::int32_t> counts, std::span<const double> scores) {
    const auto total =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const double share = static_cast<double>(counts[c]) / total;
      furthest = std::max(furthest, std::abs(scores[c] - share));
    }
    contested += static_cast<double>(std::ranges::max(counts)) < total ? 1 : 0;
  }
  [[nodiscard]] bool are_the_same() const {
    return (furthest <= kExact && contested >= kFewestExact) ||
           (furthest <= kRounded && contested >= kFewestRounded);
  }
};

}  // namespace

std::optional<Notice> student_doubt(const VoteSource& votes, const RowSelection& rows,
                                    const StudentScores& scores, std::string_view path) {
  const auto classes = static_cast<std::size_t>(votes.classes());
  std::vector<std::int32_t> favourites(static_cast<std::size_t>(votes.queries()), -1);
  std::vector<std::int32_t> counts;
  std::vector<double> said;
  SharesApart apart;
  for_each_block(rows, votes.classes(), [&](std::int64_t row, std::int64_t count) {
    counts.resize(static_cast<std::size_t>(count) * classes);
    said.resize(counts.size());
    votes.read(row, count, counts);
    scores.read(row, count, said);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * classes;
      const std::span<const double> of_row = std::span(said).subspan(at, classes);
      apart.look(std::span(counts).subspan(at, classes), of_row);
      favourites[static_cast<std::size_t>(row + i)] =
          static_cast<std::int32_t>(std::ranges::max_element(of_row) - of_row.begin());
    }
  });
  if (apart.are_the_same()) {
    throw input_error(fmt::format(
        "{}: expected what a student says who has not seen these votes, found the votes themselves "
        "as shares, in every row: nothing here would hold, as the costs take the scores as known; "
        "train the student on labels that are out, or leave --student out",
        path));
  }
  return labels_at_chance(votes, rows, favourites, "student", path);
}

}  // namespace pate
