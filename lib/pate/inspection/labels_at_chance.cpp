#include "pate/inspection/labels_at_chance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "pate/inspection/row_blocks.hpp"

namespace pate {

namespace {

// Below it chance alone makes many right or none.
constexpr std::int64_t kFewestQueries = 30;
constexpr double kOneClass = 0.95;
constexpr double kDeviations = 3.0;

struct Matches {
  std::vector<std::int64_t> pluralities, labels;  // by class
  std::int64_t queries = 0, right = 0;
};

Matches matches(const VoteSource& votes, const RowSelection& rows,
                std::span<const std::int32_t> labels) {
  const auto classes = static_cast<std::size_t>(votes.classes());
  Matches result{std::vector<std::int64_t>(classes), std::vector<std::int64_t>(classes)};
  std::vector<std::int32_t> counts;
  for_each_block(rows, votes.classes(), [&](std::int64_t row, std::int64_t count) {
    counts.resize(static_cast<std::size_t>(count) * classes);
    votes.read(row, count, counts);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t label_of = labels[static_cast<std::size_t>(row + i)];
      if (label_of < 0) continue;
      const auto votes_of =
          std::span(counts).subspan(static_cast<std::size_t>(i) * classes, classes);
      const auto plurality =
          static_cast<std::size_t>(std::ranges::max_element(votes_of) - votes_of.begin());
      const auto label = static_cast<std::size_t>(label_of);
      ++result.queries;
      ++result.pluralities[plurality];
      ++result.labels[label];
      result.right += plurality == label ? 1 : 0;
    }
  });
  return result;
}

}  // namespace

std::optional<Notice> labels_at_chance(const VoteSource& votes, const RowSelection& rows,
                                       std::span<const std::int32_t> labels,
                                       std::string_view option, std::string_view path) {
  if (rows.size() < kFewestQueries) return std::nullopt;
  const Matches found = matches(votes, rows, labels);
  if (found.queries < kFewestQueries) return std::nullopt;
  const auto queries = static_cast<double>(found.queries);
  if (static_cast<double>(std::ranges::max(found.pluralities)) >= kOneClass * queries) {
    return std::nullopt;
  }
  double by_chance = 0.0;
  for (std::size_t c = 0; c < found.labels.size(); ++c) {
    by_chance += static_cast<double>(found.pluralities[c]) * static_cast<double>(found.labels[c]);
  }
  by_chance /= queries;
  const double deviation = std::sqrt(by_chance * (1.0 - by_chance / queries));
  if (static_cast<double>(found.right) > by_chance + kDeviations * deviation) return std::nullopt;
  // What a student finds most likely is wrong often enough, and has no option of its own.
  const bool has_rows = option != "student";
  return Notice{"labels_at_chance",
                fmt::format("{}: {} of {} are the teachers' plurality, as labels of other queries "
                            "would be ({:.0f}): expected those of the same rows{}, with classes "
                            "numbered as in the votes{}",
                            path, found.right, found.queries, by_chance,
                            has_rows ? fmt::format(" (--{}-rows says whose rows they are)", option)
                                     : std::string(),
                            option == "decisions" ? "; or noise so large that it decides them"
                            : has_rows            ? ""
                                                  : "; or a student that has learnt nothing yet")};
}

}  // namespace pate
