#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/ledger_account.hpp"
#include "support/labeling.hpp"
#include "support/stability_tests.hpp"
#include "support/temp_directory.hpp"

using pate::Counted;
using pate::Event;
using pate::EventKind;
using pate::reports::count_entries;
using pate::reports::InputFile;
using pate::reports::LedgerEntry;
using pate::reports::run_digest;

namespace {

// A release of the run "a", with labels of this digest.
LedgerEntry release(const std::string& decisions, bool is_chosen = false) {
  Event event;
  event.open.kind = EventKind::release;
  event.open.id = std::string(32, 'e');
  event.open.about = std::string(32, 'a');
  event.open.aggregator = pate::test::gnmax(20.0);
  event.open.mechanism = "gnmax";
  event.open.queries = 10;
  event.open.steps = pate::steps_of(*event.open.aggregator, {}, 10, 10);
  event.open.origin.parameters_from_votes = is_chosen;
  const pate::NumberNoise noise{pate::ReleaseMethod::gnss, 8.0, 0.01, 2.0, 1.0};
  event.open.drawn.emplace();
  event.open.drawn->epsilon = 1.5;
  event.open.drawn->delta = 2e-5;
  (is_chosen ? event.facts.noise : event.open.drawn->noise) = noise;
  event.facts.digests.run = "a";
  event.facts.digests.labels = decisions;
  return {event, pate::io::JsonValue::parse("{}", "entry"), "0.1.0", "2026-11-21T11:30:16Z", 1};
}

InputFile file(const char* role, const std::string& sha256) {
  InputFile result{role, "path", "npy", "<i8", {1, 2}, sha256, {}, {}};
  if (result.role == "votes") result.votes_digest = "digest of " + sha256;
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("an earlier release is about the same run only with the same decisions") {
  struct Case {
    std::string told, decisions;
    bool same;
  };
  for (const Case& one : std::vector<Case>{{"", "", true},
                                           {"", "d1", false},
                                           {"d1", "d1", true},
                                           {"d2", "d1", false},
                                           {"d1", "", false}}) {
    CAPTURE(one.told);
    CAPTURE(one.decisions);
    const auto counts = count_entries({release(one.told)}, {{}, "", "a", one.decisions}, "L");
    CHECK(counts.covers.size() == (one.same ? 1 : 0));
    CHECK(counts.earlier.size() == (one.same ? 1 : 0));
    CHECK((counts.about == std::string(32, 'a')) == one.same);
    CHECK(counts.others.at(0).counted == (one.same ? Counted::noise : Counted::added));
    CHECK(counts.added.epsilon == (one.same ? 0.0 : 1.5));
  }
}

TEST_CASE("the two entries of a claim that passed are one coin, and another claim is another") {
  const auto claim = [](char id, std::vector<std::string> covers) {
    LedgerEntry entry = release("");
    entry.event.open.id = std::string(32, id);
    entry.event.open.drawn->covers = std::move(covers);
    entry.event.open.drawn->noise = pate::NumberNoise{pate::ReleaseMethod::at_most, 1.5, 0, 2.0, 0};
    return entry;
  };
  const std::string first(32, '1'), curve(32, 'e');
  LedgerEntry other = release("");
  for (const bool is_first : {true, false}) {
    std::vector<LedgerEntry> entries{claim('1', {}), claim('2', {first})};
    entries.insert(is_first ? entries.begin() : entries.end(), other);
    const auto counts = count_entries(entries, {{}, "", "a", ""}, "L");
    CHECK(counts.covers.size() == 3);
    CHECK(counts.earlier.size() == 2);
  }
  CHECK(count_entries({claim('1', {}), claim('2', {})}, {{}, "", "a", ""}, "L").earlier.size() ==
        2);
  CHECK(count_entries({other, claim('2', {curve})}, {{}, "", "a", ""}, "L").earlier.size() == 2);
}

TEST_CASE("parameters that were chosen from votes stay so, and their noise is known all the same") {
  for (const bool chosen : {false, true}) {
    const std::vector<LedgerEntry> entries{release("", chosen)};
    const auto counts = count_entries(entries, {{}, "", "b", ""}, "L");
    CHECK(counts.others.at(0).chosen_from_votes == chosen);
    const auto same = count_entries(entries, {{}, "", "a", ""}, "L");
    REQUIRE(same.earlier.size() == 1);
    CHECK(same.earlier.front().chosen_from_votes == chosen);
    CHECK(same.earlier.front().sigma == 2.0);
    CHECK(same.earlier.front().k == 1.0);
  }
}

TEST_CASE("entries whose own deltas are more than they tell leave nothing that a number counts") {
  for (const double told : {1e-5, 1e-6}) {
    // Nine queries of PTR, each with a delta of its own.
    LedgerEntry labels = release("");
    pate::PublicEvent& open = labels.event.open;
    open.kind = EventKind::run;
    open.id = std::string(32, 'f');
    open.about.clear();
    open.drawn.reset();
    open.aggregator = pate::test::stability_test(pate::TestNoise::laplace, 0.5, 1e-6);
    open.mechanism = open.aggregator->name();
    open.queries = 9;
    open.steps = pate::steps_of(*open.aggregator, {}, 9, 9);
    open.delta = told;
    labels.event.facts.digests.run = "another";
    const auto counted = [&] { return count_entries({labels}, {{}, "", "a", ""}, "L.jsonl"); };
    if (told > 9e-6) {
      CHECK(counted().added.epsilon > 9.0 * 0.49);
      CHECK(counted().added.delta == told);
    } else {
      CHECK(pate::test::message_of<pate::input_error>([&] { (void)counted(); }) ==
            "L.jsonl: nothing is known of what its other entries cost together: no number can "
            "count them");
    }
  }
}

TEST_CASE("a run is its votes, its mechanism and its student, and nothing else") {
  const pate::Aggregator aggregator = pate::test::interactive(30.0, 5.0, 20.0);
  const std::vector<InputFile> inputs{file("votes", "v"), file("student", "s"), file("labels", "l"),
                                      file("indices", "i")};
  const std::string digest = run_digest(inputs, {aggregator, {}});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<InputFile> others = inputs;
    others[i] = file(inputs[i].role.c_str(), "other");
    CAPTURE(inputs[i].role);
    const bool decides = inputs[i].role == "votes" || inputs[i].role == "student";
    CHECK((run_digest(others, {aggregator, {}}) != digest) == decides);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK((run_digest(others, {aggregator, {}}) != digest) == decides);
  }
  // The same votes in another file are the same run.
  std::vector<InputFile> copied = inputs;
  copied[0].sha256 = "another file";
  CHECK(run_digest(copied, {aggregator, {}}) == digest);
  // What would be the student's is not the votes'.
  CHECK(run_digest({file("student", "x")}, {aggregator, {}}) !=
        run_digest({file("labels", "x")}, {aggregator, {}}));
  for (const pate::Aggregator& other :
       {pate::test::interactive(31.0, 5.0, 20.0), pate::test::interactive(30.0, 6.0, 20.0),
        pate::test::interactive(30.0, 5.0, 21.0), pate::test::confident(30.0, 5.0, 20.0)}) {
    CHECK(run_digest(inputs, {other, {}}) != digest);
  }
}

TEST_SUITE_END();
