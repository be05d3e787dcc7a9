#include "pate/inspection/content_doubts.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/fingerprint.hpp"
#include "pate/votes/headings.hpp"

namespace pate {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
const double kRare = std::log(1e-5);
constexpr std::size_t kFewestRows = 4;  // of which all counts have something in common

using Line = std::vector<std::int64_t>;
using Lines = std::vector<Line>;

// The votes that are looked at.
struct FirstVotes {
  const VotesLookedAt& at;
  std::int64_t teachers = 0, classes = 0;
  Lines counts;                 // queries x classes; none of predictions
  Lines teachers_of, by_query;  // class ids, teachers x queries and transposed; none of counts
  bool has_all = true;          // whether these are all queries
};

// Something that was found in them.
struct Sign {
  std::vector<std::string> words;             // what the rule's sentence has for {0}, {1}, ...
  double log_chance = kNever;                 // of honest votes to have it
  std::optional<std::int64_t> teachers = {};  // how many there are if it is so
  Weight most = Weight::certain;              // it weighs no more than that
};
using Signs = std::vector<Sign>;

template <class... Words>
std::vector<std::string> words(const Words&... all) {
  return {fmt::format("{}", all)...};
}

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
template <class Number>
Moments moments_of(const std::vector<Number>& numbers) {
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
Line drawn(std::int64_t count, std::uint64_t seed) {
  const std::int64_t most = std::min<std::int64_t>(count, 96);
  Line result;
  for (std::int64_t i = 0; i < most; ++i) {
    const std::int64_t begin = i * count / most;
    const auto width = static_cast<std::uint64_t>((i + 1) * count / most - begin);
    result.push_back(
        begin + static_cast<std::int64_t>(mix_bits(seed + static_cast<std::uint64_t>(i)) % width));
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
  Line ids(static_cast<std::size_t>(queries * result.teachers));
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
    found.push_back({words(what, is, of_teacher ? "teacher" : "query", line), kNever,
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

// As query and teacher of a table with a line for each vote: two of three lines never have the same
// pair twice, though teachers who agree have pairs again and again. A line of row numbers has no
// pair twice with any other.
Signs pairs_once(const FirstVotes& votes) {
  const bool by_teacher = votes.teachers_of.size() < votes.by_query.size();
  const bool of_rows = by_teacher != is_by_query(votes);
  const Lines& lines = by_teacher ? votes.teachers_of : votes.by_query;
  if (lines.size() != 3) return {};
  const std::size_t pairs = lines.front().size();
  for (std::size_t other = 3; other-- > 0;) {
    std::size_t query = other == 0 ? 1 : 0;
    std::size_t teacher = 3 - query - other;
    const std::string both = fmt::format("{} and {}", query, teacher);
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::size_t i = 0; i < pairs; ++i) seen.emplace(lines[query][i], lines[teacher][i]);
    std::size_t queries = times_in(lines[query]).size();
    std::size_t teachers = times_in(lines[teacher]).size();
    if (seen.size() < pairs || queries == pairs || teachers == pairs) continue;
    if (queries < teachers) {
      std::swap(query, teacher);
      std::swap(queries, teachers);
    }
    // All different, of values that are independent and all alike often: the largest chance is
    // below exp(-pairs^2 / (2 cells)), nearly.
    const double all = static_cast<double>(pairs) * static_cast<double>(pairs - 1);
    const double cells = static_cast<double>(queries) * static_cast<double>(teachers);
    const std::string line =
        values_line(votes.at.table, "t",
                    fmt::format(R"(; t = __import__("pandas").DataFrame(a{}).pivot(index={}, )"
                                "columns={}, values={})",
                                of_rows ? ".T" : "", query, teacher, other));
    return {Sign{words(of_rows ? "row" : "column", both, of_rows ? "a column" : "a row", queries,
                       teachers, query, teacher, line),
                 std::log(9.0) - 0.5 * all / cells, static_cast<std::int64_t>(teachers)}};
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
  const Line places = drawn(ids.columns(), 1U << 20U);
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
      kNever, votes.at.votes.queries(),
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
  const auto size = static_cast<double>(others.size());
  for (const auto& voters : constant) {
    const std::int64_t id = voters.first;
    const std::vector<std::size_t>& places = voters.second;
    // How often others say that, and how likely it is that one of all teachers always does.
    double share = 0.0;
    double log_chance = std::log(static_cast<double>(teachers));
    for (std::size_t query = 0; query < votes.by_query.size(); ++query) {
      const auto same = static_cast<double>(
          std::ranges::count_if(others, [&](const Line& line) { return line[query] == id; }));
      share += same / (size * static_cast<double>(votes.by_query.size()));
      log_chance += std::log(std::max(silent ? kLeastShare : 0.0, (same + 1.0) / (size + 1.0)));
    }
    const bool weak = constant.size() > 1 || std::ranges::any_of(others, [&](const Line& line) {
                        return 5 * std::ranges::count(line, id) >= 4 * std::ssize(line);
                      });
    const bool is_some = places.size() > 1 || places.front() + 1 == teachers;
    found.push_back({words(places.size(), teachers, places.front(), votes.by_query.size(),
                           others.size(), id, fmt::format("{:.1f}", 100.0 * share)),
                     log_chance, std::ssize(others),
                     silent || (id == 0 && is_some && share < 0.5 && !weak) ? Weight::certain
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

std::set<Line> distinct(const FirstVotes& votes) {
  return {votes.counts.begin(), votes.counts.end()};
}

// Columns for which something is true in all rows.
template <class Test>
std::vector<std::size_t> columns_with(const FirstVotes& votes, const Test& test) {
  std::vector<std::size_t> columns(static_cast<std::size_t>(votes.classes));
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  for (const Line& row : votes.counts) {
    std::erase_if(columns, [&](std::size_t column) { return !test(row[column], column); });
    if (columns.empty()) break;
  }
  return columns;
}

Heading heading_at(const FirstVotes& votes, std::size_t column) {
  const std::vector<std::string> names = votes.at.table.header().names;
  return column < names.size() ? heading_of(names[column]) : Heading::other;
}

Sign of_column(const FirstVotes& votes, std::size_t column, std::int64_t its) {
  const auto place = static_cast<std::int64_t>(column);
  return {words(column_in_words(votes.at.table, place), line_without_column(votes.at.table, place),
                votes.teachers - its, votes.teachers, its),
          kNever, votes.teachers - its};
}

Line tops_of(const FirstVotes& votes) {
  Line tops;
  for (const auto& row : votes.counts) tops.push_back(std::ranges::max(row));
  return tops;
}

Signs zeros_between(const FirstVotes& votes) {
  const NumericTable& table = votes.at.table;
  if (table.description().format != "csv" || table.header().separator != ',') return {};
  if (votes.classes < 6 || votes.classes % 2 != 0 || votes.counts.size() < 2) return {};
  const auto zeros =
      columns_with(votes, [](std::int64_t count, std::size_t) { return count == 0; });
  if (2 * std::ssize(zeros) != votes.classes) return {};
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    if (zeros[i] != 2 * i + 1) return {};
  }
  return {Sign{words(votes.classes / 2, votes.classes)}};
}

Signs total_columns(const FirstVotes& votes) {
  if (votes.classes < 3 || votes.teachers % 2 != 0 || votes.counts.size() < 2) return {};
  auto columns = columns_with(
      votes, [&](std::int64_t count, std::size_t) { return 2 * count == votes.teachers; });
  if (columns.empty()) return {};
  const auto headed = std::ranges::find_if(
      columns, [&](std::size_t column) { return heading_at(votes, column) == Heading::totals; });
  Sign sign =
      of_column(votes, headed != columns.end() ? *headed : columns.back(), votes.teachers / 2);
  // C(M, M/2) / 2^M, the largest probability of just half of the votes, is below this.
  const double log_half =
      0.5 * std::log(2.0 / (std::numbers::pi * static_cast<double>(votes.teachers)));
  const auto rows = static_cast<double>(distinct(votes).size());
  if (headed == columns.end() || rows < 2.0) {
    sign.log_chance = rows * log_half + std::log(static_cast<double>(votes.classes));
  }
  return {sign};
}

// A column that never changes leaves rows one sum, and no other column does.
Signs unchanging_columns(const FirstVotes& votes) {
  if (votes.classes < 3) return {};
  const bool is_chance = distinct(votes).size() < kFewestRows;
  const Line& first = votes.counts.front();
  Signs found;
  for (const std::size_t column : columns_with(votes, [&](std::int64_t count, std::size_t place) {
         return count > 0 && count == first[place] && 2 * count != votes.teachers;
       })) {
    const Heading its = heading_at(votes, column);
    if (its == Heading::labels || its == Heading::index || its == Heading::teachers) {
      found.push_back(of_column(votes, column, first[column]));
      if (is_chance) found.back().log_chance = 0.0;
    }
  }
  return found;
}

Signs common_divisor(const FirstVotes& votes) {
  if (votes.counts.size() < kFewestRows) return {};
  std::int64_t divisor = 0;
  for (const auto& row : votes.counts) {
    for (const std::int64_t count : row) divisor = std::gcd(divisor, count);
  }
  if (divisor < 2) return {};
  double free = 0.0;  // counts of different rows that could have been otherwise
  for (const auto& row : distinct(votes)) {
    const auto voted = std::ssize(row) - std::ranges::count(row, 0);
    free += static_cast<double>(std::max<std::ptrdiff_t>(voted - 1, 0));
  }
  return {Sign{words(divisor, votes.teachers / divisor),
               -free * std::log(static_cast<double>(divisor)), votes.teachers / divisor}};
}

Signs several_votes(const FirstVotes& votes) {
  constexpr std::int64_t kMostEach = 10;
  if (votes.counts.size() < kFewestRows || !total_columns(votes).empty()) return {};
  Line tops = tops_of(votes);
  std::ranges::sort(tops);
  const std::int64_t middle = tops[tops.size() / 2];
  for (std::int64_t each = kMostEach; each >= 2; --each) {
    if (votes.teachers % each != 0 || votes.classes < 2 * each) continue;
    const std::int64_t one = votes.teachers / each;
    if (tops.back() > one || 4 * middle < 3 * one) continue;
    return {Sign{words(one, votes.teachers, each), kNever, one}};
  }
  return {};
}

Signs byte_counts(const FirstVotes& votes) {
  if (!votes.at.table.description().dtype.ends_with("u1")) return {};
  return {Sign{words(fmt::format("{}{}", votes.teachers,
                                 votes.teachers == 255 ? " (what 511 are, wrapped once)" : ""),
                     votes.teachers + 256),
               kNever, votes.teachers + 256}};
}

// Two statistics, of which the likelier counts: the classes but for the one in front are in one of
// as many orders as there are, and of each two neighbours votes are independent.
Signs rows_in_order(const FirstVotes& votes) {
  if (votes.classes < 3) return {};
  const auto is_sorted = [&](const auto& order) {
    return std::ranges::all_of(votes.counts,
                               [&](const auto& row) { return std::ranges::is_sorted(row, order); });
  };
  const bool falls = is_sorted(std::greater<>());
  if (!falls && !is_sorted(std::less<>())) return {};
  std::vector<double> shares(static_cast<std::size_t>(votes.classes));
  double log_orders = 0.0;
  for (Line row : distinct(votes)) {
    if (!falls) std::ranges::reverse(row);
    double run = 1.0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      shares[i] += static_cast<double>(row[i]);
      if (i == 0) continue;
      run = i > 1 && row[i] == row[i - 1] ? run + 1.0 : 1.0;
      log_orders -= std::log(static_cast<double>(i) / run);
    }
  }
  double log_crosses = 0.0;
  for (const Line& row : votes.counts) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const std::size_t first = falls ? i : row.size() - 2 - i;
      const auto both = static_cast<double>(row[first] + row[first + 1]);
      const double share = shares[i] / (shares[i] + shares[i + 1]);
      if (!(both > 0.0) || !(share < 1.0)) continue;
      const double mean = both * share;
      log_crosses +=
          std::log(normal_cdf((mean - 0.5 * both + 0.5) / std::sqrt(mean * (1.0 - share))));
    }
  }
  constexpr double kLogOdds = 7.0;  // the second only has to be rare
  return {Sign{words(falls ? "falling" : "rising", falls ? 0 : votes.classes - 1),
               std::max(log_orders, log_crosses - kLogOdds)}};
}

Signs counts_like_ids(const FirstVotes& votes) {
  if (votes.classes < 8 || votes.teachers < 2) return {};
  const std::int64_t largest = std::ranges::max(tops_of(votes));
  if (largest >= votes.classes || (largest != 1 && largest * votes.classes > 3 * votes.teachers)) {
    return {};
  }
  return {Sign{words(votes.classes, largest, votes.teachers)}};
}

// Whether a rule holds where a person says how many teachers there are, and votes are as many.
enum class Said : std::uint8_t { the_same, doubtful, not_looked_for };

// What settles it beside --accept; {} is how many teachers there are.
constexpr const char* kTeachers =
    "; if these are votes, say how many teachers there are with \1teachers {}";
constexpr const char* kNumber = "; \1teachers M says how many there are";

struct Rule {
  std::string_view code;
  Signs (*statistic)(const FirstVotes& votes) = nullptr;
  const char* sentence = nullptr;  // {0}, {1}, ... are the words of the sign
  Weight weight = Weight::doubtful;
  Said said = Said::the_same;
  const char* settled = "";
  bool ends = false;  // rules below are not asked where this one speaks
};

using enum Weight;

// Each rule speaks where its sign is rarer among honest votes than 1e-5.
constexpr auto kOfAll = std::to_array<Rule>({
    {"one_teacher", [](const FirstVotes& v) { return v.teachers == 1 ? Signs(1) : Signs(); },
     "there is one vote per query: these are labels rather than the votes of an ensemble"},
    {"one_class", [](const FirstVotes& v) { return v.classes == 1 ? Signs(1) : Signs(); },
     "there is one class: every answer is known beforehand and costs nothing, whatever teachers "
     "say; expected a column, or an id, for each class",
     certain},
});
constexpr auto kOfCounts = std::to_array<Rule>({
    {"decimal_commas", zeros_between,
     "every second column is zero throughout, as where numbers like 3,0 have decimal commas: there "
     "would be {0} classes and not {1}; write the numbers whole, or with points",
     certain},
    {"totals_column", total_columns,
     "{0} is the sum of all others in every row, as a column of totals is, and wins every query: "
     "there would be {2} teachers and not {3}. What leaves it out: {1}",
     certain, Said::doubtful, kTeachers},
    {"label_column", unchanging_columns,
     "{0} is {4} in every row, and no class by its heading: without it there would be {2} teachers "
     "and not {3}. What leaves it out: {1}",
     certain, Said::doubtful, kTeachers},
    {"scaled_votes", common_divisor,
     "all counts are multiples of {0}, as where {1} teachers were scaled or have {0} votes each: "
     "then costs are larger than these",
     doubtful, Said::not_looked_for, kNumber},
    {"several_votes", several_votes,
     "no class ever has more than {0} of the {1} votes, and half of the queries come near to that, "
     "as where each of {0} teachers gives {2} of them: then one teacher moves {2} votes, and costs "
     "are larger than these",
     doubtful, Said::not_looked_for, kNumber},
    {"byte_counts", byte_counts,
     "the counts are bytes, and those above 255 have wrapped: there may be {0}, {1} or more "
     "teachers",
     doubtful, Said::not_looked_for, kNumber},
    {"sorted_rows", rows_in_order,
     "the counts of every row are sorted, {0}: a label is the number of its column, and each would "
     "be {1}; expected one column for each class, in one order. Costs are the same",
     likely},
    {"looks_like_predictions", counts_like_ids,
     "the {0} classes never get more than {1} of {2} votes: if these are class ids and not counts, "
     "add \1layout predictions"},
});
constexpr auto kOfPredictions = std::to_array<Rule>({
    {"label_column", headings_beside, "{0} is {1}, and no {2}'s votes. What leaves it out: {3}",
     certain, Said::doubtful, kTeachers},
    {"plus_minus_one", minus_for_zero,
     "all votes are -1 or 1, as those of two classes are: with \1abstentions -1 is no vote. What "
     "makes the classes 0 and 1 of them, to be read without it: {0}",
     certain, Said::the_same, "", true},
    {"looks_one_hot", one_hot_blocks,
     "every {0} numbers are zeros and one 1, as one-hot predictions of {0} classes are that were "
     "made flat: store them in three dimensions, {1}, as a{2}.reshape({3}, {4}, {0}) does",
     certain, Said::the_same, "", true},
    {"looks_like_counts", common_sum,
     "the numbers of every {0} add up to {1}, as counts of the votes of {1} teachers do and class "
     "ids do not: leave \1layout out{2}",
     certain, Said::the_same, "", true},
    {"looks_long", pairs_once,
     "{0}s {1} never have the same pair of numbers twice, as query and teacher of a table with {2} "
     "for each vote: that has {3} and {4} of them, and no vote in these two. If {0} {5} is the "
     "query "
     "and {0} {6} the teacher, what makes a row for each query, to be read with \1layout "
     "predictions-by-query: {7}",
     certain, Said::doubtful, kTeachers, true},
    {"looks_transposed", other_orientation,
     "on one query {0} % of the pairs of teachers agree, but {1} % of the pairs of queries of one "
     "teacher: is it \1layout {2}, of {3} teachers? {4} says that it is not",
     likely},
    {"identical_teachers", one_voice,
     "all {0} teachers vote alike on all of {1} queries: was the array not filled, or is one "
     "teacher in the file {0} times? Then it changes all votes, and costs allow for one",
     likely},
    {"identical_teachers", copies,
     "{0} of {1} teachers vote as another does, like teachers {2} and {3}, on all of {4} queries, "
     "which is no chance: is a teacher in the file more than once? Then it changes more votes than "
     "costs allow for. Leave copies out; where they are meant, and one person's data are in all of "
     "them, \1teachers-per-person {5} counts that beside the option that accepts it",
     likely},
    {"constant_teachers", [](const FirstVotes& v) { return constant_voters(v, false); },
     "{0} of {1} teachers, like teacher {2}, vote {5} on all of {3} queries, as {6} % of the votes "
     "of the others do: are they missing? An array of zeros that was not filled has votes for "
     "class 0. Leave out those that did not vote",
     likely},
    {"silent_teachers", [](const FirstVotes& v) { return constant_voters(v, true); },
     "{0} of {1} teachers, like teacher {2}, never vote, on all of {3} queries: are there {4}? A "
     "teacher that is no part of the ensemble must not count. Leave them out",
     likely},
    {"plurality_column", always_plurality,
     "teacher {0} votes with the plurality on all of {1} queries, and the next best one on {2}: is "
     "it the plurality itself, or labels made of it, and there are {3} teachers?",
     likely},
});

std::string sentence(const Rule& rule, const Sign& sign) {
  fmt::dynamic_format_arg_store<fmt::format_context> words;
  for (const std::string& word : sign.words) words.push_back(word);
  return fmt::vformat(rule.sentence, words);
}

}  // namespace

std::vector<ContentDoubt> content_doubts(const VotesLookedAt& looked_at) {
  std::vector<ContentDoubt> doubts;
  const VoteSource& source = looked_at.votes;
  if (looked_at.rows.empty() || source.teachers() == 0) return doubts;
  const bool said = looked_at.teachers.has_value();
  const FirstVotes votes = first_votes(looked_at);
  const auto ask = [&](std::span<const Rule> rules) {
    bool is_turned = false;
    for (const Rule& rule : rules) {
      if (said && rule.said == Said::not_looked_for) continue;
      // Queries on which all agree are taken for such teachers where a table lies transposed.
      if (is_turned && !said && rule.code == "constant_teachers") continue;
      const std::size_t before = doubts.size();
      for (const Sign& sign : rule.statistic(votes)) {
        if (!(sign.log_chance < kRare)) continue;
        const Weight most = said && rule.said == Said::doubtful ? doubtful : sign.most;
        doubts.push_back(
            {{std::string(rule.code),
              sentence(rule, sign) + fmt::format(fmt::runtime(rule.settled), source.teachers())},
             std::min(rule.weight, most),
             value_named<VotesDoubt>(rule.code)});
      }
      if (doubts.size() == before) continue;
      if (rule.ends) return;
      is_turned = is_turned || rule.code == "looks_transposed";
    }
  };
  ask(kOfAll);
  if (looked_at.layout != Layout::counts) {
    if (looked_at.table.rows() > 1 && looked_at.table.columns() > 1) ask(kOfPredictions);
  } else if (!source.leaves_out_abstentions() && source.classes() == looked_at.table.columns()) {
    ask(kOfCounts);  // votes of which some are missing come with the number of teachers
  }
  return doubts;
}

std::string why_other_teachers(const VotesLookedAt& looked_at, std::int64_t said) {
  const VoteSource& votes = looked_at.votes;
  const NumericTable& table = looked_at.table;
  const std::int64_t found = votes.teachers();
  if (found == 0) return {};
  const RowSelection all = RowSelection::all(votes.queries());
  const VotesLookedAt whole{votes, all, table, looked_at.layout, {}};
  const bool counts = looked_at.layout == Layout::counts;
  const bool by_query = looked_at.layout == Layout::predictions_by_query;
  try {
    const FirstVotes first = first_votes(whole);
    // A number that fits is sign enough, however likely the rest.
    for (const Rule& rule :
         counts ? std::span<const Rule>(kOfCounts) : std::span<const Rule>(kOfPredictions)) {
      if (counts && votes.classes() != table.columns()) break;
      if (!counts && (table.rows() < 2 || table.columns() < 2)) break;
      for (const Sign& sign : rule.statistic(first)) {
        if (sign.teachers == said) return "; " + sentence(rule, sign);
      }
    }
  } catch (const input_error&) {
    return {};
  }
  if (counts && said > found) {
    return "; if the others abstained, add \1abstentions, where a command has that; if a class "
           "nobody voted for has no column, or counts were cut, these are not all votes";
  }
  if (!counts && said == votes.queries()) {
    return fmt::format("; there are {} queries: it looks like \1layout {}", said,
                       by_query ? "predictions" : "predictions-by-query");
  }
  if (!counts && found == said + 1) {
    return fmt::format("; is one {} of labels, or an index of the rows?",
                       by_query ? "column" : "row");
  }
  return {};
}

}  // namespace pate
