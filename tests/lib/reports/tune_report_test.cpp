#include "pate/reports/tune_report.hpp"
#include "pate/reports/saved_tuning.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"

using namespace pate;
using namespace pate::reports;
using Json = nlohmann::ordered_json;

namespace {

// What is read of the report of the second shard of two; each has one noise, sigma1 and threshold.
Json example() {
  return Json::parse(R"({
    "schema": "pate/tune/v1",
    "settings": {"orders": [2, 3.5], "top": 7},
    "inputs": {"votes": {"votes_digest": "v"}, "labels": {"sha256": "l"}},
    "mechanism": {"name": "confident"},
    "teachers": 10, "classes": 3, "queries": 20, "delta": 1e-05,
    "bound": "tradeoff", "reading": "joint", "conversion": "classic",
    "objective": "correct",
    "limits": {"max_epsilon": 4, "min_answered": null, "min_right": null,
               "min_agreement": 0.9, "min_accuracy": null, "max_answers": 5.5},
    "grid": {"sigma1": [3], "threshold": [6], "sigma2": [2, 4]},
    "shard": {"index": 2, "of": 2, "first_point": 1, "last_point": 2},
    "complete": true, "points_evaluated": 1, "best": {"command": "pate analyze"},
    "points": [{"index": 1, "epsilon": 0.5, "order": 9, "answered": 5, "agreeing": 4.5, "correct": 4,
                "queries": 8,
                "refined": true, "grid_epsilon": 0.501, "grid_order": 10}]
  })");
}

SavedTuning read(const Json& report) {
  return read_tune_report(io::JsonValue::parse(report.dump(), "t.json"));
}

std::string message_of(const std::function<void(Json&)>& change) {
  Json report = example();
  change(report);
  try {
    static_cast<void>(read(report));
  } catch (const input_error& error) {
    return std::string(error.what()).substr(std::string("t.json: ").size());
  }
  return "";
}

}  // namespace

