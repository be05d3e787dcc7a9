#include "pate/reports/read_events.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/events/foreign_step.hpp"
#include "support/ledger_events.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using namespace pate::reports;
using namespace pate::test;

namespace {

// A file of a run, whose votes have these digests.
NamedRecord file(const std::string& name, const std::string& votes = "",
                 const std::string& counts = "") {
  Event event = labelling(event_id(name), "run");
  event.facts.digests.file = votes;
  event.facts.digests.counts = counts;
  return {name + ".json", {event}};
}

std::string refusal(const std::vector<NamedRecord>& records, bool same_teachers = false) {
  const std::string said = message_of<input_error>([&] { check_addable(records, same_teachers); });
  return said == "[no exception]" ? "" : said;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("files of the same votes add up, however they are connected, and others do not") {
  // By the file, by its counts, and by a third that has both.
  CHECK(refusal({file("a", "f", "c")}) == "");
  CHECK(refusal({file("a", "f", "c"), file("b", "f", "d")}) == "");
  CHECK(refusal({file("a", "f", "c"), file("b", "g", "c")}) == "");
  CHECK(refusal({file("a", "f", "c"), file("b", "g", "d"), file("x", "g", "c")}) == "");
  CHECK(refusal({file("a", "f", "c"), file("x", "g", "c"), file("b", "g", "d")}) == "");
  CHECK(refusal({file("a", "f", "c"), file("b", "g", "d")}) ==
        "b.json: votes: expected the votes of a.json, found others; add \1same-teachers if the "
        "same teachers voted in both");
  // What may be published has no digests: the file that lacks them is named.
  CHECK(refusal({file("a", "f", "c"), file("b")}) ==
        "b.json: expected digests of its votes, found none, as in what may be published; add "
        "\1same-teachers if the same teachers voted in a.json");
  CHECK(refusal({file("a"), file("b", "f", "c")}) ==
        "a.json: expected digests of its votes, found none, as in what may be published; add "
        "\1same-teachers if the same teachers voted in b.json");
  // The same event, a number about it, and a ledger that vouches for both connect, too.
  CHECK(refusal({file("a"), file("a")}) == "");
  NamedRecord number{"n.json", {told_number(event_id("n"), "run", 1.5, event_id("a"))}};
  CHECK(refusal({file("a"), number}) == "");
  NamedRecord one = file("a");
  NamedRecord two = file("b");
  one.ledger = two.ledger = "digest";
  CHECK(refusal({one, two}) == "");
  for (const auto& records :
       {std::vector{file("a", "f", "c"), file("b", "g", "d")}, std::vector{file("a"), file("b")}}) {
    CHECK(refusal(records, true) == "");
  }
}

TEST_CASE("costs of other ensembles, units and neighbours are not added up, whoever says so") {
  const auto edited = [](const std::function<void(PublicEvent&)>& edit) {
    NamedRecord other = file("b", "f", "c");
    edit(other.record.front().open);
    return refusal({file("a", "f", "c"), other}, true);
  };
  CHECK(edited([](PublicEvent&) {}) == "");
  CHECK(edited([](PublicEvent& open) { open.teachers = 251; }) ==
        "b.json: teachers: expected 250 as in a.json, found 251: the costs of different ensembles "
        "are not added up");
  CHECK(edited([](PublicEvent& open) { open.protects_records = true; }) ==
        "b.json: expected a report that protects one teacher's votes as a.json, found one that "
        "protects one record of the data: costs of the two do not add up; state one number for "
        "each");
  const std::string neighbours = edited([](PublicEvent& open) {
    open.steps->neighbours = {Adjacency::replace, 2};
  });
  CAPTURE(neighbours);
  CHECK(neighbours.starts_with("b.json: expected costs for "));
  CHECK(neighbours.ends_with("make both with the same \1neighbours and \1teachers-per-person"));
  // Others' steps protect one record, and have no teachers.
  ForeignStep step;
  step.mu = 0.3;
  CHECK(refusal({file("a", "f", "c"), {"g.csv", {foreign_event("g", "somebody", step)}}}) == "");
  NamedRecord mixed = file("a", "f", "c");
  mixed.record.push_back(file("b").record.front());
  mixed.record.back().open.teachers = 9;
  CHECK(refusal({mixed}, true) == "a.json: teachers: expected 250 in all of its events, found 9");
}

TEST_CASE("a number that counts entries of a ledger adds up beside these alone") {
  for (const std::size_t missing : {0U, 1U, 2U}) {
    NamedRecord number{"n.json", {told_number(event_id("n"), "run", 1.5, event_id("a"))}};
    std::vector<NamedRecord> records{file("a")};
    for (const char* const name : {"x", "y"}) {
      number.counted.ids.push_back(event_id(name));
      if (number.counted.ids.size() > missing) records.push_back(file(name));
    }
    records.push_back(number);
    const std::string said = refusal(records, true);
    CAPTURE(said);
    CHECK((said == "") == (missing == 0));
    if (missing == 0) continue;
    CHECK(said.starts_with(std::string("n.json: public.ledger: its epsilon counts ") +
                           (missing == 1 ? "an entry" : "entries") +
                           " of a ledger that its record lacks"));
  }
}

TEST_CASE("which entries of a ledger a report counts: all but the run itself, each by its id") {
  const auto counted = [](const std::string& ledger) {
    return counted_entries(
        io::JsonValue::parse(R"({"public": {"ledger": )" + ledger + "}}", "r.json"));
  };
  const CountedEntries found = counted(
      R"([{"counted": "same_answers", "id": "a"}, {"counted": "added", "id": "b"},
          {"counted": "noise", "id": "c"}, {"counted": "within_another", "id": "d"}])");
  CHECK(found.ids == std::vector<std::string>{"b", "c", "d"});
  CHECK_THROWS_AS((void)counted(R"([{"counted": "added"}])"), input_error);
  CHECK(counted("[]").ids.empty());
  CHECK(counted("null").ids.empty());
  CHECK(counted_entries(io::JsonValue::parse("{}", "r.json")).ids.empty());
}

TEST_CASE("how a sum names a part: what its events asked and answered, and its own headline") {
  const auto part = [](const std::string& members, const Record& record) {
    return report_part(
        io::JsonValue::parse(R"({"schema": "pate/label/v1")" + members + "}", "r.json"), record);
  };
  const Event run = file("a", "f", "c").record.front();
  const Event number = told_number(event_id("n"), "run", 1.5, event_id("a"));
  const ReportPart alone = part("", {run});
  CHECK(alone.path == "r.json");
  CHECK(alone.schema == "pate/label/v1");
  CHECK(alone.mechanism == "gnmax");
  CHECK(alone.queries == 5);
  CHECK(alone.answered == 5.0);
  CHECK(alone.votes_sha256 == "f");
  CHECK(alone.votes_digest == "c");
  CHECK_FALSE(alone.epsilon);
  CHECK(alone.is_whole);
  // A number is about queries that its run counts; alone it stands for them.
  const ReportPart both = part("", {run, number});
  CHECK(both.mechanism == "gnmax");
  CHECK(both.queries == 5);
  CHECK(both.answered == 5.0);
  CHECK(part("", {number}).queries == 5);
  CHECK_FALSE(part("", {number}).answered);
  // How many were answered is known where every event tells, else what the report expects.
  Event plan = run;
  plan.open.realized.reset();
  plan.times = 3;
  for (const Record& record : {Record{run, plan}, Record{plan, run}}) {
    CHECK(part("", record).queries == 20);
    CHECK_FALSE(part("", record).answered);
    CHECK(part(R"(, "answered": {"expected": 7.5})", record).answered == 7.5);
    CHECK_FALSE(part(R"(, "answered": {"expected": null})", record).answered);
  }
  CHECK(part(R"(, "answered": {"expected": 7.5})", {run}).answered == 5.0);
  // Its headline, that of what may be published, or what stands in this itself.
  const std::string of_owner = R"(, "headline": {"epsilon": 2, "delta": 1e-5, "order": 8.5})";
  const std::string open = R"(, "public": {"headline": {"epsilon": 3.5, "order": null}})";
  const ReportPart headed = part(of_owner + open, {run});
  CHECK(headed.epsilon == 2.0);
  CHECK(headed.delta == 1e-5);
  CHECK(headed.order == 8.5);
  CHECK(part(open, {run}).epsilon == 3.5);
  CHECK_FALSE(part(open, {run}).delta);
  CHECK_FALSE(part(open, {run}).order);
  CHECK(part(R"(, "public": {"epsilon": 4.5})", {run}).epsilon == 4.5);
  CHECK_FALSE(part(R"(, "headline": {"epsilon": "much"})", {run}).epsilon);
  // What it says of itself and of its parts, each once.
  const ReportPart noted = part(
      R"(, "notices": [{"code": "a", "message": "x"}], "parts": [{"notices":
          [{"code": "a", "message": "x"}, {"code": "b", "message": "y"}]}])",
      {run});
  REQUIRE(noted.notices.size() == 2);
  CHECK(noted.notices[1].code == "b");
}

TEST_CASE("a search is no report of a run, and without a record nothing is") {
  CHECK(message_of<input_error>([] {
          (void)read_events(io::JsonValue::parse(R"({"schema": "pate/tune/v1"})", "t.json"));
        }) ==
        "t.json: schema: expected a report of a run, which a search is not: its best point is one "
        "once it was analysed, by the command line that the search ends with, found "
        "\"pate/tune/v1\"");
  CHECK(message_of<input_error>([] {
          (void)read_events(io::JsonValue::parse(R"({"schema": "pate/analyze/v1"})", "t.json"));
        }).find("record") != std::string::npos);
}

TEST_CASE("a shard of a run is no report of it") {
  CHECK(message_of<input_error>([] {
          (void)read_events(io::JsonValue::parse(R"({"shard": {"index": 1, "of": 2}})", "s.json"));
        }).find("expected a whole run: compose the shards of a run by themselves first") !=
        std::string::npos);
}
