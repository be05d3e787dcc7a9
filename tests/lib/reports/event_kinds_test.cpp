#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "pate/reports/event_checks.hpp"
#include "support/events.hpp"
#include "support/ledger_events.hpp"
#include "support/read_back.hpp"

using namespace pate;
using namespace pate::test;

namespace {

enum class Wanted { must, may, never };
constexpr Wanted kMust = Wanted::must;
constexpr Wanted kMay = Wanted::may;
constexpr Wanted kNever = Wanted::never;

// A fact of an event: whether it has it, and how it gets and loses it.
struct Fact {
  const char* name;
  std::function<bool(const PublicEvent&)> has;
  std::function<void(PublicEvent&)> add, drop;
};

template <class Value>
Fact fact(const char* name, std::optional<Value> PublicEvent::*member, const Value& value) {
  return {name, [=](const PublicEvent& open) { return (open.*member).has_value(); },
          [=](PublicEvent& open) { open.*member = value; },
          [=](PublicEvent& open) { (open.*member).reset(); }};
}

std::vector<Fact> all_facts() {
  const NumberNoise noise{ReleaseMethod::curve, 6.0, 0.04, 4.0, 0.0};
  return {fact("steps", &PublicEvent::steps, steps_of(gnmax(20.0), {}, 5, 5)),
          fact("cap", &PublicEvent::cap, RdpCap{8.0, 2.0}),
          fact("realized", &PublicEvent::realized, RealizedRun{5, 5}),
          fact("drawn", &PublicEvent::drawn, DrawnNumber{1.5, 1e-5, {}, {}, noise}),
          fact("claim", &PublicEvent::claim, PrivacyClaim{0.5, 1e-6, 1, {}}),
          fact("foreign", &PublicEvent::foreign, ForeignStep{0.5, 0.0, 1}),
          fact("tries", &PublicEvent::tries,
               TriedRuns{tries_expecting(TriesLaw::poisson, 5.0), steps_of(gnmax(20.0), {}, 5, 5)}),
          {"source", [](const PublicEvent& open) { return !open.source.empty(); },
           [](PublicEvent& open) { open.source = "somebody"; },
           [](PublicEvent& open) { open.source.clear(); }}};
}

// What events of a kind have and have not, in the order of `all_facts`.
struct Kind {
  EventKind kind;
  std::array<Wanted, 8> wanted;
};
const std::array<Kind, 5> kKinds{
    {{EventKind::run, {kMust, kMay, kMay, kNever, kNever, kNever, kNever, kNever}},
     {EventKind::release, {kMust, kNever, kMay, kMust, kNever, kNever, kNever, kNever}},
     {EventKind::majority, {kNever, kNever, kMay, kNever, kMust, kNever, kNever, kNever}},
     {EventKind::declared, {kNever, kNever, kNever, kNever, kMust, kNever, kNever, kNever}},
     {EventKind::tuning, {kNever, kNever, kMay, kNever, kNever, kNever, kMust, kNever}}}};

// An event with what its kind must have alone.
Event least_event(const Kind& kind, const std::vector<Fact>& facts) {
  Event event;
  PublicEvent& open = event.open;
  open.kind = kind.kind;
  open.id = event_id("x");
  open.mechanism = "gnmax";
  open.queries = 5;
  open.delta = 1e-5;
  for (std::size_t k = 0; k < facts.size(); ++k) {
    if (kind.wanted.at(k) == kMust) facts[k].add(open);
  }
  return event;
}

constexpr const char* kPlace = "run.json: record.events[0]";

bool is_refused_at(const std::string& refused, const std::string& place) {
  return refused.starts_with(kPlace + place + ": expected ");
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("an event has the facts of its kind, and none of another kind") {
  const std::vector<Fact> facts = all_facts();
  for (const Kind& kind : kKinds) {
    const Event least = least_event(kind, facts);
    CAPTURE(name(kind.kind));
    REQUIRE(refusal_of(least) == "");
    for (std::size_t k = 0; k < facts.size(); ++k) {
      CAPTURE(facts[k].name);
      Event edited = least;
      const bool has = facts[k].has(edited.open);
      (has ? facts[k].drop : facts[k].add)(edited.open);
      const std::string refused = refusal_of(edited);
      if (kind.wanted.at(k) == kMay) {
        CHECK(refused == "");
        continue;
      }
      CAPTURE(refused);
      CHECK(is_refused_at(refused, ""));
      CHECK(refused.find(fmt::format("an event of kind {} with", name(kind.kind))) !=
            std::string::npos);
      CHECK(refused.find(facts[k].name) != std::string::npos);
    }
  }
}

TEST_CASE("a step of others is a claim or what they tell, and not both") {
  const std::vector<Fact> facts = all_facts();
  const Kind step{EventKind::step, {kNever, kNever, kMay, kNever, kMay, kMay, kNever, kMay}};
  for (const int told : {0, 1, 2, 3}) {
    CAPTURE(told);
    Event event = least_event(step, facts);
    event.open.source = "somebody";
    if ((told & 1) != 0) event.open.claim = PrivacyClaim{0.5, 1e-6, 1, {}};
    if ((told & 2) != 0) event.open.foreign = ForeignStep{0.5, 0.0, 1};
    const bool is_one = told == 1 || told == 2;
    CHECK((refusal_of(event) == "") == is_one);
    if (!is_one) CHECK(is_refused_at(refusal_of(event), ""));
    for (std::size_t k = 0; k < facts.size() && is_one; ++k) {
      if (step.wanted.at(k) != kNever) continue;
      CAPTURE(facts[k].name);
      Event edited = event;
      facts[k].add(edited.open);
      CHECK(is_refused_at(refusal_of(edited), ""));
    }
  }
}

TEST_CASE("numbers of a fact that cannot be are refused in their place") {
  const std::vector<Fact> facts = all_facts();
  const auto edited = [&](std::size_t kind, const std::function<void(PublicEvent&)>& edit) {
    Event event = least_event(kKinds.at(kind), facts);
    edit(event.open);
    return refusal_of(event);
  };
  const auto told = [&](std::vector<double> orders, std::vector<double> rdp) {
    Event event;
    event.open.kind = EventKind::step;
    event.open.mechanism = "x";
    event.open.foreign = ForeignStep{0.1, 0.0, 1, 0.0, std::move(orders), std::move(rdp)};
    return refusal_of(event);
  };
  CHECK(edited(2, [](PublicEvent& open) { open.claim->delta = 1.0; }) ==
        std::string(kPlace) + ".claim.delta: expected a delta below 1, found 1.0");
  CHECK(is_refused_at(edited(3, [](PublicEvent& open) { open.claim->count = 2; }), ""));
  CHECK(edited(1, [](PublicEvent& open) {
          open.drawn->delta = 1.0;
        }).find("an event of kind release with a delta below 1 in drawn") != std::string::npos);
  for (const bool has_noise : {false, true}) {
    for (const bool from_votes : {false, true}) {
      const std::string refused = edited(1, [&](PublicEvent& open) {
        if (!has_noise) open.drawn->noise.reset();
        open.origin.parameters_from_votes = from_votes;
      });
      CAPTURE(refused);
      CHECK((refused == "") == (has_noise != from_votes));
      if (has_noise == from_votes) {
        CHECK(refused.find("with noise in drawn unless its parameters were chosen from votes") !=
              std::string::npos);
      }
    }
  }
  CHECK(told({2.0, 8.0}, {0.1, 0.2}) == "");
  CHECK(is_refused_at(told({2.0, 2.0}, {0.1, 0.2}), ".foreign.orders[1]"));
  CHECK(is_refused_at(told({2.0, 8.0}, {0.1}), ".foreign.rdp"));
  CHECK(told({}, {0.1}).find("foreign.orders") != std::string::npos);
}

TEST_CASE("ids, noise, tries and counts that no event has are refused in their place") {
  const std::vector<Fact> facts = all_facts();
  const auto edited = [&](std::size_t kind, const std::function<void(Event&)>& edit) {
    Event event = least_event(kKinds.at(kind), facts);
    edit(event);
    return refusal_of(event);
  };
  for (const std::string& id :
       {std::string(31, 'a'), std::string(33, 'a'), std::string(32, 'g'), std::string(32, 'A')}) {
    CHECK(edited(0, [&](Event& event) { event.open.id = id; }) ==
          fmt::format("{}.id: expected 32 hexadecimal digits, found \"{}\"", kPlace, id));
  }
  CHECK(edited(1, [](Event& event) {
          event.open.drawn->noise = NumberNoise{ReleaseMethod::gnss, 6.0, 1.0, 4.0, 0.0};
        }).find("expected the noise of a release (") != std::string::npos);
  CHECK(edited(4, [](Event& event) {
          event.open.tries->number.parameter = 0.0;
        }).find("expected tries of runs (") != std::string::npos);
  CHECK(edited(0, [](Event& event) {
          event.open.steps.emplace();
        }).find("expected steps of some kind, where there are queries") != std::string::npos);
  // Of what did not happen: so often that doubles count its queries.
  const auto times = [&](std::int64_t count, std::int64_t queries) {
    return edited(0, [&](Event& event) {
      event.open.id.clear();
      event.open.queries = queries;
      event.times = count;
    });
  };
  CHECK(times(std::int64_t{1} << 40, 1 << 13) == "");
  CHECK(times(std::int64_t{1} << 40, (1 << 13) + 1)
            .starts_with(std::string(kPlace) + ".times: expected at most 2^53 queries together"));
  CHECK(times((std::int64_t{1} << 40) + 1, 1).starts_with(std::string(kPlace) + ".times: "));
  const Event run = least_event(kKinds[0], facts);
  CHECK(refusal_of(run, [](std::string& text) {
          text.replace(text.find("\"kind\""), 0, "\"times\": 2, ");
        }) == std::string(kPlace) + ".times: expected 1, of what has an id, found 2");
  CHECK(refusal_of(run, [](std::string& text) {
          text.replace(text.find("record/v1"), 9, "record/v9");
        }) == "run.json: record.schema: expected pate/record/v1, found \"pate/record/v9\"");
}

TEST_CASE("costs of an event are for the neighbours that it names") {
  const std::vector<Fact> facts = all_facts();
  const Neighbours others{Adjacency::replace, 2};
  Event run = least_event(kKinds[0], facts);
  // The aggregator's come first.
  const auto of_others = [](std::string& text) {
    const std::string word = "\"teachers_per_person\": 2";
    const auto at = text.find(word);
    REQUIRE(at != std::string::npos);
    text.replace(at, word.size(), "\"teachers_per_person\": 3");
  };
  run.open.aggregator = gnmax(20.0);
  run.open.steps->neighbours = others;
  CHECK(is_refused_at(refusal_of(run, of_others), ".steps"));
  CHECK(refusal_of(run) == "");
  Event declared = least_event(kKinds[3], facts);
  declared.open.aggregator = gnmax(20.0);
  declared.open.claim->neighbours = others;
  CHECK(is_refused_at(refusal_of(declared, of_others), ".claim"));
  CHECK(refusal_of(declared) == "");
  const auto says = [](const char* from, const char* to) {
    return [=](std::string& text) {
      const std::string word = std::string("\"protects\": \"") + from;
      const auto at = text.find(word);
      REQUIRE(at != std::string::npos);
      text.replace(at, word.size(), std::string("\"protects\": \"") + to);
    };
  };
  CHECK(refusal_of(run, says("neighbours", "teacher")) ==
        std::string(kPlace) +
            ".protects: expected no neighbours in its aggregator and its steps, found \"teacher\"");
  run = least_event(kKinds[0], facts);
  CHECK(refusal_of(run, says("teacher", "neighbours")) ==
        std::string(kPlace) +
            ".protects: expected neighbours in its aggregator or its steps, found \"neighbours\"");
  CHECK(refusal_of(run, says("teacher", "person")) ==
        std::string(kPlace) +
            ".protects: expected teacher, record or neighbours, found \"person\"");
}
