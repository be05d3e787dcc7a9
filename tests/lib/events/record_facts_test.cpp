#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/events/event.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

// What of an event depends on the votes: how an error calls it, and something that can be known of
// it.
struct Fact {
  std::string called;
  std::function<void(PrivateFacts&, int)> tell;
};

const std::vector<Fact>& facts() {
  static const std::vector<Fact> kFacts{
      {"votes_digest",
       [](PrivateFacts& its, int what) { its.digests.counts = std::to_string(what); }},
      {"run_digest", [](PrivateFacts& its, int what) { its.digests.run = std::to_string(what); }},
      {"labels_sha256",
       [](PrivateFacts& its, int what) { its.digests.labels = std::to_string(what); }},
      {"its queries",
       [](PrivateFacts& its, int what) {
         its.table.resize(1);
         its.table.front().statistic = what;
       }},
      {"its votes",
       [](PrivateFacts& its, int what) {
         its.exact.resize(1);
         its.exact.front().count = what;
       }},
      {"its curves",
       [](PrivateFacts& its, int what) { its.curves.emplace().orders = {2.0 * what}; }},
  };
  return kFacts;
}

Event run_that_happened() {
  Event event;
  event.open.id = "0123456789abcdef0123456789abcdef";
  event.open.mechanism = "gnmax";
  event.open.queries = 3;
  return event;
}

std::string refusal(const Record& a, const Record& b) {
  try {
    static_cast<void>(join(a, b));
  } catch (const input_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("records") {
  TEST_CASE("what either description of an event tells is known when they are joined") {
    for (const Fact& fact : facts()) {
      CAPTURE(fact.called);
      Event told = run_that_happened();
      fact.tell(told.facts, 2);
      const Event untold = run_that_happened();
      REQUIRE(told.facts != untold.facts);
      for (const Record& joined : {join({told}, {untold}), join({untold}, {told})}) {
        REQUIRE(joined.size() == 1);
        CHECK(joined.front() == told);
      }
    }
  }

  TEST_CASE("two descriptions of an event that differ are refused, and it is told in what") {
    for (const Fact& fact : facts()) {
      CAPTURE(fact.called);
      Event one = run_that_happened();
      Event other = one;
      fact.tell(one.facts, 2);
      fact.tell(other.facts, 3);
      CHECK(refusal({one}, {other}).find("differ in " + fact.called + ":") != std::string::npos);
      CHECK(refusal({one}, {one}).empty());
    }
    Event renamed = run_that_happened();
    renamed.open.ensemble = "another";
    CHECK(refusal({run_that_happened()}, {renamed}).find("what everybody may know of it") !=
          std::string::npos);
  }

  TEST_CASE("the same votes may lie in two files: the first that is named stays") {
    Event one = run_that_happened();
    Event other = one;
    other.facts.digests.file = "second";
    CHECK(join({one}, {other}).front().facts.digests.file == "second");
    one.facts.digests.file = "first";
    CHECK(join({one}, {other}).front().facts.digests.file == "first");
  }

  TEST_CASE("what did not happen counts as often as it is named, at most 2^40 times") {
    Event plan = run_that_happened();
    plan.open.id = "";
    plan.times = std::int64_t{1} << 39;
    const Record twice = join({plan}, {plan});
    REQUIRE(twice.size() == 1);
    CHECK(twice.front().times == std::int64_t{1} << 40);
    CHECK_THROWS_AS((void)join(twice, {plan}), input_error);
    Event other = plan;
    other.facts.digests.counts = "other votes";
    CHECK(join({plan}, {other}).size() == 2);
    // Without what only the votes tell they are one.
    CHECK(public_record(join({plan}, {other})).size() == 1);
    CHECK(public_record({plan}).front().facts == PrivateFacts{});
  }

  TEST_CASE("the canonical order does not depend on the order of events") {
    Event first = run_that_happened();
    Event second = run_that_happened();
    second.open.id[0] = '1';
    CHECK(canonical({first, second}) == canonical({second, first}));
    CHECK(canonical({second, first}).front() == first);
  }
}
