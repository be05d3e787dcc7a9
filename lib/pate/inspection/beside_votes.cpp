#include "pate/inspection/beside_votes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/votes/headings.hpp"

namespace pate {

namespace {

// Calls take(row, numbers) for each row of the selection, in its order, with its `width` numbers:
// read(row, count, numbers) reads consecutive rows, about a million numbers at a time.
template <class Number, class Read, class Take>
void for_each_row(const RowSelection& rows, std::int64_t width, const Read& read,
                  const Take& take) {
  const std::int64_t block = std::max<std::int64_t>(1, (1 << 20) / width);
  const auto each = static_cast<std::size_t>(width);
  std::vector<Number> numbers;
  for (std::int64_t first = 0; first < rows.size(); first += block) {
    rows.for_each_range(first, std::min(block, rows.size() - first),
                        [&](std::int64_t row, std::int64_t /*offset*/, std::int64_t count) {
                          numbers.resize(static_cast<std::size_t>(count) * each);
                          read(row, count, std::span(numbers));
                          for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
                            take(static_cast<std::size_t>(row) + i,
                                 std::span<const Number>(numbers).subspan(i * each, each));
                          }
                        });
  }
}

// The same of the counts of votes.
template <class Take>
void for_each_histogram(const VoteSource& votes, const RowSelection& rows, const Take& take) {
  for_each_row<std::int32_t>(
      rows, votes.classes(), [&](auto... block) { votes.read(block...); }, take);
}

template <class Number>
bool is_first_largest(std::span<const Number> values, std::int32_t at) {
  return std::ranges::max_element(values) - values.begin() == at;
}

}  // namespace

std::string what_rows_look_like(std::span<const std::int64_t> rows, const NumericTable& table,
                                const VoteSource& votes) {
  constexpr std::size_t kFewest = 4;
  if (table.description().dtype.ends_with("b1") || table.description().dtype == "bool") {
    return "a mask of the rows";
  }
  const std::vector<std::string> names = table.header().names;
  if (names.size() == 1 && heading_of(names.front()) == Heading::labels) {
    return "labels, by their heading";
  }
  std::vector<std::int64_t> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  if (sorted.size() < kFewest || sorted.back() >= votes.classes() || sorted.front() < -1) return {};
  if (sorted.front() == -1) return "released labels, with -1 for refused";
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() == rows.size()) return {};
  const bool as_many = static_cast<std::int64_t>(rows.size()) == votes.queries();
  // Of votes with no more queries than classes any row numbers are so small.
  const bool may_repeat = rows.size() < kFewest * kFewest || votes.queries() <= votes.classes();
  if (!as_many && may_repeat && 2 * sorted.size() > rows.size()) return {};
  return as_many && sorted.size() <= 2 && sorted.back() <= 1
             ? "labels of two classes, or a mask of the rows"
             : "labels";
}

std::optional<Notice> labels_at_chance(const VoteSource& votes, const RowSelection& rows,
                                       std::span<const std::int32_t> labels,
                                       std::string_view option, std::string_view path) {
  constexpr double kFewestQueries = 30.0;
  const auto classes = static_cast<std::size_t>(votes.classes());
  std::vector<double> pluralities(classes);
  std::vector<double> said(classes);
  double queries = 0.0;
  double right = 0.0;
  for_each_histogram(votes, rows, [&](std::size_t row, std::span<const std::int32_t> counts) {
    const std::int32_t label = labels[row];
    if (label < 0) return;
    const auto plurality = std::ranges::max_element(counts) - counts.begin();
    queries += 1.0;
    pluralities[static_cast<std::size_t>(plurality)] += 1.0;
    said[static_cast<std::size_t>(label)] += 1.0;
    right += plurality == label ? 1.0 : 0.0;
  });
  if (queries < kFewestQueries || std::ranges::max(pluralities) >= 0.95 * queries) return {};
  const double by_chance =
      std::inner_product(said.begin(), said.end(), pluralities.begin(), 0.0) / queries;
  const double deviation = std::sqrt(by_chance * (1.0 - by_chance / queries));
  if (right > by_chance + 3.0 * deviation) return {};
  // What a student finds most likely is wrong often enough, and has no option of its own.
  const bool is_student = option == "student";
  return Notice{
      "labels_at_chance",
      fmt::format("{}: {} of {} are the teachers' plurality, as labels of other queries would be "
                  "({:.0f}): expected those of the same rows{}, with classes numbered as in the "
                  "votes{}",
                  path, right, queries, by_chance,
                  is_student ? "" : fmt::format(" (\1{}-rows says whose rows they are)", option),
                  is_student ? "; or a student that has learnt nothing yet" : "")};
}

