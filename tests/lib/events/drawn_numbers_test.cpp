#include "pate/events/drawn_numbers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

std::string id(char digit) {
  return std::string(32, digit);
}

Event run(double delta, char digit) {
  Event event;
  event.open.id = id(digit);
  event.open.mechanism = "gnmax";
  event.open.aggregator = gnmax(5.0);
  event.open.queries = 2;
  event.open.delta = delta;
  return event;
}

Event number(double epsilon, double delta, char about, char digit) {
  Event event = run(delta, digit);
  event.open.kind = EventKind::release;
  event.open.about = id(about);
  event.open.drawn.emplace().epsilon = epsilon;
  event.open.drawn->delta = delta;
  return event;
}

Event claim(double delta, std::int64_t count) {
  Event event;
  event.open.kind = EventKind::step;
  event.open.mechanism = "another mechanism";
  event.open.delta = 0.25;  // of its own report; the claim's is what counts
  event.open.claim = PrivacyClaim{0.5, delta, count};
  return event;
}

double epsilon_of(const Record& record) {
  return drawn_total(standing_numbers(record)).epsilon;
}

}  // namespace

TEST_SUITE("drawn numbers") {
  TEST_CASE("epsilons and deltas of numbers that no later one counts add up, upwards") {
    const Event one = number(1.5, 1e-6, 'a', '1');
    const Event other = number(0.25, 1e-7, 'b', '2');
    const ToldEpsilon total = drawn_total(standing_numbers({one, other}));
    CHECK(total.epsilon >= 1.75);
    CHECK(total.epsilon <= 1.75 * (1.0 + 1e-15));
    CHECK(total.delta == 1.1e-6);
    CHECK(total.promise == Promise::outcome);
    CHECK(drawn_total({}).promise == Promise::fixed);

    Event later = number(2.0, 1e-6, 'a', '3');
    later.open.drawn->covers = {one.open.id};
    CHECK(epsilon_of({one, other, later}) == doctest::Approx(2.25).epsilon(1e-15));
    CHECK(epsilon_of({later, other, one}) == epsilon_of({one, other, later}));

    Event chosen = other;
    chosen.open.origin.parameters_from_votes = true;
    CHECK(drawn_total(standing_numbers({one, chosen})).promise == Promise::none);
    CHECK(drawn_total(standing_numbers({chosen, one})).promise == Promise::none);
  }

  TEST_CASE("a number that is counted by one that is counted is counted") {
    const Event first = number(1.0, 1e-6, 'a', '1');
    Event second = number(2.0, 1e-6, 'a', '2');
    second.open.drawn->covers = {first.open.id};
    Event third = number(3.0, 1e-6, 'a', '3');
    third.open.drawn->covers = {second.open.id};
    const Record record{first, second, third};
    const std::vector<const Event*> standing = standing_numbers(record);
    REQUIRE(standing.size() == 1);
    CHECK(standing.front()->open.id == third.open.id);
  }

  TEST_CASE("a number that is named more than once counts as often, however often that is") {
    Event many = number(0.001, 1e-9, 'a', '1');
    many.open.id.clear();
    for (const std::int64_t times : {std::int64_t{1}, std::int64_t{3}, std::int64_t{10'000},
                                     std::int64_t{10'001}, std::int64_t{123'456}}) {
      many.times = times;
      CAPTURE(times);
      const ToldEpsilon total = drawn_total(standing_numbers({many}));
      const auto count = static_cast<double>(times);
      CHECK(total.epsilon >= 0.001 * count);
      CHECK(total.epsilon <= 0.001 * count * (1.0 + 1e-8));
      CHECK(total.delta >= 1e-9 * count * (1.0 - 1e-12));
      CHECK(total.delta <= 1e-9 * count * (1.0 + 1e-8));
    }
  }

  TEST_CASE("what no number counts: other runs, and what did not happen") {
    const Event its = run(1e-5, 'a');
    const Event other = run(1e-5, 'b');
    Event plan = run(1e-5, 'c');
    plan.open.id.clear();
    Event about_nothing = number(1.0, 1e-6, 'a', '1');
    about_nothing.open.about.clear();
    CHECK(uncounted({its, other, plan, number(1.0, 1e-6, 'a', '1')}) == Record{other, plan});
    CHECK(uncounted({its, plan, about_nothing}) == Record{its, plan});
  }

  TEST_CASE("a record is told at the largest delta of its events, beside those of claims") {
    const Event run_at_5 = run(1e-5, 'a');
    const Event run_at_6 = run(1e-6, 'b');
    CHECK(default_delta({run_at_6, run_at_5}) == 1e-5);
    CHECK(default_delta({run_at_5, claim(1e-7, 3)}) == 1.03e-5);
    CHECK(default_delta({claim(1e-7, 3)}) == 3e-7);
    CHECK(default_delta({run_at_5, run_at_6, number(1.0, 2e-6, 'a', '1')}) == 3e-6);
    CHECK(default_delta({number(1.0, 2e-6, 'a', '1'), number(1.0, 3e-6, 'c', '2')}) == 5e-6);
    Event untold = run_at_5;
    untold.open.delta.reset();
    CHECK(default_delta({untold}) == 0.0);
    Event twice = claim(1e-7, 3);
    twice.times = 2;
    CHECK(claimed_delta(twice) == 6e-7);
    CHECK(!claimed_delta(run_at_5));
    CHECK(default_delta({run_at_5, twice}) == 1.06e-5);
  }

  TEST_CASE("a ledger adds up the delta of every event, of claims what they claim") {
    CHECK(recorded_delta({run(1e-5, 'a'), run(1e-6, 'b')}) == 1.1e-5);
    CHECK(recorded_delta({run(1e-5, 'a'), claim(1e-7, 3)}) == 1.03e-5);
    CHECK(recorded_delta({run(1e-5, 'a'), run(1e-6, 'b'), number(1.0, 2e-6, 'a', '1')}) == 3e-6);
    Event plan = run(1e-6, 'c');
    plan.open.id.clear();
    plan.times = 4;
    CHECK(recorded_delta({plan}) == 4e-6);
    plan.open.delta.reset();
    CHECK(recorded_delta({plan}) == 0.0);
    CHECK(recorded_delta({}) == 0.0);
  }
}
