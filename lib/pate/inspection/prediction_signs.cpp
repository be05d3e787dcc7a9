#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "pate/inspection/signs.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/fingerprint.hpp"
#include "pate/votes/headings.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

using Line = std::vector<std::int64_t>;

bool is_by_query(const FirstVotes& votes) {
  return votes.at.layout == Layout::predictions_by_query;
}

bool is_constant(const Line& line) {
  return std::ranges::all_of(line, [&](std::int64_t id) { return id == line.front(); });
}

// Rows of the table or its columns, of teachers or of queries; those that have all of theirs.
struct Axis {
  const Lines& lines;
  bool of_teachers, of_rows;
};
std::vector<Axis> axes(const FirstVotes& votes) {
  const bool by_query = is_by_query(votes);
  const Axis teachers{votes.teachers_of, true, !by_query};
  const Axis queries{votes.by_query, false, by_query};
  if (!votes.has_all) return {queries};
  return by_query ? std::vector{queries, teachers} : std::vector{teachers, queries};
}

// The length of the blocks of every line that have one 1 and zeros; 0 where there are none.
std::size_t block_length(const Lines& lines) {
  const auto blocks = std::ranges::count(lines.front(), 1);
  const auto length = std::ssize(lines.front());
  if (blocks == 0 || length % blocks != 0) return 0;
  const auto size = length / blocks;
  for (const Line& line : lines) {
    for (auto block = line.begin(); block != line.end(); block += size) {
      if (std::count(block, block + size, 1) != 1) return 0;
      if (std::count(block, block + size, 0) != size - 1) return 0;
    }
  }
  return static_cast<std::size_t>(size);
}

std::unordered_map<std::int64_t, double> times_in(const Line& line) {
  std::unordered_map<std::int64_t, double> times;
  for (const std::int64_t id : line) times[id] += 1.0;
  return times;
}

struct Moments {
  double mean = 0.0, variance = 0.0;
};
template <class Numbers>
Moments moments_of(const Numbers& numbers) {
  double sum = 0.0;
  double squares = 0.0;
  for (const auto number : numbers) {
    const auto value = static_cast<double>(number);
    sum += value;
    squares += value * value;
  }
  const auto size = static_cast<double>(numbers.size());
  return {sum / size, std::max(0.0, squares / size - sum / size * (sum / size))};
}

// The share of equal pairs in each line.
Moments agreement_in(const Lines& lines) {
  std::vector<double> shares;
  for (const Line& line : lines) {
    double pairs = 0.0;
    for (const auto& [id, count] : times_in(line)) pairs += count * (count - 1.0);
    const auto size = static_cast<double>(line.size());
    shares.push_back(pairs / (size * (size - 1.0)));
  }
  return moments_of(shares);
}

// Up to 96 of 0..count - 1, one of each of as many stretches: what lies at regular distances may
// have one class.
std::vector<std::int64_t> drawn(std::int64_t count, std::uint64_t seed) {
  const std::int64_t most = std::min<std::int64_t>(count, 96);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < most; ++i) {
    const std::int64_t begin = i * count / most;
    const auto width = static_cast<std::uint64_t>((i + 1) * count / most - begin);
    result.push_back(
        begin + static_cast<std::int64_t>(mix_bits(seed + static_cast<std::uint64_t>(i)) % width));
  }
  return result;
}

// How often others say one thing, and how likely it is that one of all teachers always does.
struct Saying {
  double share = 0.0, log_chance = 0.0;
};
Saying saying(const Lines& others, std::int64_t id, std::size_t teachers, double least) {
  const auto size = static_cast<double>(others.size());
  const std::size_t queries = others.front().size();
  Saying result{0.0, std::log(static_cast<double>(teachers))};
  for (std::size_t query = 0; query < queries; ++query) {
    const auto same = static_cast<double>(
        std::ranges::count_if(others, [&](const Line& line) { return line[query] == id; }));
    result.share += same / (size * static_cast<double>(queries));
    result.log_chance += std::log(std::max(least, (same + 1.0) / (size + 1.0)));
  }
  return result;
}

