#include "pate/inspection/long_table_doubt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "pate/votes/conversion_line.hpp"

namespace pate {

namespace {

using Line = std::vector<std::int64_t>;

constexpr std::size_t kFewestLines = 3;  // lines
constexpr std::size_t kMostLines = 5;
const double kLogRare = std::log(1e-5);

std::size_t distinct_of(const Line& line) {
  return std::unordered_set<std::int64_t>(line.begin(), line.end()).size();
}

// The logarithm of the probability that so many pairs are all different, of values that are
// independent and all alike often, which makes it as large as can be.
double log_all_differ(std::size_t pairs, std::size_t of_first, std::size_t of_second) {
  const double cells = static_cast<double>(of_first) * static_cast<double>(of_second);
  double sum = 0.0;
  for (std::size_t i = 0; i < pairs && sum > kLogRare - 10.0; ++i) {
    sum += std::log1p(-static_cast<double>(i) / cells);
  }
  return sum;
}

bool all_differ(const Line& a, const Line& b) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!seen.emplace(a[i], b[i]).second) return false;
  }
  return true;
}

// Which lines number queries and teachers: those with more values first.
struct Numbering {
  std::size_t query = 0, teacher = 0;
  std::size_t queries = 0, teachers = 0;
};

std::optional<Numbering> numbering_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> distinct;
  for (const Line& line : lines) distinct.push_back(distinct_of(line));
  const std::size_t pairs = lines.front().size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = i + 1; j < lines.size(); ++j) {
      // A line of row numbers has no pair twice with any other.
      if (distinct[i] == pairs || distinct[j] == pairs) continue;
      const double choices = std::log(static_cast<double>(lines.size() * lines.size()));
      if (choices + log_all_differ(pairs, distinct[i], distinct[j]) > kLogRare) continue;
      if (!all_differ(lines[i], lines[j])) continue;
      return distinct[i] >= distinct[j] ? Numbering{i, j, distinct[i], distinct[j]}
                                        : Numbering{j, i, distinct[j], distinct[i]};
    }
  }
  return {};
}

// What makes a row for each query of it: of an array where every pair is there.
std::string line_of(const NumericTable& table, const Numbering& found, std::size_t kind,
                    bool are_rows, std::size_t pairs) {
  if (!table.description().format.starts_with("np")) {
    const ColumnHeader header = table.header();
    const auto place = [&](std::size_t column) {
      return header.names.empty() || are_rows ? fmt::format("{}", column)
                                              : fmt::format("t.columns[{}]", column);
    };
    return frame_line(
        table.name(), header,
        fmt::format("{}.pivot(index={}, columns={}, values={})", are_rows ? "t.T" : "t",
                    place(found.query), place(found.teacher), place(kind)));
  }
  if (pairs != found.queries * found.teachers) return {};
  return array_line(table.name(),
                    fmt::format("a[n.lexsort((a[:, {}], a[:, {}])), {}].reshape(-1, {})",
                                found.teacher, found.query, kind, found.teachers),
                    are_rows ? "; a = a.T" : "");
}

}  // namespace

std::optional<ContentDoubt> long_table_doubt(const VotesLookedAt& looked_at,
                                             const std::vector<Line>& lines, bool are_rows) {
  if (lines.size() < kFewestLines || lines.size() > kMostLines) return {};
  const auto found = numbering_of(lines);
  if (!found) return {};
  // Of more than three the class is none that anybody knows.
  std::string line;
  if (lines.size() == 3) {
    const std::size_t kind = 3 - found->query - found->teacher;
    line = line_of(looked_at.table, *found, kind, are_rows, lines.front().size());
  }
  if (!line.empty()) {
    line = fmt::format(
        ". If {0} {1} is the query and {0} {2} the teacher, what makes a row for each "
        "query, to be read with --layout predictions-by-query: {3}",
        are_rows ? "row" : "column", found->query, found->teacher, line);
  }
  return ContentDoubt{
      {"looks_long",
       fmt::format("{0}s {1} and {2} never have the same pair of numbers twice, as query and "
                   "teacher of a table with {3} for each vote: that has {4} and {5} of them, and "
                   "no vote in these two{6}; if these are votes, say how many teachers there are "
                   "with --teachers {7}",
                   are_rows ? "row" : "column", std::min(found->query, found->teacher),
                   std::max(found->query, found->teacher), are_rows ? "a column" : "a row",
                   found->queries, found->teachers, line, looked_at.votes.teachers())},
      looked_at.teachers ? Weight::doubtful : Weight::certain,
      VotesDoubt::looks_long};
}

}  // namespace pate
