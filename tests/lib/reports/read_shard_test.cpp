#include "pate/reports/read_shard.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"

using pate::reports::ShardReport;
using Json = nlohmann::ordered_json;

namespace {

// A shard of a run of 7 queries, of which shard 2 has 2.
Json shard_of_run(int index) {
  Json report = Json::parse(R"({
    "schema": "pate/analyze/v1", "tool": {"name": "pate", "version": "1.0.0"},
    "settings": {"command": "analyze", "votes": "v.npy", "bound": ["published", "tradeoff"],
      "shard": "2/3", "exact": false, "sigma2": 40, "queries": null, "deltas": [1e-05, 0.001]},
    "inputs": {"votes": {"path": "v.npy", "format": "npy", "layout": "counts", "dtype": "<i8",
      "shape": [7, 3], "sha256": "file", "votes_digest": "counts"}},
    "mechanism": {"name": "gnmax", "sigma2": 40},
    "teachers": 10, "classes": 3, "delta": 1e-05, "answered": {"realized": null},
    "notices": []})");
  const int queries = index == 1 ? 2 : index == 2 ? 2 : 3;
  report["queries"] = queries;
  report["shard"] = {{"index", index}, {"of", 3}, {"run_queries", 7}};
  Json none = Json::array();
  for (int i = 0; i < queries; ++i) none.push_back(0);
  Json one = Json::array();
  for (int i = 0; i < queries; ++i) one.push_back(1);
  Json at = Json::array();
  const int first = index == 1 ? 0 : index == 2 ? 2 : 4;
  for (int i = 0; i < queries; ++i) at.push_back(first + i);
  report["partials"] = {
      {"distinct", {{"statistic", {5}}, {"log_q", {-1.5}}}},
      {"occurrences",
       {{"distinct", none}, {"checkpoint", at}, {"count", one}, {"answered", none}}}};
  return report;
}

ShardReport read(const Json& report, const std::string& file) {
  return pate::reports::read_shard(pate::io::JsonValue::parse(report.dump(), file));
}

