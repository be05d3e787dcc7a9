#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/reports/ledger_account.hpp"
#include "support/ledger_events.hpp"

using pate::Event;
using pate::reports::account_report_json;
using pate::reports::counted_within;
using pate::reports::ledger_total;
using pate::reports::LedgerEntry;
using pate::reports::own_cost;
using pate::reports::ReportContext;
using pate::test::event_id;
using pate::test::labelling;
using pate::test::told_number;

namespace {

LedgerEntry line(std::int64_t number, const Event& event) {
  return {event, pate::io::JsonValue::parse("{}", "settings"), "0.1.0", "2026-11-21T11:30:16Z",
          number};
}

// Five queries with noise of twenty votes.
double labelled(double delta) {
  return pate::gaussian_dp_epsilon(std::sqrt(5.0 * 2.0 / 400.0), delta);
}

nlohmann::json report_of(const std::vector<LedgerEntry>& entries) {
  pate::Record record;
  for (const LedgerEntry& entry : entries) record.push_back(entry.event);
  pate::RecordAccount total = ledger_total(record, "L", {});
  total.notices = {{"a_code", "a text"}};
  return nlohmann::json::parse(account_report_json(entries, total, {}));
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("the report of a ledger tells of every line what it costs, and what counts it") {
  const std::string run = event_id("run");
  Event chosen = told_number(event_id("other number"), "other", 0.5, event_id("elsewhere"));
  chosen.open.origin.parameters_from_votes = true;
  const std::vector<LedgerEntry> entries{
      line(1, labelling(run, "a")), line(3, told_number(event_id("number"), "a", 2.5, run)),
      line(4, labelling(event_id("second"), "b")), line(7, chosen)};
  const nlohmann::json report = report_of(entries);
  CHECK(report["ensemble"] ==
        nlohmann::json({{"name", "mnist"}, {"teachers", 250}, {"classes", 10}}));
  CHECK(report["notices"].size() == 1);
  const nlohmann::json& lines = report["entries"];
  REQUIRE(lines.size() == 4);
  const std::vector<std::int64_t> numbers{1, 3, 4, 7};
  const std::vector<std::string> kinds{"label", "release", "label", "release"};
  const std::vector<double> deltas{1e-5, 2e-5, 1e-5, 2e-5};
  const std::vector<bool> added{false, true, true, true};
  const std::vector<double> epsilons{labelled(1e-5), 2.5, labelled(1e-5), 0.5};
  for (std::size_t k = 0; k < 4; ++k) {
    CAPTURE(k);
    CHECK(lines[k]["line"] == numbers[k]);
    CHECK(lines[k]["kind"] == kinds[k]);
    CHECK(lines[k]["time"] == "2026-11-21T11:30:16Z");
    CHECK(lines[k]["queries"] == 5);
    CHECK(lines[k]["epsilon"].get<double>() == doctest::Approx(epsilons[k]).epsilon(1e-9));
    CHECK(lines[k]["epsilon"].get<double>() >= epsilons[k] * (1.0 - 1e-12));
    CHECK(lines[k]["delta"] == deltas[k]);
    CHECK(lines[k]["added"] == added[k]);
    CHECK(lines[k].contains("parameters") == (kinds[k] == "release"));
  }
  CHECK(lines[0]["answered"] == 5);
  CHECK(lines[1]["answered"].is_null());
  CHECK(lines[0]["promise"] == "fixed");
  CHECK(lines[1]["promise"] == "outcome");
  CHECK(lines[3]["promise"] == "none");
  CHECK(lines[1]["parameters"] != lines[3]["parameters"]);

  // What is told of the whole is what its account says, at the sum of the deltas.
  CHECK(report["total"]["epsilon"] == report["headline"]["epsilon"]);
  CHECK(report["total"]["delta"].get<double>() == doctest::Approx(5e-5).epsilon(1e-12));
  REQUIRE(report["costs"].size() == 1);
  CHECK(report["costs"][0]["bound"] == "released");
  CHECK(report["costs"][0]["epsilon"].get<double>() ==
        doctest::Approx(3.0 + labelled(1e-5)).epsilon(1e-9));
  CHECK(report["guarantee"]["holds"] == false);  // parameters were chosen from votes
}

TEST_CASE("an entry is counted by the last number about it, a number by what covers it alone") {
  const std::string run = event_id("run");
  const std::string first = event_id("first");
  const std::vector<LedgerEntry> entries{
      line(1, labelling(run, "a")), line(2, told_number(first, "a", 1.0, run)),
      line(3, told_number(event_id("second"), "a", 2.0, run)),
      line(4, told_number(event_id("third"), "a", 3.0, run, {first}))};
  CHECK(counted_within(entries[0], entries) == 4);
  CHECK(counted_within(entries[1], entries) == 4);
  CHECK(!counted_within(entries[2], entries));
  CHECK(!counted_within(entries[3], entries));
  const std::vector<LedgerEntry> labels{entries[0], line(2, labelling(event_id("b"), "b"))};
  CHECK(!counted_within(labels[0], labels));
}

TEST_CASE("what an entry costs by itself: a run any votes' cost, a number what was drawn") {
  CHECK(own_cost(line(1, labelling(event_id("a"), "a"))).epsilon ==
        doctest::Approx(labelled(1e-5)).epsilon(1e-9));
  const pate::ToldEpsilon number =
      own_cost(line(2, told_number(event_id("b"), "b", 1.25, event_id("c"))));
  CHECK(number.epsilon == 1.25);
  CHECK(number.delta == 2e-5);
  CHECK(number.promise == pate::Promise::outcome);
}

TEST_CASE("a ledger's total is told at the sum of its deltas unless another is asked for") {
  const pate::Record record{labelling(event_id("a"), "a"), labelling(event_id("b"), "b")};
  CHECK(ledger_total(record, "L", {}).delta == 2e-5);
  pate::RecordSettings settings;
  settings.delta = 1e-6;
  CHECK(ledger_total(record, "L", settings).delta == 1e-6);
  const pate::RecordAccount both = ledger_total(record, "L", {});
  const double expected = pate::gaussian_dp_epsilon(std::sqrt(2.0 * 5.0 * 2.0 / 400.0), 2e-5);
  CHECK(both.costs[both.headline].epsilon == doctest::Approx(expected).epsilon(1e-9));
}

TEST_SUITE_END();
