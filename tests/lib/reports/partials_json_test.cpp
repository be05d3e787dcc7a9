#include "pate/reports/partials_json.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"

using Json = nlohmann::ordered_json;
using namespace pate::reports;
using namespace pate;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Shard 2 of 3 of a run of 7 queries: positions 2 and 3, checkpoints 2 and 3 of 7.
Partials example() {
  Partials partials;
  partials.shard = {2, 3};
  QueryCounts& query_counts = partials.query_counts;
  query_counts.teachers = 10;
  query_counts.classes = 3;
  query_counts.queries = 2;
  query_counts.run_queries = 7;
  query_counts.first_checkpoint = 2;
  query_counts.checkpoints = {1, 2};
  query_counts.distinct = {{5, -kInfinity, 1, 0}, {9, -1.0 / 3.0, 1, 1}};
  query_counts.first_occurrence = {0, 1, 2};
  query_counts.occurrences = {{1, 1, 0}, {0, 1, 1}};
  partials.has_decisions = true;
  partials.utility = UtilityCounts{{{1.0 / 3.0, 5, 1}, {0.7, 9, 1}}, 1, 2};
  return partials;
}

// The members of a report that partials are read with.
Json report_of(const Partials& partials) {
  FieldWriter writer;
  write_partials(writer, partials);
  Json report = Json::parse(writer.text());
  report["teachers"] = 10;
  report["classes"] = 3;
  report["queries"] = 2;
  report["answered"] = {{"realized", 1}};
  return report;
}

Partials read(const Json& report) {
  return read_partials(io::JsonValue::parse(report.dump(), "s.json"));
}

}  // namespace

TEST_SUITE("reports") {
  TEST_CASE("partials read back exactly") {
    const Partials partials = example();
    const Partials back = read(report_of(partials));
    CHECK(back.shard == partials.shard);
    CHECK(back.has_decisions);
    CHECK(back.query_counts.queries == 2);
    CHECK(back.query_counts.run_queries == 7);
    REQUIRE(back.query_counts.distinct.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(back.query_counts.distinct[i].statistic == partials.query_counts.distinct[i].statistic);
      CHECK(back.query_counts.distinct[i].log_q == partials.query_counts.distinct[i].log_q);
      CHECK(back.query_counts.distinct[i].count == partials.query_counts.distinct[i].count);
      CHECK(back.query_counts.distinct[i].answered == partials.query_counts.distinct[i].answered);
      const auto its = back.query_counts.occurrences_of(i);
      REQUIRE(its.size() == 1);
      // Checkpoints are those of the whole run.
      CHECK(back.query_counts.first_checkpoint + its[0].checkpoint ==
            partials.query_counts.first_checkpoint +
                partials.query_counts.occurrences_of(i)[0].checkpoint);
    }
    REQUIRE(back.utility);
    CHECK(back.utility->kinds == partials.utility->kinds);
    CHECK(back.utility->plurality_right == 1);
    CHECK(back.utility->queries == 2);
  }

  TEST_CASE("malformed partials are named by their field") {
    const auto broken = [](const std::function<void(Json&)>& change, const std::string& message) {
      Json report = report_of(example());
      change(report);
      CHECK_THROWS_WITH_AS(static_cast<void>(read(report)), message.c_str(), input_error);
    };
    broken([](Json& r) { r.erase("partials"); }, "s.json: partials: is missing");
    broken([](Json& r) { r["shard"]["index"] = 4; },
           "s.json: shard.index: expected a whole number from 1 to 3, found 4");
    // Shares of so many parts would not fit into 64 bits.
    broken(
        [](Json& r) {
          r["shard"]["of"] = r["shard"]["index"] = std::numeric_limits<std::int64_t>::max();
        },
        "s.json: shard.of: expected a whole number from 1 to 1000000, found 9223372036854775807");
    broken([](Json& r) { r["queries"] = 3; },
           "s.json: queries: expected 2, shard 2 of 3 of 7 queries, found 3");
    broken([](Json& r) { r["partials"]["distinct"]["log_q"][1] = 0.5; },
           "s.json: partials.distinct.log_q[1]: expected a number <= 0, found 0.5");
    broken([](Json& r) { r["partials"]["distinct"]["log_q"].erase(0); },
           "s.json: partials.distinct.log_q: expected 2 numbers, found an array of 1");
    broken(
        [](Json& r) { r["partials"]["distinct"]["statistic"][0] = 11; },
        "s.json: partials.distinct.statistic[0]: expected a whole number from 0 to 10, found 11");
    broken(
        [](Json& r) { r["partials"]["occurrences"]["distinct"][1] = 2; },
        "s.json: partials.occurrences.distinct[1]: expected a whole number from 0 to 1, found 2");
    broken(
        [](Json& r) {
          r["partials"]["occurrences"]["distinct"][0] = 1;
          r["partials"]["occurrences"]["distinct"][1] = 0;
        },
        "s.json: partials.occurrences.distinct[1]: expected the number before, or a larger one, "
        "found 0");
    broken([](Json& r) { r["partials"]["occurrences"]["checkpoint"][0] = 7; },
           "s.json: partials.occurrences.checkpoint[0]: expected a whole number from 0 to 6, found "
           "7");
    broken([](Json& r) { r["partials"]["occurrences"]["answered"][0] = 2; },
           "s.json: partials.occurrences.answered[0]: expected at most its count, 1, found 2");
    broken(
        [](Json& r) { r["partials"]["occurrences"]["count"][0] = 2; },
        "s.json: partials.occurrences.count: expected counts that add up to the 2 queries of the "
        "shard, not 3, found an array of 2");
    broken([](Json& r) { r["partials"]["utility"]["count"][0] = 2; },
           "s.json: partials.utility.count: expected counts that add up to the queries of the "
           "shard, found an array of 2");
    broken([](Json& r) { r["partials"]["utility"]["right"][0] = "x"; },
           "s.json: partials.utility.right[0]: expected a number from 0 to 1.000000001, found "
           "\"x\"");
  }
}
