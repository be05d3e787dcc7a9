// Reports member by member: each has the number that it is called, and none is missing.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/inspection/inspection.hpp"
#include "pate/reports/darrm_report.hpp"
#include "pate/reports/exports.hpp"
#include "pate/reports/nzc_report.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/reports/votes_reports.hpp"

using namespace pate;
using namespace pate::reports;
using Json = nlohmann::json;

namespace {

// Without what every report begins with.
Json members_of(const std::string& report) {
  Json json = Json::parse(report);
  for (const char* const member : {"schema", "tool", "settings", "inputs", "guarantee"}) {
    CHECK(json.contains(member));
    json.erase(member);
  }
  return json;
}

ReportContext with_votes() {
  ReportContext context;
  context.version = "1";
  context.inputs = {{"votes", "v.npy", "npy", "int64", {3, 2}, "abc", "predictions", "def"}};
  return context;
}

}  // namespace

TEST_SUITE("whole reports") {
  TEST_CASE("of votes that are looked at") {
    Inspection found;
    found.teachers = 10;
    found.classes = 3;
    found.queries = 4;
    found.distinct_histograms = 2;
    found.ties = 1;
    found.unanimous = 5;
    found.bins = {6, 2};
    found.top_count = {7.5, {1, 2}, {3, 4}};
    found.gap = {2.5, {5, 6}, {0, 1}};
    found.lead = VotesSpread{1.5, {}, {8}};
    found.stability = VotesSpread{{}, {9}, {7}};
    found.class_votes = {11, 12, 13};
    found.selection = AnsweredSpread{ThresholdCheck{60.0, 20.0}, 3.25, {1.5, 1.75}, {2.0, 1.25}};
    found.predictions = TeacherFindings{10, 8, 2, {{0, 1}}, 3, {4}, 6, {1, 0, 5}};
    found.notices = {{"code", "message"}};
    CHECK(members_of(inspect_report_json(found, with_votes())) == Json::parse(R"({
      "teachers": 10, "classes": 3, "queries": 4, "layout": "predictions", "dtype": "int64",
      "distinct_histograms": 2, "ties": 1, "unanimous": 5,
      "top_count": {"mean": 7.5, "deciles": [1, 2], "histogram": {"bin_width": 6, "counts": [3, 4]}},
      "gap": {"mean": 2.5, "deciles": [5, 6], "histogram": {"bin_width": 6, "counts": [0, 1]}},
      "lead": {"mean": 1.5, "deciles": null, "histogram": {"bin_width": 6, "counts": [8]}},
      "stability": {"mean": null, "deciles": [9], "histogram": {"bin_width": 6, "counts": [7]}},
      "class_votes": [11, 12, 13],
      "selection": {"threshold": 60, "sigma1": 20, "answered": 3.25,
        "histogram": {"bin_width": 6, "counts": [1.5, 1.75]},
        "gap_histogram": {"bin_width": 6, "counts": [2, 1.25]}},
      "predictions": {"distinct_teachers": 8, "identical_pairs": 2,
        "first_identical_pairs": [[0, 1]], "constant_teachers": 3, "first_constant_teachers": [4],
        "teachers_missing_a_class": 6, "teachers_missing_class": [1, 0, 5]},
      "notices": [{"code": "code", "message": "message"}]})"));
  }

  TEST_CASE("of a claim that is compared with what holds") {
    NzcAnalysis found;
    found.settings.tau = 0.125;
    found.settings.delta = 1e-5;
    found.mechanism = {NoisyMax{LaplaceNoisyMax{5.0}}, 12.5};
    found.teachers = 10;
    found.classes = 3;
    found.queries = 4;
    found.queries_by_gap = {1, 0, 2, 1};
    found.distances = {{1, 3, 0.5}, {4, 1, 0.25}};
    found.labels = {3, 1, 0};
    found.log_failure_at_tie = -2.0;
    found.expected_failure = 0.0625;
    found.sufficient_constant = 30.0;
    found.claimed_epsilon = 0.75;
    found.claimed_query_epsilon = 0.5;
    found.reason = "why";
    found.boundary = {-6.0, 7.0};
    found.global_sensitivity = 2.0;
    found.global_query = 3.0;
    found.smooth = NzcSmoothCost{0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 8, 9};
    found.utility = NzcUtility{0.9, 0.8, 0.95};
    found.notices = {{"code", "message"}};
    Json report = members_of(nzc_report_json(found, with_votes()));
    CHECK(report.at("boundary").at("delta_at_claim") == found.boundary.delta_at(0.5));
    report.at("boundary").erase("delta_at_claim");
    CHECK(report == Json::parse(R"({
      "teachers": 10, "classes": 3, "queries": 4,
      "mechanism": {"name": "nzc", "laplace_scale": 5, "constant": 12.5, "tau": 0.125,
        "sufficient_constant": 30, "log_failure_at_tie": -2},
      "claimed_by_authors": {"epsilon": 0.75, "delta": 1e-5, "query_epsilon": 0.5, "holds": false,
        "reason": "why"},
      "boundary": {"log_wrong": -6, "loss": 7},
      "sound": {"global": {"sensitivity": 2, "query_epsilon": 3, "costs": []},
        "smooth": {"beta": 0.1, "query": {"epsilon": 0.2, "delta": 0.3}, "least_votes_to_flip": 8,
          "queries_that_far": 9, "simple": 0.4, "kov": 0.6, "delta": 0.7}},
      "releasable": false,
      "votes": {"gap_above": [0.75, 0.75, 0.25, 0], "labels": [3, 1, 0], "votes_to_flip": [1, 4],
        "queries": [3, 1], "smooth_sensitivity": [0.5, 0.25], "expected_failure": 0.0625,
        "utility": {"agreement_at_least": 0.9375, "plurality_accuracy": 0.9,
          "accuracy_at_least": 0.8, "accuracy_at_most": 0.95}},
      "notices": [{"code": "code", "message": "message"}]})"));
  }

  TEST_CASE("of a run: what was answered, what single teachers pay, and notices") {
    Account account;
    account.aggregator = Aggregator{{}, {GaussianNoisyMax{4.0}}, false};
    account.costs.emplace_back();
    account.answered_expected = 7.5;
    account.answered_sd = 1.25;
    account.answered_realized = 8;
    account.per_teacher = PerTeacher{{0.5, 0.25}, {1, 2, 3, 4, 5}, {{0.125, 0.75}}, {1}};
    account.notices = {{"code", "message"}};
    const Json report = members_of(analyze_report_json(account, with_votes()));
    CHECK(report.at("answered") == Json({{"expected", 7.5}, {"sd", 1.25}, {"realized", 8}}));
    CHECK(report.at("per_teacher") == Json::parse(R"({"epsilon": [0.5, 0.25],
      "quantiles": [1, 2, 3, 4, 5], "profile": [0.125, 0.75], "refined": [1]})"));
    CHECK(report.at("notices") == Json::parse(R"([{"code": "code", "message": "message"}])"));
  }

  TEST_CASE("of a plan: how a declared budget fares") {
    Plan plan;
    plan.run.sigma2 = 20.0;
    plan.run.queries = 30;
    plan.costs.emplace_back();
    PlanExtras extras;
    extras.declared = DeclaredPlan{
        {2.0, 1e-5},
        Certificate::renyi,
        100,
        10,
        {{0.5, 0.75, {{40, 0.25, 12.5}, {80, 0.125, 0.0}}, {{0.5, 60}, {0.9, std::nullopt}}}}};
    Json report = Json::parse(plan_report_json(plan, with_votes(), extras));
    CHECK(report.at("declared") == Json::parse(R"({
      "epsilon": 2, "delta": 1e-5, "certificate": "renyi", "teachers": 100, "classes": 10,
      "consensus": [{"least_top_share": 0.5, "answered": 0.75,
        "by_queries": [{"queries": 40, "pass_probability": 0.25, "labels": 12.5},
          {"queries": 80, "pass_probability": 0.125, "labels": 0}],
        "most_queries": [{"pass_probability": 0.5, "queries": 60},
          {"pass_probability": 0.9, "queries": null}]}]})"));
  }

  TEST_CASE("of a private majority: its costs, and which of them is the headline") {
    MajorityPlan plan;
    plan.settings.teachers = {11, 0.1, 0.0, 1};
    plan.gamma = {0.5, 1.0};
    plan.compared.emplace_back();
    plan.costs = {{MajorityBound::simple, 1.5, 1e-6}, {MajorityBound::kov_exact, 1.25, 1e-5}};
    plan.headline = 1;
    const Json report = members_of(darrm_report_json(DarrmReport{.plan = plan}, with_votes()));
    CHECK(report.at("costs") == Json::parse(R"([
      {"bound": "simple", "epsilon": 1.5, "delta": 1e-6},
      {"bound": "kov_exact", "epsilon": 1.25, "delta": 1e-5}])"));
    CHECK(report.at("headline") == report.at("costs")[1]);
    CHECK(report.at("gamma") == Json({0.5, 1.0}));
  }

  TEST_CASE("of losses that are exported") {
    CostEntry entry;
    entry.bound = Bound::exact;
    entry.releasable = false;
    const RecordLosses losses{{0.5, -2, {0.25, 0.625}, 0.125}, {0.75, 3, {1.0}, 0.0}};
    Json report = Json::parse(losses_json(losses, entry, true, "1.2"));
    CHECK(report == Json::parse(R"({"schema": "pate/pld/v1",
      "tool": {"name": "pate", "version": "1.2"}, "estimate": "pessimistic", "bound": "exact",
      "protects": "record", "releasable": false,
      "forward": {"discretization": 0.5, "lower_loss": -2, "infinity_mass": 0.125,
        "probs": [0.25, 0.625]},
      "reverse": {"discretization": 0.75, "lower_loss": 3, "infinity_mass": 0, "probs": [1]}})"));
  }

  TEST_CASE("every report: limits, tables, and notices for whom it is") {
    ReportContext context;
    context.version = "1.2";
    context.verdicts = {{"--max-epsilon", 2.0, true}, {"--no-notices", {}, false}};
    context.tables = {{"kept.tables", "abc", true}};
    const std::vector<Notice> notices{{"code", "message"}};
    for (const Audience audience : {Audience::owner, Audience::everybody}) {
      const Json report = Json::parse(report_text(
          "analyze", audience, context, [](FieldWriter& a) { a.open()("queries", 3); }, notices));
      const bool is_public = audience == Audience::everybody;
      const Json& open = is_public ? report.at("public") : report;
      CHECK(report.at("schema") == "pate/analyze/v1");
      CHECK(report.at("tool") == Json({{"name", "pate"}, {"version", "1.2"}}));
      CHECK(report.at("notices") == Json::parse(R"([{"code": "code", "message": "message"}])"));
      CHECK(open.at("queries") == 3);
      CHECK(open.at("verdicts") == Json::parse(R"([
        {"option": "--max-epsilon", "limit": 2, "holds": true},
        {"option": "--no-notices", "limit": null, "holds": false}])"));
      CHECK(report.contains("tables") == !is_public);
      if (!is_public) {
        CHECK(report.at("tables") ==
              Json::parse(R"([{"path": "kept.tables", "sha256": "abc", "read": true}])"));
      }
    }
  }
}