std::string refusal(const std::function<void(Json&)>& change, int index = 2) {
  std::vector<ShardReport> shards;
  try {
    for (int i = 1; i <= 3; ++i) {
      Json report = shard_of_run(i);
      if (i == index) change(report);
      shards.push_back(read(report, std::to_string(i) + ".json"));
    }
    pate::reports::check_one_run(shards);
  } catch (const pate::input_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("shards of one run go together, those of another do not, by what tells them apart") {
  CHECK(refusal([](Json&) {}) == "");
  // What may differ: where the same votes lie, in which format.
  CHECK(refusal([](Json& r) {
          r["settings"]["votes"] = "elsewhere.csv";
          r["inputs"]["votes"]["path"] = "elsewhere.csv";
          r["inputs"]["votes"]["sha256"] = "another file";
        }) == "");
  CHECK(refusal([](Json& r) { r["shard"]["of"] = 4; }) ==
        "2.json: shard.of: expected 3 as in 1.json, found 4");
  const std::vector<std::pair<std::string, std::function<void(Json&)>>> changes{
      {"tool.version: expected 1.0.0", [](Json& r) { r["tool"]["version"] = "2"; }},
      {"teachers: expected 10", [](Json& r) { r["teachers"] = 11; }},
      {"classes: expected 3", [](Json& r) { r["classes"] = 4; }},
      {"delta: expected 1e-05", [](Json& r) { r["delta"] = 1e-6; }},
      {"mechanism.sigma2: expected 40", [](Json& r) { r["mechanism"]["sigma2"] = 41; }},
      {"inputs.votes.votes_digest: expected counts",
       [](Json& r) { r["inputs"]["votes"]["votes_digest"] = "others"; }},
      {"settings.bound: expected [published,tradeoff]",
       [](Json& r) { r["settings"]["bound"] = {"tradeoff"}; }},
      {"settings.deltas: expected [1e-05,0.001]",
       [](Json& r) { r["settings"]["deltas"] = {1e-05}; }},
      {"settings.sigma2: expected 40", [](Json& r) { r["settings"]["sigma2"] = 39.5; }},
      {"settings.queries: expected null", [](Json& r) { r["settings"]["queries"] = "0:7"; }},
      {"settings.extra: expected null", [](Json& r) { r["settings"]["extra"] = true; }},
  };
  for (const auto& each : changes) {
    CAPTURE(each.first);
    CHECK(refusal(each.second).find("2.json: " + each.first + " as in 1.json, found ") == 0);
    // The first is what the others are compared with.
    const std::string member = each.first.substr(0, each.first.find(':'));
    CHECK(refusal(each.second, 1).starts_with("2.json: " + member + ": expected "));
  }
}

TEST_CASE("a shard that is there twice, or is not there, is named") {
  const auto check = [](const std::vector<int>& indices) -> std::string {
    std::vector<ShardReport> shards;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      shards.push_back(read(shard_of_run(indices[i]), "file" + std::to_string(i)));
    }
    try {
      pate::reports::check_one_run(shards);
    } catch (const pate::input_error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(check({3, 1, 2}) == "");
  CHECK(check({3, 1, 3}) == "file2: shard.index: shard 3 of 3 is there twice, also in file0");
  CHECK(check({3, 1}) == "shard 2 of 3 is missing: expected the reports of all shards, found 2");
  CHECK(check({2}) == "shard 1 of 3 is missing: expected the reports of all shards, found 1");
}

TEST_CASE("what no shard says is refused in its place") {
  const std::vector<std::pair<std::string, std::function<void(Json&)>>> changes{
      {"schema: expected pate/analyze/v1, the report of a shard, found \"pate/tune/v1\"",
       [](Json& r) { r["schema"] = "pate/tune/v1"; }},
      {"settings.bound[1]: expected published, tradeoff, tilted or complex, found \"exact\"",
       [](Json& r) { r["settings"]["bound"][1] = "exact"; }},
      {"settings.reading: expected the name of a reading, found \"aloud\"",
       [](Json& r) { r["settings"]["reading"] = "aloud"; }},
      {"settings.conversion: expected the name of a conversion, found \"x\"",
       [](Json& r) { r["settings"]["conversion"] = "x"; }},
      {"settings.orders[0]: expected a number", [](Json& r) { r["settings"]["orders"] = {0.5}; }},
      {"settings.deltas[0]: expected a number", [](Json& r) { r["settings"]["deltas"] = {1.5}; }},
      {"partials: expected the member exact, as settings.exact or settings.bound says",
       [](Json& r) { r["settings"]["exact"] = true; }},
      {"partials: expected the member exact, as settings.exact or settings.bound says",
       [](Json& r) { r["settings"]["bound"] = {"tilted"}; }},
      {"partials: expected the member exact, as settings.exact or settings.bound says",
       [](Json& r) { r["settings"]["bound"] = {"complex"}; }},
  };
  for (const auto& each : changes) {
    CAPTURE(each.first);
    CHECK(refusal(each.second).find("2.json: " + each.first) == 0);
  }
  // Settings that are there are kept.
  Json report = shard_of_run(2);
  report["settings"]["reading"] = "joint";
  report["settings"]["conversion"] = "classic";
  report["settings"]["orders"] = {3.0, 9.0};
  const ShardReport shard = read(report, "s");
  CHECK(shard.settings.reading == pate::GuaranteeKind::joint);
  CHECK(shard.settings.conversion == pate::EpsilonMethod::classic);
  CHECK(shard.settings.orders == std::vector{3.0, 9.0});
  CHECK(shard.settings.has(pate::Bound::published));
  CHECK(shard.settings.has(pate::Bound::tradeoff));
  CHECK_FALSE(shard.settings.has(pate::Bound::tilted));
  CHECK(shard.part.votes_sha256 == "file");
  CHECK(shard.part.votes_digest == "counts");
  CHECK(shard.part.queries == 2);
}

TEST_SUITE_END();