std::optional<Notice> student_doubt(const VoteSource& votes, const RowSelection& rows,
                                    const StudentScores& scores, std::string_view path) {
  std::vector<std::int32_t> favourites(static_cast<std::size_t>(votes.queries()), -1);
  std::vector<double> said(static_cast<std::size_t>(votes.classes()));
  double furthest = 0.0;  // of a score from the share of votes
  std::int64_t contested = 0;
  for_each_histogram(votes, rows, [&](std::size_t row, std::span<const std::int32_t> counts) {
    scores.read(static_cast<std::int64_t>(row), 1, said);
    const auto total =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    for (std::size_t c = 0; c < counts.size(); ++c) {
      furthest = std::max(furthest, std::abs(said[c] - static_cast<double>(counts[c]) / total));
    }
    contested += static_cast<double>(std::ranges::max(counts)) < total ? 1 : 0;
    favourites[row] = static_cast<std::int32_t>(std::ranges::max_element(said) - said.begin());
  });
  if ((furthest <= 1e-6 && contested >= 3) || (furthest <= 0.005 + 1e-6 && contested >= 10)) {
    throw input_error(fmt::format(
        "{}: expected what a student says who has not seen these votes, found the votes themselves "
        "as shares, in every row: nothing here would hold, as the costs take the scores as known; "
        "train the student on labels that are out, or leave \1student out",
        path));
  }
  return labels_at_chance(votes, rows, favourites, "student", path);
}

std::optional<Accuracy> accuracy(const VoteSource& votes, const RowSelection& rows,
                                 std::span<const std::int32_t> labels,
                                 const PredictionVotes* predictions, const StudentScores* student) {
  require(static_cast<std::int64_t>(labels.size()) == votes.queries(),
          "{} rows need as many labels, got {}", votes.queries(), labels.size());
  if (rows.size() == 0) return std::nullopt;
  const auto queries = static_cast<double>(rows.size());
  std::int64_t right_votes = 0;
  std::int64_t right_pluralities = 0;
  for_each_histogram(votes, rows, [&](std::size_t row, std::span<const std::int32_t> counts) {
    right_votes += counts[static_cast<std::size_t>(labels[row])];
    right_pluralities += is_first_largest(counts, labels[row]) ? 1 : 0;
  });
  Accuracy result;
  result.plurality = static_cast<double>(right_pluralities) / queries;
  result.teachers_mean =
      static_cast<double>(right_votes) / (queries * static_cast<double>(votes.teachers()));
  if (predictions != nullptr) {
    std::vector<std::int64_t> right(static_cast<std::size_t>(votes.teachers()));
    for_each_row<std::int32_t>(
        rows, votes.teachers(), [&](auto... block) { predictions->read_votes(block...); },
        [&](std::size_t row, std::span<const std::int32_t> ids) {
          for (std::size_t i = 0; i < ids.size(); ++i) right[i] += ids[i] == labels[row] ? 1 : 0;
        });
    for (const std::int64_t times : right) {
      result.teachers.push_back(static_cast<double>(times) / queries);
    }
  }
  if (student != nullptr) {
    std::int64_t right = 0;
    for_each_row<double>(
        rows, votes.classes(), [&](auto... block) { student->read(block...); },
        [&](std::size_t row, std::span<const double> scores) {
          right += is_first_largest(scores, labels[row]) ? 1 : 0;
        });
    result.student = static_cast<double>(right) / queries;
  }
  return result;
}

}  // namespace pate