template <class Number>
Lines lines_of(const std::vector<Number>& numbers, std::int64_t width) {
  Lines lines;
  for (auto line = numbers.begin(); line != numbers.end(); line += width) {
    lines.emplace_back(line, line + width);
  }
  return lines;
}

Lines transposed(const Lines& lines) {
  Lines result(lines.front().size());
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) result[i].push_back(line[i]);
  }
  return result;
}

}  // namespace

FirstVotes first_votes(const VotesLookedAt& looked_at) {
  constexpr std::int64_t kMostCounts = std::int64_t{1} << 18U;
  constexpr std::int64_t kMostIds = std::int64_t{1} << 19U;
  constexpr std::int64_t kFewest = 20;
  const VoteSource& votes = looked_at.votes;
  FirstVotes result{looked_at, votes.teachers(), votes.classes(), {}, {}, {}};
  if (looked_at.layout == Layout::counts) {
    const std::int64_t queries =
        std::min(looked_at.rows.size(), std::max(kFewest, kMostCounts / result.classes));
    result.has_all = queries == looked_at.rows.size();
    std::vector<std::int32_t> counts(static_cast<std::size_t>(queries * result.classes));
    looked_at.rows.for_each_range(
        0, queries, [&](std::int64_t row, std::int64_t offset, std::int64_t count) {
          votes.read(row, count,
                     std::span(counts).subspan(static_cast<std::size_t>(offset * result.classes),
                                               static_cast<std::size_t>(count * result.classes)));
        });
    result.counts = lines_of(counts, result.classes);
    return result;
  }
  const NumericTable& table = looked_at.table;
  const bool by_query = is_by_query(result);
  const std::int64_t all = by_query ? table.rows() : table.columns();
  result.teachers = by_query ? table.columns() : table.rows();
  const std::int64_t queries = std::min(all, std::max(kFewest, kMostIds / result.teachers));
  result.has_all = queries == all;
  const std::int64_t columns = by_query ? result.teachers : queries;
  std::vector<std::int64_t> ids(static_cast<std::size_t>(queries * result.teachers));
  table.read_integers(0, std::ssize(ids) / columns, 0, columns, ids);
  Lines& read = by_query ? result.by_query : result.teachers_of;
  read = lines_of(ids, columns);
  (by_query ? result.teachers_of : result.by_query) = transposed(read);
  return result;
}

Signs headings_beside(const FirstVotes& votes) {
  const NumericTable& table = votes.at.table;
  const ColumnHeader header = table.header();
  const bool by_query = is_by_query(votes);
  std::vector<std::string> columns;  // what each is instead
  if (by_query) {
    columns = no_teachers(header.names, "heading");
  } else if (!header.names.empty()) {
    // Of teachers x queries only the first column can be beside the votes, and name the teachers.
    const Heading first = heading_of(header.names.front());
    const bool beside = first == Heading::index || first == Heading::teachers;
    columns.emplace_back(beside ? "an index by its heading" : "");
  }
  const std::vector<std::string> arrays = no_teachers(header.rows, "name");
  Signs found;
  const auto take = [&](const std::string& what, const std::string& is, bool of_teacher,
                        const std::string& line) {
    if (is.empty()) return;
    found.push_back({words(what, is, of_teacher ? "teacher" : "query", line), Sign().log_chance,
                     votes.teachers - (of_teacher ? 1 : 0)});
  };
  for (std::int64_t i = 0; i < std::ssize(columns); ++i) {
    take(column_in_words(table, i), columns[static_cast<std::size_t>(i)], by_query,
         line_without_column(table, i));
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    take(fmt::format("the array \"{}\"", header.rows[i]), arrays[i], true,
         line_without_array(table, header.rows[i]));
  }
  return found;
}

Signs one_hot_blocks(const FirstVotes& votes) {
  constexpr std::size_t kFewestCells = 100;
  for (const Axis& axis : axes(votes)) {
    const std::size_t size = block_length(axis.lines);
    const std::size_t blocks = size > 0 ? axis.lines.front().size() / size : 0;
    if (size < 2 || blocks < 3 || blocks * axis.lines.size() < kFewestCells ||
        std::ranges::all_of(axis.lines,
                            [&](const Line& line) { return line == axis.lines.front(); })) {
      continue;
    }
    return {Sign{words(
        size, axis.of_teachers ? "teachers x queries x classes" : "queries x teachers x classes",
        axis.of_rows ? "" : ".T", axis.lines.size(), blocks)}};
  }
  return {};
}

