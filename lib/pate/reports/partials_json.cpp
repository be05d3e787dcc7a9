#include "pate/reports/partials_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "pate/reports/exact_partials_json.hpp"

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostPerPiece = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostTeachers = std::numeric_limits<std::int32_t>::max();

Json tally_json(const Tally& tally) {
  Json statistic = Json::array();
  Json log_q = Json::array();
  for (const DistinctQuery& query : tally.distinct) {
    statistic.push_back(query.statistic);
    log_q.push_back(std::isfinite(query.log_q) ? Json(query.log_q) : Json(nullptr));
  }
  Json distinct = Json::array();
  Json checkpoint = Json::array();
  Json count = Json::array();
  Json answered = Json::array();
  for (std::size_t i = 0; i < tally.distinct.size(); ++i) {
    for (const Occurrence& occurrence : tally.occurrences_of(i)) {
      distinct.push_back(i);
      checkpoint.push_back(tally.first_checkpoint + occurrence.checkpoint);
      count.push_back(occurrence.count);
      answered.push_back(occurrence.answered);
    }
  }
  return {{"distinct", {{"statistic", std::move(statistic)}, {"log_q", std::move(log_q)}}},
          {"occurrences",
           {{"distinct", std::move(distinct)},
            {"checkpoint", std::move(checkpoint)},
            {"count", std::move(count)},
            {"answered", std::move(answered)}}}};
}

Json utility_json(const UtilityTally& utility) {
  Json right = Json::array();
  Json statistic = Json::array();
  Json count = Json::array();
  for (const UtilityTally::Kind& kind : utility.kinds) {
    right.push_back(kind.right);
    statistic.push_back(kind.statistic);
    count.push_back(kind.count);
  }
  return {{"plurality_right", utility.plurality_right},
          {"right", std::move(right)},
          {"statistic", std::move(statistic)},
          {"count", std::move(count)}};
}

// A column beside another must be as long.
void check_length(const JsonValue& column, std::size_t found, std::size_t expected) {
  if (found != expected) column.fail(fmt::format("{} numbers", expected));
}

void read_distinct(const JsonValue& json, Tally& tally) {
  const JsonValue statistics = json.at("statistic");
  const JsonValue logs = json.at("log_q");
  const auto statistic = statistics.integers(0, tally.teachers);
  const auto log_q = logs.numbers(-std::numeric_limits<double>::max(), 0.0, -kInfinity);
  check_length(logs, log_q.size(), statistic.size());
  for (std::size_t i = 0; i < statistic.size(); ++i) {
    tally.distinct.push_back({statistic[i], log_q[i], 0, 0});
  }
}

// Occurrences are grouped by distinct query, checkpoints rise within each group.
void read_occurrences(const JsonValue& json, const std::vector<std::int64_t>& all, Tally& tally) {
  const JsonValue distincts = json.at("distinct");
  const auto last_query = static_cast<std::int64_t>(tally.distinct.size()) - 1;
  const auto last_checkpoint = static_cast<std::int64_t>(all.size()) - 1;
  const auto distinct = distincts.integers(0, last_query);
  const auto checkpoint = json.at("checkpoint").integers(0, last_checkpoint);
  const auto count = json.at("count").integers(1, kMostPerPiece);
  const auto answered = json.at("answered").integers(0, kMostPerPiece);
  check_length(json.at("checkpoint"), checkpoint.size(), distinct.size());
  check_length(json.at("count"), count.size(), distinct.size());
  check_length(json.at("answered"), answered.size(), distinct.size());
  std::int64_t counted = 0;
  tally.first_occurrence.assign(tally.distinct.size() + 1, 0);
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (answered[i] > count[i]) {
      json.at("answered").elements()[i].fail(fmt::format("at most its count, {}", count[i]));
    }
    if (i > 0 && distinct[i] < distinct[i - 1]) {
      distincts.elements()[i].fail("the number before, or a larger one");
    }
    DistinctQuery& query = tally.distinct[static_cast<std::size_t>(distinct[i])];
    query.count += count[i];
    query.answered += answered[i];
    counted += count[i];
    ++tally.first_occurrence[static_cast<std::size_t>(distinct[i]) + 1];
    tally.occurrences.push_back({static_cast<std::uint32_t>(checkpoint[i]),
                                 static_cast<std::uint32_t>(count[i]),
                                 static_cast<std::uint32_t>(answered[i])});
  }
  for (std::size_t i = 0; i < tally.distinct.size(); ++i) {
    tally.first_occurrence[i + 1] += tally.first_occurrence[i];
  }
  if (counted != tally.queries) {
    json.at("count").fail(fmt::format("counts that add up to the {} queries of the shard, not {}",
                                      tally.queries, counted));
  }
}

UtilityTally read_utility(const JsonValue& json, const Tally& tally) {
  UtilityTally utility;
  utility.queries = tally.queries;
  utility.plurality_right = json.at("plurality_right").integer(0, tally.queries);
  // Rounding can exceed one.
  const auto right = json.at("right").numbers(0.0, 1.0 + 1e-9);
  const auto statistic = json.at("statistic").integers(0, tally.teachers);
  const auto count = json.at("count").integers(1, tally.queries);
  check_length(json.at("statistic"), statistic.size(), right.size());
  check_length(json.at("count"), count.size(), right.size());
  std::int64_t left = tally.queries;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (count[i] > left) json.at("count").fail("counts that add up to the queries of the shard");
    left -= count[i];
    utility.kinds.push_back({right[i], statistic[i], count[i]});
  }
  if (left != 0) json.at("count").fail("counts that add up to the queries of the shard");
  return utility;
}

}  // namespace

std::string partials_json(const Partials& partials) {
  Json content = tally_json(partials.tally);
  if (partials.utility) content["utility"] = utility_json(*partials.utility);
  if (partials.exact) content["exact"] = Json::parse(exact_partials_json(*partials.exact));
  const Json result = {{"shard",
                        {{"index", partials.shard.index},
                         {"of", partials.shard.of},
                         {"run_queries", partials.tally.run_queries}}},
                       {"partials", std::move(content)}};
  return result.dump();
}

Partials read_partials(const JsonValue& report) {
  Partials result;
  const JsonValue shard = report.at("shard");
  result.shard.of = shard.at("of").integer(1, kMostShards);
  result.shard.index = shard.at("index").integer(1, result.shard.of);
  Tally& tally = result.tally;
  tally.teachers = report.at("teachers").integer(0, kMostTeachers);
  tally.classes = report.at("classes").integer(1, kMostTeachers);
  tally.run_queries = shard.at("run_queries").integer(0, std::int64_t{1} << 53);
  tally.queries = result.shard.end(tally.run_queries) - result.shard.begin(tally.run_queries);
  if (report.at("queries").integer() != tally.queries) {
    report.at("queries").fail(fmt::format("{}, shard {} of {} of {} queries", tally.queries,
                                          result.shard.index, result.shard.of, tally.run_queries));
  }
  tally.checkpoints = trajectory_checkpoints(tally.run_queries);
  const JsonValue partials = report.at("partials");
  read_distinct(partials.at("distinct"), tally);
  read_occurrences(partials.at("occurrences"), tally.checkpoints, tally);
  result.has_decisions = report.at("answered").find("realized").has_value();
  if (const auto utility = partials.find("utility")) {
    result.utility = read_utility(*utility, tally);
  }
  if (const auto exact = partials.find("exact")) {
    result.exact = read_exact_partials(*exact, {tally.teachers, tally.classes, tally.queries});
  }
  return result;
}

}  // namespace pate
