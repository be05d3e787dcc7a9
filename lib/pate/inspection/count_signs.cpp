#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "pate/inspection/signs.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/votes/headings.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

constexpr std::size_t kFewestRows = 4;  // of which all counts have something in common

std::set<std::vector<std::int64_t>> distinct(const FirstVotes& votes) {
  return {votes.counts.begin(), votes.counts.end()};
}

// Columns for which something is true in all rows.
template <class Test>
std::vector<std::size_t> columns_with(const FirstVotes& votes, const Test& test) {
  std::vector<std::size_t> columns(static_cast<std::size_t>(votes.classes));
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  for (const std::vector<std::int64_t>& row : votes.counts) {
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
          {},
          votes.teachers - its};
}

std::vector<std::int64_t> tops_of(const FirstVotes& votes) {
  std::vector<std::int64_t> tops;
  for (const auto& row : votes.counts) tops.push_back(std::ranges::max(row));
  return tops;
}

}  // namespace

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
  sign.log_chance = headed != columns.end() && rows > 1.0
                        ? -std::numeric_limits<double>::infinity()
                        : rows * log_half + std::log(static_cast<double>(votes.classes));
  return {sign};
}

// A column that never changes leaves rows one sum, and no other column does.
Signs unchanging_columns(const FirstVotes& votes, bool headed) {
  if (votes.classes < 3) return {};
  const std::vector<std::int64_t>& first = votes.counts.front();
  const auto columns = columns_with(votes, [&](std::int64_t count, std::size_t column) {
    return count > 0 && count == first[column] && 2 * count != votes.teachers;
  });
  if (columns.empty()) return {};
  const bool is_chance = distinct(votes).size() < (headed ? 1 : 2) * kFewestRows;
  Signs found;
  for (const std::size_t column : columns) {
    const Heading its = heading_at(votes, column);
    const bool is_headed =
        its == Heading::labels || its == Heading::index || its == Heading::teachers;
    if (is_headed != headed) continue;
    found.push_back(of_column(votes, column, first[column]));
    if (!is_chance) found.back().log_chance = -std::numeric_limits<double>::infinity();
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
  std::vector<std::int64_t> tops = tops_of(votes);
  std::ranges::sort(tops);
  const std::int64_t middle = tops[tops.size() / 2];
  for (std::int64_t each = kMostEach; each >= 2; --each) {
    if (votes.teachers % each != 0 || votes.classes <= each) continue;
    const std::int64_t one = votes.teachers / each;
    // Where each gives a vote to most classes, contested ones have nearly as many.
    const bool most_classes = votes.classes < 2 * each;
    if (tops.back() > one || (most_classes && 20 * tops.back() < 19 * one) ||
        20 * middle < (most_classes ? 17 : 15) * one) {
      continue;
    }
    return {Sign{words(one, votes.teachers, each), Sign().log_chance, one}};
  }
  return {};
}

Signs byte_counts(const FirstVotes& votes) {
  if (!votes.at.table.description().dtype.ends_with("u1")) return {};
  return {Sign{words(fmt::format("{}{}", votes.teachers,
                                 votes.teachers == 255 ? " (what 511 are, wrapped once)" : ""),
                     votes.teachers + 256),
               Sign().log_chance, votes.teachers + 256}};
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
  for (std::vector<std::int64_t> row : distinct(votes)) {
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
  for (const std::vector<std::int64_t>& row : votes.counts) {
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
  if (largest >= votes.classes) return {};
  if (largest != 1 && largest * votes.classes > 3 * votes.teachers) return {};
  return {Sign{words(votes.classes, largest, votes.teachers)}};
}

Signs equal_columns(const FirstVotes& votes) {
  if (!votes.has_all || votes.counts.size() < 2 || votes.classes <= votes.at.votes.queries()) {
    return {};
  }
  std::vector<std::int64_t> sums(votes.counts.front().size());
  for (const auto& row : votes.counts) {
    for (std::size_t i = 0; i < row.size(); ++i) sums[i] += row[i];
  }
  if (std::ranges::adjacent_find(sums, std::not_equal_to<>()) != sums.end()) return {};
  return {Sign{words(votes.classes, votes.at.votes.queries(), sums.front()), Sign().log_chance,
               sums.front()}};
}

}  // namespace pate
