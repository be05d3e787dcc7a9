#include "pate/reports/exact_partials_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/reports/event_checks.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr std::string_view kInfinite = "inf";
// Hexadecimal digits of the fraction of a sum.
constexpr std::size_t kFractionDigits = 16;

// The sums of all teachers in one direction: hexadecimal multiples of 2^-64, separated by blanks.
std::string sums_text(const std::vector<TeacherSum>& sums, UpwardSum TeacherSum::*direction) {
  std::string text;
  for (const TeacherSum& teacher : sums) {
    const UpwardSum& sum = teacher.*direction;
    if (!text.empty()) text += ' ';
    if (sum.is_infinite()) {
      text += kInfinite;
    } else if (sum.whole() == 0) {
      text += fmt::format("{:x}", sum.fraction());
    } else {
      text += fmt::format("{:x}{:016x}", sum.whole(), sum.fraction());
    }
  }
  return text;
}

bool read_hex(std::string_view digits, std::uint64_t& value) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  return error == std::errc() && stop == end;
}

UpwardSum read_sum(const io::JsonValue& json, std::string_view text) {
  if (text == kInfinite) return {0, 0, true};
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  const std::size_t split = text.size() > kFractionDigits ? text.size() - kFractionDigits : 0;
  if ((split > 0 && !read_hex(text.substr(0, split), whole)) ||
      !read_hex(text.substr(split), fraction)) {
    json.fail("sums as hexadecimal multiples of 2^-64");
  }
  return {whole, fraction, false};
}

std::vector<UpwardSum> read_sums(const io::JsonValue& json, std::int64_t teachers) {
  const std::string text = json.text();
  std::vector<UpwardSum> sums;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    sums.push_back(read_sum(json, std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  if (static_cast<std::int64_t>(sums.size()) != teachers) {
    json.fail(fmt::format("{} sums, one per teacher", teachers));
  }
  return sums;
}

void write_teachers(FieldWriter& a, const ExactPartials& partials) {
  a("orders", partials.orders);
  for (const auto& [key, direction] :
       {std::pair{"forward", &TeacherSum::forward}, {"reverse", &TeacherSum::reverse}}) {
    std::vector<std::string> texts;
    for (const auto& sums : partials.teachers) texts.push_back(sums_text(sums, direction));
    a(key, texts);
  }
}

void read_teachers(const io::JsonValue& json, std::int64_t teachers, ExactPartials& partials) {
  partials.orders = json.at("orders").numbers(1.0, std::numeric_limits<double>::max());
  check_orders(json.at("orders"), partials.orders);
  const auto forward = json.at("forward").elements();
  const auto reverse = json.at("reverse").elements();
  if (forward.size() != partials.orders.size() || reverse.size() != partials.orders.size()) {
    json.at("forward").fail(fmt::format("{} texts, one per order", partials.orders.size()));
  }
  for (std::size_t k = 0; k < partials.orders.size(); ++k) {
    const auto f = read_sums(forward[k], teachers);
    const auto r = read_sums(reverse[k], teachers);
    auto& sums = partials.teachers.emplace_back();
    for (std::size_t t = 0; t < f.size(); ++t) sums.push_back({f[t], r[t]});
  }
}

constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";

// Digits of a group: a query has no more of them than classes.
std::size_t group_digits(std::int64_t classes) {
  std::size_t digits = 1;
  for (std::int64_t most = std::ssize(kDigits); most < classes; most *= std::ssize(kDigits)) {
    ++digits;
  }
  return digits;
}

// Each row of votes as one text, the groups of all teachers in base 36.
void write_rows(FieldWriter& a, const VoteRows& rows, const ShardSize& size) {
  const std::size_t digits = group_digits(size.classes);
  std::vector<std::int64_t> distinct(rows.distinct.begin(), rows.distinct.end());
  std::vector<std::string> texts;
  auto next = rows.groups.begin();
  for (std::size_t i = 0; i < rows.distinct.size(); ++i) {
    std::string& text = texts.emplace_back();
    for (std::int64_t t = 0; t < size.teachers; ++t) {
      std::size_t group = *next++;
      std::string its(digits, kDigits.front());
      for (std::size_t d = digits; d-- > 0; group /= kDigits.size()) {
        its[d] = kDigits[group % kDigits.size()];
      }
      text += its;
    }
  }
  a("distinct", distinct);
  a("groups", texts);
}

// Every row has the votes of its distinct query.
void read_rows(const io::JsonValue& json, const ShardSize& size, const ExactPartials& partials,
               VoteRows& rows) {
  const std::size_t digits = group_digits(size.classes);
  const auto distinct = json.at("distinct").elements();
  const auto texts = json.at("groups").elements();
  if (std::ssize(distinct) != size.queries || std::ssize(texts) != size.queries) {
    json.at("groups").fail(fmt::format("{} rows, one per query", size.queries));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::int64_t which =
        distinct[i].integer(0, static_cast<std::int64_t>(partials.distinct.size()) - 1);
    const auto& groups = partials.distinct[static_cast<std::size_t>(which)].votes.groups;
    const std::string text = texts[i].text();
    std::vector<std::int64_t> votes(groups.size());
    bool is_valid = text.size() == digits * static_cast<std::size_t>(size.teachers);
    for (std::size_t begin = 0; is_valid && begin < text.size(); begin += digits) {
      std::size_t group = 0;
      for (std::size_t d = begin; d < begin + digits; ++d) {
        const std::size_t digit = kDigits.find(text[d]);
        is_valid = is_valid && digit != std::string_view::npos;
        group = group * kDigits.size() + std::min(digit, kDigits.size());
      }
      is_valid = is_valid && group < groups.size();
      if (!is_valid) break;
      ++votes[group];
      rows.groups.push_back(static_cast<std::uint16_t>(group));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      is_valid = is_valid && votes[g] == std::int64_t{groups[g].count} * groups[g].classes;
    }
    if (!is_valid) {
      texts[i].fail(fmt::format("the groups of {} teachers' votes, as distinct query {} has them",
                                size.teachers, which));
    }
    rows.distinct.push_back(static_cast<std::uint32_t>(which));
  }
}

// The distinct queries with how many groups each has, and all their groups one after the other.
template <class Archive, class Rows, class Sizes, class Groups>
void exact_fields(Archive& a, Rows& distinct, Sizes& sizes, Groups& groups, const ShardSize& size) {
  const auto statistic = [](auto& query) -> auto& {
    return query.votes.statistic;
  };
  const auto itself = [](auto& value) -> auto& {
    return value;
  };
  columns(a, distinct, {}, Column{"statistic", statistic, Whole{0, size.teachers}},
          Column{"count", &ExactQuery::count, Whole{1, std::max<std::int64_t>(size.queries, 1)}});
  columns(a, sizes, distinct.size(), Column{"groups", itself, Whole{1, size.classes}});
  std::size_t all = 0;
  for (const std::int64_t its : sizes) all += static_cast<std::size_t>(its);
  columns(a, groups, all, Column{"votes", &VoteGroup::count, Whole{0, size.teachers}},
          Column{"place", &VoteGroup::place, Whole{0, static_cast<std::int64_t>(LeadRank::top)}},
          Column{"classes", &VoteGroup::classes, Whole{1, size.classes}});
}

// Groups of one query: falling counts, all classes, all votes.
void check_groups(const io::JsonValue& json, std::size_t query, const GroupedVotes& votes,
                  const ShardSize& size) {
  std::int64_t classes = 0;
  std::int64_t counted = 0;
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    const VoteGroup& group = votes.groups[g];
    if (g > 0 && !(votes.groups[g] < votes.groups[g - 1])) {
      json.at("groups").fail(fmt::format("falling groups in distinct query {}", query));
    }
    classes += group.classes;
    counted += std::int64_t{group.count} * group.classes;
  }
  if (classes != size.classes) {
    json.at("classes").fail(
        fmt::format("{} classes in distinct query {}, not {}", size.classes, query, classes));
  }
  if (counted != size.teachers) {
    json.at("votes").fail(
        fmt::format("{} votes in distinct query {}, not {}", size.teachers, query, counted));
  }
}

}  // namespace