TEST_SUITE("reports") {
  TEST_CASE("a report of a tuning is read") {
    const SavedTuning saved = read(example());
    CHECK(saved.tuning.grid.noise == std::vector<double>{2, 4});
    CHECK(saved.tuning.grid.has_selection());
    CHECK_FALSE(saved.tuning.grid.laplace);
    CHECK(saved.tuning.first == 1);
    CHECK(saved.tuning.last == 2);
    CHECK(saved.tuning.complete);
    CHECK(saved.tuning.has_labels);
    CHECK(saved.settings.grid.kind.conversion == Conversion::classic);
    CHECK(saved.settings.grid.kind.orders == std::vector<double>{2, 3.5});
    CHECK(saved.settings.grid.max_answers == 5.5);
    CHECK(saved.settings.goal.objective == Objective::correct);
    CHECK(saved.settings.goal.max_epsilon == 4.0);
    CHECK(saved.settings.goal.labelled);
    CHECK(saved.settings.goal.min_agreement == 0.9);
    CHECK_FALSE(saved.settings.goal.min_answered);
    CHECK(saved.settings.top == 7);
    CHECK(saved.best_command == "pate analyze");
    REQUIRE(saved.tuning.points.size() == 1);
    const TunedPoint& p = saved.tuning.points[0];
    CHECK(p.index == 1);
    CHECK(p.point.epsilon == 0.5);
    CHECK(p.point.right == 4);
    CHECK(p.point.agreeing == 4.5);
    CHECK(p.point.queries == 8);
    CHECK(p.grid_epsilon == 0.501);
    CHECK(p.grid_order == 10);
  }

  TEST_CASE("null is an infinite epsilon at no order") {
    Json report = example();
    for (const char* field : {"epsilon", "order", "grid_epsilon", "grid_order"}) {
      report["points"][0][field] = nullptr;
    }
    const TunedPoint p = read(report).tuning.points[0];
    CHECK(p.point.epsilon == std::numeric_limits<double>::infinity());
    CHECK(p.point.order == 0.0);
    CHECK(p.grid_epsilon == std::numeric_limits<double>::infinity());
  }

  TEST_CASE("a malformed report of a tuning is named by its field") {
    CHECK(message_of([](Json& r) { r["schema"] = "pate/plan/v1"; }) ==
          "schema: expected pate/tune/v1, a report of pate tune, found \"pate/plan/v1\"");
    CHECK(message_of([](Json& r) { r["points"][0]["epsilon"] = -0.5; }) ==
          "points[0].epsilon: expected a number >= 0, found -0.5");
    CHECK(message_of([](Json& r) { r["points"][0]["epsilon"] = "nan"; }) ==
          "points[0].epsilon: expected a number >= 0, found \"nan\"");
    CHECK(message_of([](Json& r) { r["points"][0]["grid_epsilon"] = 0.4; }) ==
          "points[0].grid_epsilon: expected a number >= 0.5, found 0.4");
    CHECK(message_of([](Json& r) { r["points"][0]["order"] = 0.5; }) ==
          "points[0].order: expected a number >= 1, found 0.5");
    CHECK(message_of([](Json& r) { r["points"][0]["answered"] = -1; }) ==
          "points[0].answered: expected a number >= 0, found -1");
    CHECK(message_of([](Json& r) { r["points"][0].erase("correct"); }) ==
          "points[0].correct: is missing");
    CHECK(message_of([](Json& r) { r["points"][0].erase("agreeing"); }) ==
          "points[0].agreeing: is missing");
    CHECK(message_of([](Json& r) { r["points"][0]["queries"] = 21; }) ==
          "points[0].queries: expected a whole number from 0 to 20, found 21");
    CHECK(message_of([](Json& r) { r["points"][0]["index"] = 0; }) ==
          "points[0].index: expected a point of the shard behind the one before, 1 to 1, found 0");
    CHECK(message_of([](Json& r) { r["points"].push_back(r["points"][0]); }) ==
          "points[1].index: expected no more points: the shard has ended, found 1");
    CHECK(message_of([](Json& r) {
            r["grid"]["sigma2"] = {2, 0};
          }) ==
          "grid: expected a grid that can be tuned (sigma2 must be > 0 and finite, got 0), found "
          "an object");
    CHECK(message_of([](Json& r) { r["grid"]["threshold"] = Json::array(); }) ==
          "grid.threshold: expected at least one threshold, found an array of 0");
    CHECK(message_of([](Json& r) { r["shard"]["of"] = 9223372036854775807; }) ==
          "shard.of: expected a whole number from 1 to 1000000, found 9223372036854775807");
    CHECK(message_of([](Json& r) { r["shard"]["last_point"] = 1; }) ==
          "shard.last_point: expected 2, shard 2 of 2 of 2 points, found 1");
    CHECK(message_of([](Json& r) { r["points_evaluated"] = 0; }) ==
          "points_evaluated: expected 1, because it is complete, found 0");
    CHECK(message_of([](Json& r) {
            r["complete"] = false;
            r["points_evaluated"] = 0;
          }) == "points: expected at most the 0 points that were evaluated, found an array of 1");
    CHECK(message_of([](Json& r) { r["bound"] = "exact"; }) ==
          "bound: expected tradeoff or published, found \"exact\"");
    CHECK(message_of([](Json& r) { r["delta"] = 0; }) ==
          "delta: expected a number > 0 and < 1, found 0");
    CHECK(message_of([](Json& r) { r["mechanism"]["name"] = "x"; }) ==
          "mechanism.name: expected lnmax, gnmax, one_laplace, confident or interactive, found "
          "\"x\"");
  }

  TEST_CASE("a tuning of a mechanism that is none of a grid is refused") {
    for (const char* const name : {"ptr_sparse", "ptr_sparse_gaussian"}) {
      CHECK(message_of([&](Json& r) {
              r["mechanism"]["name"] = name;
            }).starts_with("mechanism.name: expected a mechanism that can be tuned, found "));
    }
    for (const double delta : {1.0, -0.5, 7.0}) {
      CHECK(
          message_of([&](Json& r) { r["delta"] = delta; }).starts_with("delta: expected a number"));
    }
    CHECK(message_of([](Json& r) {
            r["points"][0]["index"] = 2;
          }).starts_with("points[0].index: expected a point of the shard behind the one before"));
  }

  TEST_CASE("points of PTR, and of one noise, are read by the names of their axes") {
    for (const bool gaussian : {false, true}) {
      Json report = example();
      report["mechanism"] = {{"name", gaussian ? "ptr" : "ptr_laplace"}};
      report["grid"] = {{gaussian ? "ptr_sigma" : "ptr_laplace", {3, 5}}, {"ptr_delta", {1e-7}}};
      const TuningGrid grid = read(report).tuning.grid;
      CHECK(grid.ptr == (gaussian ? TestNoise::gaussian : TestNoise::laplace));
      CHECK(grid.sigma1 == std::vector{3.0, 5.0});
      CHECK(grid.noise == std::vector{1e-7});
      report["grid"] = {{gaussian ? "ptr_laplace" : "ptr_sigma", {3, 5}}, {"ptr_delta", {1e-7}}};
      CHECK_THROWS_AS((void)read(report), input_error);
    }
    Json report = example();
    report["mechanism"] = {{"name", "one_laplace"}};
    report["grid"] = {{"one_laplace_scale", {3, 5}}};
    report["classes"] = 2;
    CHECK(read(report).tuning.grid.one_noise);
    CHECK_FALSE(read(report).tuning.grid.has_selection());
  }

  TEST_CASE("points go on from a report of the same votes, grid and epsilon alone") {
    const SavedTuning now = read(example());
    CHECK_NOTHROW(check_same_tuning("old.json", now, now));
    using Change = std::function<void(SavedTuning&)>;
    const std::vector<std::pair<const char*, Change>> changes{
        {"other votes, or other rows of them", [](auto& its) { its.votes_digest = "w"; }},
        {"another \1student", [](auto& its) { its.student_sha256 = "s"; }},
        {"other \1labels", [](auto& its) { its.labels_sha256 = ""; }},
        {"another \1labels-rows", [](auto& its) { its.labels_rows = "votes"; }},
        {"another grid", [](auto& its) { its.tuning.grid.noise.push_back(8.0); }},
        {"another grid", [](auto& its) { its.tuning.grid.sigma1 = {4.0}; }},
        {"another grid", [](auto& its) { its.tuning.grid.threshold = {7.0}; }},
        {"another grid", [](auto& its) { its.tuning.grid.laplace = true; }},
        {"another grid", [](auto& its) { its.tuning.grid.one_noise = true; }},
        {"another grid", [](auto& its) { its.tuning.grid.interactive = true; }},
        {"another grid", [](auto& its) { its.tuning.grid.ptr = TestNoise::laplace; }},
        {"other \1neighbours, or another \1teachers-per-person",
         [](auto& its) { its.tuning.grid.neighbours.teachers = 2; }},
        {"another \1shard", [](auto& its) { its.tuning.first = 0; }},
        {"another \1shard", [](auto& its) { its.tuning.last = 1; }},
        {"another \1delta", [](auto& its) { its.settings.grid.kind.delta = 1e-6; }},
        {"another \1bound, \1reading, \1conversion or \1orders",
         [](auto& its) { its.settings.grid.kind.cost.bound = Bound::published; }},
        {"another \1bound, \1reading, \1conversion or \1orders",
         [](auto& its) { its.settings.grid.kind.cost.reading = GuaranteeKind::expected; }},
        {"another \1bound, \1reading, \1conversion or \1orders",
         [](auto& its) { its.settings.grid.kind.conversion = Conversion::improved; }},
        {"another \1bound, \1reading, \1conversion or \1orders",
         [](auto& its) { its.settings.grid.kind.orders = {2.0}; }},
        {"another \1max-answers", [](auto& its) { its.settings.grid.max_answers.reset(); }},
    };
    for (const auto& each : changes) {
      SavedTuning saved = now;
      each.second(saved);
      const std::string expected = std::string("old.json: was made with ") + each.first;
      CHECK_THROWS_WITH_AS(check_same_tuning("old.json", saved, now), expected.c_str(),
                           input_error);
      CHECK_THROWS_WITH_AS(check_same_tuning("old.json", now, saved), expected.c_str(),
                           input_error);
    }
  }
}
