#include "pate/reports/exact_partials_json.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"

using Json = nlohmann::ordered_json;
using namespace pate::reports;
using namespace pate;

namespace {

constexpr ShardSize kSize{2, 3, 5};

// Five queries of two teachers and three classes, two of them distinct.
ExactPartials exact_example() {
  ExactPartials partials;
  partials.distinct = {{{1, {{1, LeadRank::top, 2}, {0, LeadRank::below, 1}}}, 4},
                       {{2, {{2, LeadRank::top, 1}, {0, LeadRank::lower, 2}}}, 1}};
  partials.rows = VoteRows{{0, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  partials.orders = {2.0, 2.5};
  const TeacherSum small{UpwardSum(1.0 / 3.0), UpwardSum(1e-30)};
  const TeacherSum large{UpwardSum(1e9 + 1.0 / 3.0), UpwardSum(1e300)};
  partials.teachers = {{small, TeacherSum{}}, {large, small}};
  return partials;
}

Json json_of(const ExactPartials& partials) {
  FieldWriter writer;
  fields(writer, partials, kSize);
  return Json::parse(writer.text());
}

ExactPartials exact_read(const Json& json) {
  ExactPartials partials;
  FieldReader::read(io::JsonValue::parse(json.dump(), "s.json"), partials, kSize);
  return partials;
}

}  // namespace

TEST_SUITE("reports") {
  TEST_CASE("exact partials read back to the bit") {
    const ExactPartials partials = exact_example();
    const ExactPartials back = exact_read(json_of(partials));
    REQUIRE(back.distinct.size() == partials.distinct.size());
    for (std::size_t i = 0; i < back.distinct.size(); ++i) {
      CHECK(back.distinct[i].votes == partials.distinct[i].votes);
      CHECK(back.distinct[i].count == partials.distinct[i].count);
    }
    CHECK(back.orders == partials.orders);
    REQUIRE(back.rows);
    CHECK(back.rows->distinct == partials.rows->distinct);
    CHECK(back.rows->groups == partials.rows->groups);
    REQUIRE(back.teachers.size() == partials.teachers.size());
    for (std::size_t k = 0; k < back.teachers.size(); ++k) {
      REQUIRE(back.teachers[k].size() == partials.teachers[k].size());
      for (std::size_t t = 0; t < back.teachers[k].size(); ++t) {
        for (const auto direction : {&TeacherSum::forward, &TeacherSum::reverse}) {
          const UpwardSum& its = back.teachers[k][t].*direction;
          const UpwardSum& expected = partials.teachers[k][t].*direction;
          CHECK(its.whole() == expected.whole());
          CHECK(its.fraction() == expected.fraction());
          CHECK(its.is_infinite() == expected.is_infinite());
        }
      }
    }
  }

  TEST_CASE("without predictions there are no teachers") {
    ExactPartials partials = exact_example();
    partials.orders.clear();
    partials.teachers.clear();
    const Json json = json_of(partials);
    CHECK(!json.contains("teachers"));
    CHECK(exact_read(json).teachers.empty());
  }

  TEST_CASE("malformed exact partials are named by their field") {
    const auto broken = [](const std::function<void(Json&)>& change, const std::string& message) {
      Json json = json_of(exact_example());
      change(json);
      CHECK_THROWS_WITH_AS(static_cast<void>(exact_read(json)), message.c_str(), input_error);
    };
    broken([](Json& j) { j.erase("count"); }, "s.json: count: is missing");
    broken([](Json& j) { j["count"].erase(0); },
           "s.json: count: expected 2 numbers, found an array of 1");
    broken([](Json& j) { j["count"][0] = 3; },
           "s.json: count: expected counts that add up to the 5 queries of the shard, found an "
           "array of 2");
    broken([](Json& j) { j["place"][0] = 3; },
           "s.json: place[0]: expected a whole number from 0 to 2, found 3");
    broken([](Json& j) { j["votes"][0] = 2; },
           "s.json: votes: expected 2 votes in distinct query 0, not 4, found an array of 4");
    broken([](Json& j) { j["classes"][1] = 2; },
           "s.json: classes: expected 3 classes in distinct query 0, not 4, found an array of 4");
    broken([](Json& j) { j["groups"][0] = 1; },
           "s.json: votes: expected 3 numbers, found an array of 4");
    broken(
        [](Json& j) {
          j["votes"][2] = 0;
          j["votes"][3] = 1;
        },
        "s.json: groups: expected falling groups in distinct query 1, found an array of 2");
    broken([](Json& j) { j["statistic"][1] = 0; },
           "s.json: votes: expected distinct query 1 to follow the one before, found an array of "
           "4");
    broken([](Json& j) { j["rows"]["groups"].erase(0); },
           "s.json: rows.groups: expected 5 rows, one per query, found an array of 4");
    broken([](Json& j) { j["rows"]["distinct"][1] = 2; },
           "s.json: rows.distinct[1]: expected a whole number from 0 to 1, found 2");
    for (const char* votes : {"01", "0", "0x", "z0"}) {
      broken([&](Json& j) { j["rows"]["groups"][1] = votes; },
             fmt::format("s.json: rows.groups[1]: expected the groups of 2 teachers' votes, as "
                         "distinct query 1 has them, found \"{}\"",
                         votes));
    }
    broken([](Json& j) { j["teachers"]["orders"][1] = 2.0; },
           "s.json: teachers.orders[1]: expected a larger order than the one before, found 2.0");
    broken([](Json& j) { j["teachers"]["forward"].erase(0); },
           "s.json: teachers.forward: expected 2 texts, one per order, found an array of 1");
    broken([](Json& j) { j["teachers"]["reverse"][0] = "0"; },
           "s.json: teachers.reverse[0]: expected 2 sums, one per teacher, found \"0\"");
    for (const char* text : {"0 x", "0 -1", "0 ", " 0", "0 11112222333344445555666677778888a"}) {
      CAPTURE(text);
      Json json = json_of(exact_example());
      json["teachers"]["reverse"][0] = text;
      CHECK_THROWS_AS(static_cast<void>(exact_read(json)), input_error);
    }
  }
}