// Independent numbers of the same variance would have to meet the sum in each line that differs.
Signs common_sum(const FirstVotes& votes) {
  for (const Axis& axis : axes(votes)) {
    const auto sum_of = [](const Line& line) {
      return std::accumulate(line.begin(), line.end(), std::int64_t{0});
    };
    const std::int64_t sum = sum_of(axis.lines.front());
    if (sum < 2 || !std::ranges::all_of(axis.lines, [&](const Line& line) {
          return sum_of(line) == sum && std::ranges::min(line) >= 0;
        })) {
      continue;
    }
    double variance = 0.0;
    for (const Line& line : transposed(axis.lines)) variance += moments_of(line).variance;
    const double meets = std::min(0.7, 1.0 / std::sqrt(2.0 * std::numbers::pi * variance));
    const std::set<Line> distinct(axis.lines.begin(), axis.lines.end());
    return {Sign{words(axis.of_rows ? "row" : "column", sum,
                       axis.of_rows ? "" : ", and give the transpose, one query a row"),
                 static_cast<double>(distinct.size() - 1) * std::log(meets)}};
  }
  return {};
}

// As query and teacher of a table with a line for each vote: three to five lines of which two never
// have the same pair twice, though teachers who agree have pairs again and again. A line of row
// numbers has no pair twice with any other.
Signs pairs_once(const FirstVotes& votes) {
  const bool by_teacher = votes.teachers_of.size() < votes.by_query.size();
  const Axis axis{by_teacher ? votes.teachers_of : votes.by_query, by_teacher,
                  by_teacher != is_by_query(votes)};
  const Lines& lines = axis.lines;
  if (lines.size() < 3 || lines.size() > 5) return {};
  const std::size_t pairs = lines.front().size();
  std::vector<std::size_t> values;
  for (const Line& line : lines) {
    values.push_back(std::unordered_set<std::int64_t>(line.begin(), line.end()).size());
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = i + 1; j < lines.size(); ++j) {
      if (values[i] == pairs || values[j] == pairs) continue;
      std::set<std::pair<std::int64_t, std::int64_t>> seen;
      for (std::size_t k = 0; k < pairs; ++k) seen.emplace(lines[i][k], lines[j][k]);
      if (seen.size() < pairs) continue;
      // All different, of values that are independent and all alike often: the largest chance is
      // below exp(-pairs^2 / (2 cells)), nearly.
      const double all = static_cast<double>(pairs) * static_cast<double>(pairs - 1);
      const double cells = static_cast<double>(values[i]) * static_cast<double>(values[j]);
      const double log_chance =
          std::log(static_cast<double>(lines.size() * lines.size())) - 0.5 * all / cells;
      const auto [query, teacher] = values[i] >= values[j] ? std::pair(i, j) : std::pair(j, i);
      const char* const what = axis.of_rows ? "row" : "column";
      std::string line;
      // Of more than three the class is none that anybody knows.
      if (lines.size() == 3) {
        line = fmt::format(
            ". If {0} {1} is the query and {0} {2} the teacher, what makes a row for each query, "
            "to be read with \1layout predictions-by-query: {3}",
            what, query, teacher,
            values_line(
                votes.at.table, "t",
                fmt::format(R"(; t = __import__("pandas").DataFrame(a{}).pivot(index={}, )"
                            "columns={}, values={})",
                            axis.of_rows ? ".T" : "", query, teacher, 3 - query - teacher)));
      }
      return {Sign{words(what, i, j, axis.of_rows ? "a column" : "a row", values[query],
                         values[teacher], line),
                   log_chance, static_cast<std::int64_t>(values[teacher])}};
    }
  }
  return {};
}

