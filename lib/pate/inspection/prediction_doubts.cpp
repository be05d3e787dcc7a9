#include "pate/inspection/prediction_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pate/inspection/long_table_doubt.hpp"

namespace pate {

namespace {

const double kLogChance = std::log(1e-5);
constexpr std::int64_t kMostVotes = std::int64_t{1} << 19U;
constexpr std::int64_t kFewestLookedAt = 20;

// The class ids of all teachers on the first queries.
struct FirstVotes {
  std::int64_t teachers = 0, queries = 0;
  bool has_all = false;           // whether these are all queries
  std::vector<std::int64_t> ids;  // queries x teachers

  [[nodiscard]] std::int64_t at(std::int64_t query, std::int64_t teacher) const {
    return ids[static_cast<std::size_t>(query * teachers + teacher)];
  }
  [[nodiscard]] std::vector<std::int64_t> of_query(std::int64_t query) const {
    const auto first = ids.begin() + query * teachers;
    return {first, first + teachers};
  }
  [[nodiscard]] std::vector<std::int64_t> of_teacher(std::int64_t teacher) const {
    std::vector<std::int64_t> line;
    for (std::int64_t query = 0; query < queries; ++query) line.push_back(at(query, teacher));
    return line;
  }
};

FirstVotes first_votes(const NumericTable& table, bool by_query) {
  FirstVotes votes;
  votes.teachers = by_query ? table.columns() : table.rows();
  const std::int64_t all = by_query ? table.rows() : table.columns();
  votes.queries = std::min(all, std::max(kFewestLookedAt, kMostVotes / votes.teachers));
  votes.has_all = votes.queries == all;
  votes.ids.resize(static_cast<std::size_t>(votes.queries * votes.teachers));
  if (by_query) {
    table.read_integers(0, votes.queries, 0, votes.teachers, votes.ids);
    return votes;
  }
  std::vector<std::int64_t> line(static_cast<std::size_t>(votes.queries));
  for (std::int64_t teacher = 0; teacher < votes.teachers; ++teacher) {
    table.read_integers(teacher, 1, 0, votes.queries, line);
    for (std::size_t query = 0; query < line.size(); ++query) {
      votes.ids[query * static_cast<std::size_t>(votes.teachers) +
                static_cast<std::size_t>(teacher)] = line[query];
    }
  }
  return votes;
}

using Lines = std::vector<std::vector<std::int64_t>>;

Lines lines_of(const FirstVotes& votes, bool teachers) {
  Lines lines;
  const std::int64_t count = teachers ? votes.teachers : votes.queries;
  for (std::int64_t i = 0; i < count; ++i) {
    lines.push_back(teachers ? votes.of_teacher(i) : votes.of_query(i));
  }
  return lines;
}

// The sum of all lines, where they have one, and that is no chance: lines that differ would have to
// meet it, of a variance that is that of independent numbers.
std::optional<std::int64_t> common_sum(const Lines& lines) {
  const std::int64_t sum =
      std::accumulate(lines.front().begin(), lines.front().end(), std::int64_t{0});
  const std::size_t length = lines.front().size();
  std::set<std::vector<std::int64_t>> distinct;
  std::vector<double> totals(length), squares(length);
  for (const std::vector<std::int64_t>& line : lines) {
    std::int64_t its = 0;
    for (std::size_t i = 0; i < length; ++i) {
      if (line[i] < 0) return std::nullopt;
      its += line[i];
      const auto value = static_cast<double>(line[i]);
      totals[i] += value;
      squares[i] += value * value;
    }
    if (its != sum) return std::nullopt;
    distinct.insert(line);
  }
  double variance = 0.0;
  const auto count = static_cast<double>(lines.size());
  for (std::size_t i = 0; i < length; ++i) {
    variance += squares[i] / count - totals[i] / count * (totals[i] / count);
  }
  const double meets = std::min(0.7, 1.0 / std::sqrt(2.0 * std::numbers::pi * variance));
  const double log_chance = static_cast<double>(distinct.size() - 1) * std::log(meets);
  return sum > 1 && log_chance < kLogChance ? std::optional(sum) : std::nullopt;
}

// The length of blocks in which every line has one 1 and zeros, one after the other, where enough
// of them differ between the lines that it is no chance.
std::optional<std::size_t> one_hot_blocks(const Lines& lines) {
  constexpr std::size_t kFewestFree = 3;
  constexpr std::size_t kFewestCells = 100;  // blocks that differ, of all lines
  const std::size_t length = lines.front().size();
  const auto sums_of = [&](const std::vector<std::int64_t>& line, std::size_t size) {
    for (std::size_t begin = 0; begin < length; begin += size) {
      if (std::accumulate(line.begin() + std::ptrdiff_t(begin),
                          line.begin() + std::ptrdiff_t(begin + size), std::int64_t{0}) != 1) {
        return false;
      }
    }
    return true;
  };
  for (const std::vector<std::int64_t>& line : lines) {
    if (std::ranges::any_of(line, [](std::int64_t id) { return id != 0 && id != 1; })) return {};
  }
  for (std::size_t size = 2; size <= length / 2; ++size) {
    if (length % size != 0 ||
        !std::ranges::all_of(lines, [&](const auto& line) { return sums_of(line, size); })) {
      continue;
    }
    std::size_t free = 0;
    for (std::size_t begin = 0; begin < length; begin += size) {
      free += std::ranges::any_of(lines, [&](const auto& line) {
        return !std::equal(line.begin() + std::ptrdiff_t(begin),
                           line.begin() + std::ptrdiff_t(begin + size),
                           lines.front().begin() + std::ptrdiff_t(begin));
      });
    }
    const bool is_sure = free >= kFewestFree && free * lines.size() >= kFewestCells;
    return is_sure ? std::optional(size) : std::nullopt;
  }
  return std::nullopt;
}

bool is_constant(const std::vector<std::int64_t>& line) {
  return std::ranges::all_of(line, [&](std::int64_t id) { return id == line.front(); });
}

// Teachers that vote alike throughout, by their votes.
using Groups = std::map<std::vector<std::int64_t>, std::vector<std::size_t>>;

// The logarithm of the probability that two votes that are drawn on each query from those of the
// teachers that differ are equal on all.
double log_identical(const Groups& groups, std::size_t queries) {
  const auto distinct = static_cast<double>(groups.size());
  double sum = 0.0;
  for (std::size_t query = 0; query < queries; ++query) {
    std::unordered_map<std::int64_t, double> times;
    for (const auto& [line, alike] : groups) times[line[query]] += 1.0;
    double pairs = 0.0;
    for (const auto& [id, count] : times) pairs += count * count;
    sum += std::log(pairs / (distinct * distinct));
  }
  return sum;
}

// All teachers alike: teachers that err as seldom as one time in 200, and not together, would
// differ somewhere.
void look_for_one_voice(const Lines& teachers, std::vector<ContentDoubt>& found) {
  constexpr double kErrorRate = 1.0 / 200.0;
  const std::size_t queries = teachers.front().size();
  const double log_chance = static_cast<double>(teachers.size() - 1) *
                            static_cast<double>(queries) * std::log1p(-kErrorRate);
  const bool is_constant_id = is_constant(teachers.front());
  if (log_chance > std::log(0.05)) return;
  if (is_constant_id && teachers.front().front() < 0) return;  // nobody votes
  found.push_back(
      {{"identical_teachers",
        is_constant_id
            ? fmt::format("all {} teachers vote {} on all of {} queries: was the array not filled?",
                          teachers.size(), teachers.front().front(), queries)
            : fmt::format("all {} teachers vote alike on all of {} queries: is one teacher in the "
                          "file {} times? Then it changes all votes, and costs allow for one",
                          teachers.size(), queries, teachers.size())},
       log_chance < kLogChance ? Weight::likely : Weight::doubtful,
       VotesDoubt::identical_teachers});
}

void look_for_copies(const Lines& teachers, std::vector<ContentDoubt>& found) {
  Groups groups;
  for (std::size_t i = 0; i < teachers.size(); ++i) groups[teachers[i]].push_back(i);
  std::size_t largest = 1;
  std::size_t copies = 0;
  std::pair<std::size_t, std::size_t> first{teachers.size(), 0};
  for (const auto& [line, alike] : groups) {
    // Teachers that say one thing throughout are not taken for each other.
    if (alike.size() < 2 || is_constant(line)) continue;
    largest = std::max(largest, alike.size());
    copies += alike.size() - 1;
    first = std::min(first, std::pair(alike[0], alike[1]));
  }
  if (groups.size() == 1) return look_for_one_voice(teachers, found);
  if (copies == 0) return;
  const std::size_t queries = teachers.front().size();
  const auto size = static_cast<double>(teachers.size());
  // Of so few pairs that are expected, as many as there are copies is a rarer chance yet.
  const double log_expected = log_identical(groups, queries) + std::log(size * (size - 1.0) / 2.0);
  const auto seen = static_cast<double>(copies);
  if (log_expected > std::log(0.01) || seen * log_expected > kLogChance) return;
  found.push_back(
      {{"identical_teachers",
        fmt::format("{} of {} teachers vote as another does, like teachers {} and {}, on all of "
                    "{} queries, which is no chance: is a teacher in the file more than once? Then "
                    "it changes more votes than costs allow for. Leave copies out; where they are "
                    "meant, and one person's data are in all of them, --teachers-per-person {} "
                    "counts that beside the option that accepts it",
                    copies, teachers.size(), first.first, first.second, queries, largest)},
       Weight::likely,
       VotesDoubt::identical_teachers});
}

// Whether others than those that vote `id` throughout come near to that, or vote another class
// throughout: teachers as weak as that are no sign of votes that are missing.
bool has_weak(const Lines& others, std::size_t constant_ids, std::int64_t id) {
  constexpr double kNearly = 0.8;
  return constant_ids > 1 || std::ranges::any_of(others, [&](const auto& line) {
           return static_cast<double>(std::ranges::count(line, id)) >=
                  kNearly * static_cast<double>(line.size());
         });
}

// Teachers that vote one class throughout. Of several for class 0, or the last one, an array of
// zeros is more likely in which their votes were not filled in.
void look_for_constant(const Lines& teachers, std::vector<ContentDoubt>& found) {
  Lines others;
  std::map<std::int64_t, std::vector<std::size_t>> constant;
  for (std::size_t i = 0; i < teachers.size(); ++i) {
    if (!is_constant(teachers[i])) {
      others.push_back(teachers[i]);
    } else if (teachers[i].front() >= 0) {
      constant[teachers[i].front()].push_back(i);
    }
  }
  if (others.empty()) return;
  const std::size_t queries = teachers.front().size();
  for (const auto& [id, places] : constant) {
    // By the shares of the others, of which one more may vote so.
    double log_chance = std::log(static_cast<double>(teachers.size()));
    double votes = 0.0;
    for (std::size_t query = 0; query < queries; ++query) {
      const auto same = std::ranges::count(
          others, id, [&](const std::vector<std::int64_t>& line) { return line[query]; });
      votes += static_cast<double>(same);
      log_chance +=
          std::log(static_cast<double>(same + 1) / static_cast<double>(others.size() + 1));
    }
    if (log_chance > kLogChance) continue;
    const bool is_some = places.size() > 1 || places.front() + 1 == teachers.size();
    const double share = votes / static_cast<double>(queries * others.size());
    found.push_back(
        {{"constant_teachers",
          fmt::format("{} of {} teachers, like teacher {}, vote {} on all of {} queries, as {:.1f} "
                      "% of the votes of the others do: are they missing? An array of zeros that "
                      "was not filled has votes for class 0. Leave out those that did not vote",
                      places.size(), teachers.size(), places.front(), id, queries, 100.0 * share)},
         id == 0 && is_some && share < 0.5 && !has_weak(others, constant.size(), id)
             ? Weight::likely
             : Weight::doubtful,
         VotesDoubt::constant_teachers});
  }
}

// One teacher that always votes with the plurality, where no other one does nearly.
void look_for_plurality(const FirstVotes& votes, bool said, std::vector<ContentDoubt>& found) {
  constexpr double kSeldom = 1e-3;
  std::vector<std::int64_t> with(static_cast<std::size_t>(votes.teachers));
  for (std::int64_t query = 0; query < votes.queries; ++query) {
    std::unordered_map<std::int64_t, std::int64_t> times;
    std::int64_t top = 0;
    for (const std::int64_t id : votes.of_query(query)) top = std::max(top, ++times[id]);
    for (std::int64_t teacher = 0; teacher < votes.teachers; ++teacher) {
      with[static_cast<std::size_t>(teacher)] += times[votes.at(query, teacher)] == top;
    }
  }
  const auto always = std::ranges::find(with, votes.queries);
  if (always == with.end() || std::ranges::count(with, votes.queries) > 1) return;
  const auto place = always - with.begin();
  *always = 0;
  const std::int64_t next = *std::ranges::max_element(with);
  const auto queries = static_cast<double>(votes.queries);
  // By its own place at the ends of the table it is one of two, not of all.
  const bool is_end = place == 0 || place + 1 == votes.teachers;
  const double log_chance = queries * std::log(static_cast<double>(next) / queries) +
                            std::log(is_end ? 2.0 : static_cast<double>(votes.teachers));
  if (next == 0 || log_chance > std::log(kSeldom)) return;
  found.push_back(
      {{"plurality_column",
        fmt::format("teacher {} votes with the plurality on all of {} queries, and the next best "
                    "one on {}: is it the plurality itself, or labels made of it, and there are {} "
                    "teachers?",
                    place, votes.queries, next, votes.teachers - 1)},
       is_end && !said && log_chance < kLogChance ? Weight::likely : Weight::doubtful,
       VotesDoubt::plurality_column});
}

// Of lines of blocks of so many zeros and a 1: those of teachers or of queries, rows of the table
// or columns.
ContentDoubt one_hot_doubt(const Lines& lines, std::size_t size, bool of_teachers, bool of_rows) {
  return {
      {"looks_one_hot",
       fmt::format("every {} numbers are zeros and one 1, as one-hot predictions of {} classes "
                   "are that were made flat: store them in three dimensions, {}, as "
                   "a{}.reshape({}, {}, {}) does",
                   size, size,
                   of_teachers ? "teachers x queries x classes" : "queries x teachers x classes",
                   of_rows ? "" : ".T", lines.size(), lines.front().size() / size, size)},
      Weight::certain,
      VotesDoubt::looks_one_hot};
}

ContentDoubt counts_doubt(std::int64_t sum, bool of_rows) {
  return {
      {"looks_like_counts",
       fmt::format("the numbers of every {} add up to {}, as counts of the votes of {} teachers "
                   "do and class ids do not: leave --layout out{}",
                   of_rows ? "row" : "column", sum, sum,
                   of_rows ? "" : ", and give the transpose, one query a row")},
      Weight::certain,
      VotesDoubt::looks_like_counts};
}

}  // namespace

void look_at_predictions(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) {
  if (looked_at.table.rows() < 2 || looked_at.table.columns() < 2) return;
  const bool by_query = looked_at.layout == Layout::predictions_by_query;
  const FirstVotes votes = first_votes(looked_at.table, by_query);
  const Lines teachers = lines_of(votes, true);
  const Lines queries = lines_of(votes, false);
  for (const bool of_rows : {true, false}) {
    const bool of_teachers = of_rows != by_query;
    if (of_teachers && !votes.has_all) continue;  // then these lines go on
    const Lines& lines = of_teachers ? teachers : queries;
    if (const auto size = one_hot_blocks(lines)) {
      found.push_back(one_hot_doubt(lines, *size, of_teachers, of_rows));
      return;
    }
    if (const auto sum = common_sum(lines)) {
      found.push_back(counts_doubt(*sum, of_rows));
      return;
    }
  }
  const bool few_teachers = teachers.size() < queries.size();
  if (auto doubt = long_table_doubt(looked_at, few_teachers ? teachers : queries,
                                    few_teachers != by_query)) {
    // Of such columns it says nothing how much they agree.
    std::erase_if(found, [](const ContentDoubt& other) {
      return other.kind == VotesDoubt::looks_transposed;
    });
    found.push_back(*std::move(doubt));
    return;
  }
  look_for_copies(teachers, found);
  // Queries on which all agree are taken for such teachers where the table is transposed, which it
  // is not where a person says how many teachers there are.
  const bool is_turned = std::ranges::any_of(
      found, [](const ContentDoubt& doubt) { return doubt.kind == VotesDoubt::looks_transposed; });
  if (!is_turned || looked_at.teachers) look_for_constant(teachers, found);
  look_for_plurality(votes, looked_at.teachers.has_value(), found);
}

}  // namespace pate
