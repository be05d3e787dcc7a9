#include "pate/reports/exact_partials_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

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

UpwardSum read_sum(const JsonValue& json, std::string_view text) {
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

std::vector<UpwardSum> read_sums(const JsonValue& json, std::int64_t teachers) {
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

void read_teachers(const JsonValue& json, std::int64_t teachers, ExactPartials& partials) {
  partials.orders = json.at("orders").numbers(1.0, std::numeric_limits<double>::max());
  for (std::size_t k = 1; k < partials.orders.size(); ++k) {
    if (partials.orders[k] > partials.orders[k - 1]) continue;
    json.at("orders").elements()[k].fail("a larger order than the one before");
  }
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

// Groups of one query: falling counts, all classes, all votes.
void check_groups(const JsonValue& json, std::size_t query, const GroupedVotes& votes,
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

std::string exact_partials_json(const ExactPartials& partials) {
  Json statistic = Json::array();
  Json count = Json::array();
  Json groups = Json::array();
  Json votes = Json::array();
  Json place = Json::array();
  Json classes = Json::array();
  for (const ExactQuery& query : partials.distinct) {
    statistic.push_back(query.votes.statistic);
    count.push_back(query.count);
    groups.push_back(query.votes.groups.size());
    for (const VoteGroup& group : query.votes.groups) {
      votes.push_back(group.count);
      place.push_back(static_cast<int>(group.place));
      classes.push_back(group.classes);
    }
  }
  Json result = {{"statistic", std::move(statistic)}, {"count", std::move(count)},
                 {"groups", std::move(groups)},       {"votes", std::move(votes)},
                 {"place", std::move(place)},         {"classes", std::move(classes)}};
  if (!partials.orders.empty()) {
    Json forward = Json::array();
    Json reverse = Json::array();
    for (const auto& sums : partials.teachers) {
      forward.push_back(sums_text(sums, &TeacherSum::forward));
      reverse.push_back(sums_text(sums, &TeacherSum::reverse));
    }
    result["teachers"] = {{"orders", partials.orders},
                          {"forward", std::move(forward)},
                          {"reverse", std::move(reverse)}};
  }
  return result.dump();
}

ExactPartials read_exact_partials(const JsonValue& json, const ShardSize& size) {
  const auto statistic = json.at("statistic").integers(0, size.teachers);
  const auto count = json.at("count").integers(1, std::max<std::int64_t>(size.queries, 1));
  const auto groups = json.at("groups").integers(1, size.classes);
  const auto votes = json.at("votes").integers(0, size.teachers);
  const auto place = json.at("place").integers(0, static_cast<int>(Place::top));
  const auto classes = json.at("classes").integers(1, size.classes);
  const auto check_length = [&](const char* column, std::size_t found, std::size_t expected) {
    if (found != expected) json.at(column).fail(fmt::format("{} numbers", expected));
  };
  check_length("count", count.size(), statistic.size());
  check_length("groups", groups.size(), statistic.size());
  std::int64_t counted = 0;
  std::size_t all_groups = 0;
  for (std::size_t i = 0; i < statistic.size(); ++i) {
    all_groups += static_cast<std::size_t>(groups[i]);
    counted += std::min(count[i], size.queries + 1 - counted);
  }
  check_length("votes", votes.size(), all_groups);
  check_length("place", place.size(), all_groups);
  check_length("classes", classes.size(), all_groups);
  if (counted != size.queries) {
    json.at("count").fail(
        fmt::format("counts that add up to the {} queries of the shard", size.queries));
  }
  ExactPartials result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < statistic.size(); ++i) {
    ExactQuery query{{statistic[i], {}}, count[i]};
    for (std::int64_t g = 0; g < groups[i]; ++g, ++at) {
      query.votes.groups.push_back({static_cast<std::int32_t>(votes[at]),
                                    static_cast<Place>(place[at]),
                                    static_cast<std::int32_t>(classes[at])});
    }
    check_groups(json, i, query.votes, size);
    if (i > 0 && !(result.distinct.back().votes < query.votes)) {
      json.at("votes").fail(fmt::format("distinct query {} to follow the one before", i));
    }
    result.distinct.push_back(std::move(query));
  }
  if (const auto teachers = json.find("teachers")) {
    read_teachers(*teachers, size.teachers, result);
  }
  return result;
}

}  // namespace pate