// On one query teachers agree more than one teacher does over the queries, by Jensen's inequality
// never less but where teachers prefer classes of their own. Where one class is the answer to most
// queries both agree alike, and the queries are what differs beyond equal shares of the classes.
Signs other_orientation(const FirstVotes& votes) {
  const NumericTable& ids = votes.at.table;
  const auto [fewer, more] = std::minmax({ids.rows(), ids.columns()});
  if (fewer < 3 || (fewer < 5 && more < 20)) return {};
  Lines rows;
  Line cells;
  const std::vector<std::int64_t> places = drawn(ids.columns(), 1U << 20U);
  for (const std::int64_t row : drawn(ids.rows(), 0)) {
    Line line(places.size());
    for (std::size_t j = 0; j < places.size(); ++j) {
      ids.read_integers(row, 1, places[j], 1, std::span(line).subspan(j, 1));
    }
    cells.insert(cells.end(), line.begin(), line.end());
    rows.push_back(std::move(line));
  }
  const bool by_query = is_by_query(votes);
  const Lines columns = transposed(rows);
  const Lines& of_teachers = by_query ? columns : rows;
  const Lines& of_queries = by_query ? rows : columns;
  const Moments query = agreement_in(of_queries);
  const Moments teacher = agreement_in(of_teachers);
  const double by_chance = agreement_in({cells}).mean;
  const double more_agree = teacher.mean - query.mean;
  const double error = std::sqrt(teacher.variance / static_cast<double>(of_teachers.size() - 1) +
                                 query.variance / static_cast<double>(of_queries.size() - 1));
  const bool agrees = more_agree > 0.05 && more_agree > 5.0 * error;
  const double beyond = teacher.mean - by_chance;
  // The chi-squared statistic over its degrees of freedom, less 1.
  const double excess =
      static_cast<double>(of_teachers.front().size() - 1) * beyond / (1.0 - by_chance);
  const bool varies =
      excess >=
          std::max(1.0, 10.0 * std::sqrt(2.0 / static_cast<double>(of_teachers.size() - 1))) &&
      query.mean - by_chance < 0.25 * beyond;
  if (!agrees && !varies) return {};
  const bool square = votes.teachers == votes.at.votes.queries();
  return {Sign{
      words(fmt::format("{:.0f}", 100.0 * query.mean), fmt::format("{:.0f}", 100.0 * teacher.mean),
            by_query ? "predictions" : "predictions-by-query", votes.at.votes.queries(),
            square ? "\1accept looks-transposed" : fmt::format("\1teachers {}", votes.teachers)),
      Sign().log_chance, votes.at.votes.queries(),
      !agrees || (votes.at.teachers && !square) ? Weight::doubtful : Weight::certain}};
}

// Teachers that err as seldom as one time in 200, and not together, would differ somewhere.
Signs one_voice(const FirstVotes& votes) {
  const Line& first = votes.teachers_of.front();
  if (std::ranges::any_of(votes.teachers_of, [&](const Line& line) { return line != first; }) ||
      (is_constant(first) && first.front() < 0)) {
    return {};
  }
  return {Sign{words(votes.teachers_of.size(), first.size()),
               static_cast<double>((votes.teachers_of.size() - 1) * first.size()) *
                   std::log1p(-1.0 / 200.0)}};
}

// Two teachers, drawn on each query from the votes of those that differ, agree throughout.
Signs copies(const FirstVotes& votes) {
  std::map<Line, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < votes.teachers_of.size(); ++i) {
    groups[votes.teachers_of[i]].push_back(i);
  }
  std::size_t largest = 1;
  std::size_t again = 0;
  std::pair<std::size_t, std::size_t> first{votes.teachers_of.size(), 0};
  for (const auto& [line, alike] : groups) {
    // Teachers that say one thing throughout are not taken for each other.
    if (alike.size() < 2 || is_constant(line)) continue;
    largest = std::max(largest, alike.size());
    again += alike.size() - 1;
    first = std::min(first, std::pair(alike[0], alike[1]));
  }
  if (again == 0 || groups.size() == 1) return {};
  const auto size = static_cast<double>(votes.teachers_of.size());
  double log_pairs = std::log(size * (size - 1.0) / 2.0);  // that are expected
  for (std::size_t query = 0; query < votes.by_query.size(); ++query) {
    Line ids;
    for (const auto& [line, alike] : groups) ids.push_back(line[query]);
    double pairs = 0.0;
    for (const auto& [id, count] : times_in(ids)) pairs += count * count;
    log_pairs += std::log(pairs) - 2.0 * std::log(static_cast<double>(groups.size()));
  }
  return {Sign{words(again, votes.teachers_of.size(), first.first, first.second,
                     votes.by_query.size(), largest),
               log_pairs > std::log(0.01) ? 0.0 : static_cast<double>(again) * log_pairs}};
}