void fields(FieldWriter& a, const ExactPartials& partials, const ShardSize& size) {
  std::vector<std::int64_t> sizes;
  std::vector<VoteGroup> groups;
  for (const ExactQuery& query : partials.distinct) {
    sizes.push_back(static_cast<std::int64_t>(query.votes.groups.size()));
    groups.insert(groups.end(), query.votes.groups.begin(), query.votes.groups.end());
  }
  exact_fields(a, partials.distinct, sizes, groups, {});
  if (partials.rows) {
    a.object("rows", [&](FieldWriter& json) { write_rows(json, *partials.rows, size); });
  }
  if (partials.orders.empty()) return;
  a.object("teachers", [&](FieldWriter& json) { write_teachers(json, partials); });
}

void fields(FieldReader& a, ExactPartials& partials, const ShardSize& size) {
  std::vector<std::int64_t> sizes;
  std::vector<VoteGroup> groups;
  exact_fields(a, partials.distinct, sizes, groups, size);
  std::int64_t counted = 0;
  for (const ExactQuery& query : partials.distinct) {
    counted += std::min(query.count, size.queries + 1 - counted);
  }
  if (counted != size.queries) {
    a.json().at("count").fail(
        fmt::format("counts that add up to the {} queries of the shard", size.queries));
  }
  auto next = groups.begin();
  for (std::size_t i = 0; i < partials.distinct.size(); ++i) {
    GroupedVotes& votes = partials.distinct[i].votes;
    votes.groups.assign(next, next + sizes[i]);
    next += sizes[i];
    check_groups(a.json(), i, votes, size);
    if (i > 0 && !(partials.distinct[i - 1].votes < votes)) {
      a.json().at("votes").fail(fmt::format("distinct query {} to follow the one before", i));
    }
  }
  if (const auto rows = a.json().find("rows")) {
    read_rows(*rows, size, partials, partials.rows.emplace());
  }
  if (const auto teachers = a.json().find("teachers")) {
    read_teachers(*teachers, size.teachers, partials);
  }
}

}  // namespace pate::reports
