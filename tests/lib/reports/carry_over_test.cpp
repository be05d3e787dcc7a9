#include "pate/reports/carry_over.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/ledger_lines.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"

using pate::Event;
using pate::io::JsonValue;
using pate_test::Random;
using Json = nlohmann::ordered_json;

// Files of tests/cli/old_reports with a member that is not as it was written.

namespace {

std::string bytes_of(const std::string& name) {
  std::ifstream file(pate::test::source_file("tests/cli/old_reports/" + name));
  return {std::istreambuf_iterator<char>(file), {}};
}

Json old_report(const std::string& name) {
  return Json::parse(bytes_of(name + ".json"));
}

Event event_of(const Json& report) {
  return pate::reports::carry_over_report(JsonValue::parse(report.dump(), "old.json")).at(0);
}

std::string refusal(const Json& report) {
  try {
    (void)event_of(report);
  } catch (const pate::input_error& error) {
    return error.what();
  }
  return "";
}

Json::json_pointer place(std::string path) {
  std::ranges::replace(path, '.', '/');
  return Json::json_pointer("/" + path);
}

void erase(Json& report, const std::string& path) {
  const Json::json_pointer its = place(path);
  report.at(its.parent_pointer()).erase(its.back());
}

// Something that a member cannot be, whatever numbers or texts it may have.
Json misfit(const Json& value, Random& random) {
  if (value.is_string()) return random.integer(0, 1) == 0 ? Json(3) : Json::object();
  if (value.is_number()) return random.integer(0, 1) == 0 ? Json("3") : Json(-1.5);
  return random.integer(0, 1) == 0 ? Json(true) : Json("text");
}

// The lines of the old ledger, of which one is edited.
std::string ledger_refusal(const std::string& file, std::size_t number,
                           const std::function<void(Json&)>& edit) {
  const std::string bytes = bytes_of(file);
  std::string edited;
  std::size_t line = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    Json json = Json::parse(bytes.substr(at, end - at));
    if (++line == number) edit(json);
    edited += json.dump() + "\n";
    at = end + 1;
  }
  try {
    (void)pate::reports::parse_ledger(edited, "led.jsonl");
  } catch (const pate::input_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("old reports: what a sum rests on is missed, or refused, by its name") {
  struct Kind {
    std::vector<std::string> names;
    std::vector<std::string> members;
  };
  const std::vector<std::string> of_run{"mechanism.name",
                                        "teachers",
                                        "classes",
                                        "queries",
                                        "delta",
                                        "steps.threshold_checks",
                                        "steps",
                                        "settings",
                                        "answered",
                                        "rdp.orders",
                                        "inputs.votes.sha256",
                                        "inputs.votes.votes_digest"};
  std::vector<std::string> of_labels = of_run;
  of_labels.insert(of_labels.end(),
                   {"filter.order", "labels.asked", "labels.sha256", "filter", "labels"});
  const std::vector<Kind> kinds{
      {{"analyze_confident", "analyze_exact", "analyze_decisions"}, of_run},
      {{"label", "label_limits", "label_max_epsilon"}, of_labels},
      {{"plan"}, {"mechanism.name", "queries", "delta", "steps", "steps.gaussian_maxima"}},
      {{"release_gnss"},
       {"public.mechanism", "public.queries", "public.teachers", "public.classes",
        "public.parameters", "public.run.epsilon", "public.run.delta", "private.order",
        "private.beta", "private.sigma_ss", "private.k"}},
      {{"release_curve"}, {"public.order", "public.beta", "public.run.epsilon"}},
      {{"darrm_fresh"},
       {"setting", "teachers.count", "queries", "answer.epsilon", "answer.delta",
        "headline.delta"}},
      {{"darrm_labels"}, {"teachers.affected", "inputs.votes.sha256"}},
  };
  Random random(81);
  for (const Kind& kind : kinds) {
    for (const std::string& name : kind.names) {
      CAPTURE(name);
      const Json report = old_report(name);
      REQUIRE(refusal(report) == "");
      for (const std::string& member : kind.members) {
        CAPTURE(member);
        Json edited = report;
        erase(edited, member);
        CHECK(refusal(edited) == "old.json: " + member + ": is missing");
        edited = report;
        edited.at(place(member)) = misfit(report.at(place(member)), random);
        CHECK(refusal(edited).starts_with("old.json: " + member));
      }
    }
  }
}

TEST_CASE("old reports: numbers that no report has are refused in their place") {
  const auto check = [](const std::string& name, const std::string& path, const Json& value,
                        const std::string& expected) {
    CAPTURE(name);
    CAPTURE(path);
    Json report = old_report(name);
    report[place(path)] = value;
    const std::string said = refusal(report);
    CAPTURE(said);
    CHECK(said.find("old.json: " + expected) == 0);
  };
  for (const char* const name : {"analyze_confident", "label", "plan"}) {
    for (const double delta : {0.0, 1.0}) {
      check(name, "delta", delta, "delta: expected a number > 0 and < 1");
    }
  }
  check("darrm_fresh", "headline/delta", 1.0, "headline.delta: expected a number > 0 and < 1");
  check("release_gnss", "public/run/delta", 1.0, "public.run.delta: expected a number > 0 and < 1");
  check("label", "filter/order", 1.0, "filter.order: expected a number from ");
  check("label", "labels/asked", 13,
        "labels.asked: expected a whole number from 0 to 12, found 13");
  check("label", "answered/realized", 13,
        "answered.realized: expected a whole number from 0 to 12");
  check("analyze_confident", "rdp/orders", {2.0, 2.0}, "rdp.orders");
  check("analyze_confident", "rdp/tradeoff/joint", {1.0},
        "rdp.tradeoff.joint: expected 153 numbers");
  check("analyze_exact", "exact_queries", Json::array(),
        "exact_queries: expected the queries of one run, found an array of 0");
  check("darrm_labels", "teachers/affected", 12,
        "teachers.affected: expected a whole number from 1 to 11, found 12");
  check("darrm_fresh", "setting", "static_whole",
        "setting: expected independent_fresh or non_private: where teachers that were trained once "
        "answer again, costs do not add up; run pate darrm on all of their queries together");
  check("release_gnss", "valid", false, "valid: expected a release that is valid, found false");
  check("release_gnss", "private/method", "tarot",
        "private.method: expected the method of a release that this version knows");
  check("release_gnss", "public/parameters", "found",
        "public.parameters: expected where parameters came from, found \"found\"");
  check("release_gnss", "private/beta", 0.0, "private: expected the noise of a release (");
  check("release_gnss", "private/sigma_ss", 0.0, "private: expected the noise of a release (");
  check("release_curve", "public/beta", 0.0, "public: expected the noise of a release (");
  check("release_gnss", "public/ledger", {{{"line", 1}}},
        "public.ledger: expected a release about nothing else: this one, of an earlier version, "
        "counts entries of a ledger; compose the ledger in its place");
  check("analyze_confident", "schema", "pate/inspect/v1",
        "schema: expected pate/analyze/v1, pate/label/v1, pate/plan/v1, pate/release/v1 or "
        "pate/darrm/v1, found \"pate/inspect/v1\"");
}

TEST_CASE("old reports: their curves are those that they have, of one bound or of several") {
  struct Kind {
    const char* name;
    bool published, tradeoff, exact;
  };
  for (const Kind& kind : {Kind{"analyze_exact", true, true, true},
                           {"analyze_gnmax", true, true, false},
                           {"analyze_published", true, false, false},
                           {"label_limits", false, true, false}}) {
    CAPTURE(kind.name);
    const auto curves = event_of(old_report(kind.name)).facts.curves;
    REQUIRE(curves);
    CHECK(curves->published.has_value() == kind.published);
    CHECK(curves->tradeoff.has_value() == kind.tradeoff);
    CHECK(curves->exact.has_value() == kind.exact);
  }
  CHECK_FALSE(event_of(old_report("analyze_ptr_sparse")).facts.curves);
}

TEST_CASE("old reports: what a limit left to chance counts for any votes") {
  Random random(82);
  int capped = 0;
  int limited = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const bool decides = random.integer(0, 1) == 0;
    Json report = old_report(decides ? "label_limits" : "label_gnmax");
    const bool has_epsilon = random.integer(0, 1) == 0;
    const bool has_answers = random.integer(0, 1) == 0;
    const bool stopped = random.integer(0, 1) == 0;
    report["filter"]["max_epsilon"] = has_epsilon ? Json(random.uniform(1.5, 4.0)) : Json();
    report["filter"]["max_answers"] = has_answers ? Json(3) : Json();
    report["labels"]["stopped"] = stopped ? Json("max_answers") : Json();
    const Event event = event_of(report);
    CHECK(event.open.origin.limited == (decides && (has_epsilon || has_answers || stopped)));
    CHECK(event.open.cap.has_value() == has_epsilon);
    CHECK(event.open.origin.stopped == (stopped ? "max_answers" : ""));
    CHECK(event.open.origin.order == report["filter"]["order"].get<double>());
    REQUIRE(event.open.realized);
    CHECK(event.open.realized->asked == report["labels"]["asked"].get<std::int64_t>());
    CHECK(event.open.realized->answered <= event.open.realized->asked);
    capped += event.open.cap ? 1 : 0;
    limited += event.open.origin.limited ? 1 : 0;
    // The same file is one event, another one is another.
    CHECK(event_of(report).open.id == event.open.id);
    report["labels"]["sha256"] = "other";
    CHECK(event_of(report).open.id != event.open.id);
  }
  CHECK(capped > 10);
  CHECK(limited > 10);
}

TEST_CASE("old ledgers: what a line tells is missed, or refused, by its number and name") {
  Random random(83);
  struct Of {
    const char* file;
    std::size_t line;
    std::vector<std::string> members;
  };
  const std::vector<Of> all{
      {"ledger.jsonl",
       1,
       {"ensemble.teachers", "ensemble.classes", "ensemble.name", "votes_digest", "run_digest",
        "released.queries", "released.delta", "released.mechanism", "released.asked",
        "released.answered"}},
      {"ledger.jsonl",
       4,
       {"settings.mechanism", "settings.parameters", "settings.order", "settings.beta",
        "released.queries", "released.run.epsilon", "released.run.delta", "released.run.entries"}},
      {"darrm.jsonl", 1, {"released.epsilon", "released.delta", "released.queries"}},
  };
  for (const Of& of : all) {
    CAPTURE(of.file);
    const std::string line = "led.jsonl: line " + std::to_string(of.line) + ": ";
    REQUIRE(ledger_refusal(of.file, of.line, [](Json&) {}) == "");
    for (const std::string& member : of.members) {
      CAPTURE(member);
      CHECK(ledger_refusal(of.file, of.line, [&](Json& json) { erase(json, member); }) ==
            line + member + ": is missing");
      CHECK(ledger_refusal(of.file, of.line, [&](Json& json) {
              json.at(place(member)) = misfit(json.at(place(member)), random);
            }).starts_with(line + member));
    }
  }
  CHECK(ledger_refusal("ledger.jsonl", 1, [](Json& json) {
          json["released"]["steps"]["gaussian_maxima"][0]["count"] = 13;
        }).find("led.jsonl: line 1: released") == 0);
  CHECK(ledger_refusal("ledger.jsonl", 1, [](Json& json) { json["released"]["asked"] = 13; }) ==
        "led.jsonl: line 1: released.asked: expected a whole number from 0 to 12, found 13");
  for (const char* const member : {"steps", "order"}) {
    CHECK(ledger_refusal("ledger.jsonl", 1, [&](Json& json) { json["released"].erase(member); })
              .find("led.jsonl: line 1: released: expected the member steps, which lines of early "
                    "versions lack: keep this ledger, and begin a new one; what it counts comes on "
                    "top of every total of the new one") == 0);
  }
}

TEST_SUITE_END();