// Of several for class 0, or the last one, an array of zeros is more likely in which their votes
// were not filled in: unless other teachers are as weak.
Signs constant_voters(const FirstVotes& votes, bool silent) {
  constexpr double kLeastShare = 0.1;  // of a teacher that may abstain more than others
  const std::size_t teachers = votes.teachers_of.size();
  Lines others;
  std::map<std::int64_t, std::vector<std::size_t>> constant;
  for (std::size_t i = 0; i < teachers; ++i) {
    const Line& line = votes.teachers_of[i];
    const bool is_one = is_constant(line);
    if (is_one && (line.front() < 0) == silent) {
      constant[line.front()].push_back(i);
    } else if (silent || !is_one) {
      others.push_back(line);
    }
  }
  Signs found;
  if (others.empty()) return found;
  for (const auto& voters : constant) {
    const std::int64_t id = voters.first;
    const std::vector<std::size_t>& places = voters.second;
    const Saying said = saying(others, id, teachers, silent ? kLeastShare : 0.0);
    const bool weak = constant.size() > 1 || std::ranges::any_of(others, [&](const Line& line) {
                        return 5 * std::ranges::count(line, id) >= 4 * std::ssize(line);
                      });
    const bool is_some = places.size() > 1 || places.front() + 1 == teachers;
    found.push_back({words(places.size(), teachers, places.front(), votes.by_query.size(),
                           others.size(), id, fmt::format("{:.1f}", 100.0 * said.share)),
                     said.log_chance, std::ssize(others),
                     silent || (id == 0 && is_some && said.share < 0.5 && !weak)
                         ? Weight::certain
                         : Weight::doubtful});
  }
  return found;
}

Signs minus_for_zero(const FirstVotes& votes) {
  bool has_minus = false;
  for (const Line& line : votes.teachers_of) {
    const auto minus = std::ranges::count(line, -1);
    if (minus + std::ranges::count(line, 1) != std::ssize(line)) return {};
    has_minus = has_minus || minus > 0;
  }
  return has_minus ? Signs{Sign{words(values_line(votes.at.table, "(a + 1) // 2"))}} : Signs();
}

Signs always_plurality(const FirstVotes& votes) {
  std::vector<std::size_t> with(votes.teachers_of.size());
  for (const Line& query : votes.by_query) {
    const auto times = times_in(query);
    double top = 0.0;
    for (const auto& [id, count] : times) top = std::max(top, count);
    for (std::size_t i = 0; i < with.size(); ++i) with[i] += times.at(query[i]) == top ? 1U : 0U;
  }
  const std::size_t queries = votes.by_query.size();
  const auto always = std::ranges::find(with, queries);
  if (always == with.end() || std::ranges::count(with, queries) > 1) return {};
  const auto place = static_cast<std::size_t>(always - with.begin());
  *always = 0;
  const std::size_t next = std::ranges::max(with);
  if (next == 0) return {};
  // By its own place at the ends of the table it is one of two, not of all.
  const bool is_end = place == 0 || place + 1 == with.size();
  const auto size = static_cast<double>(queries);
  return {Sign{words(place, queries, next, with.size() - 1),
               size * std::log(static_cast<double>(next) / size) +
                   std::log(is_end ? 2.0 : static_cast<double>(with.size())),
               static_cast<std::int64_t>(with.size()) - 1,
               is_end && !votes.at.teachers ? Weight::certain : Weight::doubtful}};
}

}  // namespace pate
