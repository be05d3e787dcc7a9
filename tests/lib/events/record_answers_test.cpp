#include "pate/events/record_answers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kThreshold = 7.0;
constexpr double kSigma = 2.0;

// Phi((votes - threshold) / sigma).
double answered(double votes) {
  return 0.5 * std::erfc((kThreshold - votes) / kSigma / std::sqrt(2.0));
}

Event run(const Aggregator& aggregator, std::int64_t queries) {
  Event event;
  event.open.mechanism = "some";
  event.open.teachers = 10;
  event.open.classes = 3;
  event.open.queries = queries;
  event.open.aggregator = aggregator;
  return event;
}

// Of ten teachers, two queries of nine votes for one class and one of six.
Event checked() {
  Event event = run(confident(kThreshold, kSigma, 3.0), 3);
  event.facts.table = {{9, -4.0, 2, 2, 2}, {6, -1.0, 1, 1, 0}};
  return event;
}

double variance_of(double probability) {
  return probability * (1.0 - probability);
}

}  // namespace

TEST_SUITE("record answers") {
  TEST_CASE("queries with a threshold are answered as often as its noise says") {
    const RecordAnswers one = answers_of({checked()});
    CHECK(one.queries == 3);
    CHECK(one.teachers == 10);
    CHECK(one.classes == 3);
    REQUIRE(one.answered_expected);
    CHECK(*one.answered_expected == doctest::Approx(2.0 * answered(9.0) + answered(6.0)));
    CHECK(one.answered_sd == doctest::Approx(std::sqrt(2.0 * variance_of(answered(9.0)) +
                                                       variance_of(answered(6.0)))));
    CHECK(!one.answered_realized);

    Event thrice = checked();
    thrice.times = 3;
    const RecordAnswers more = answers_of({thrice});
    CHECK(more.queries == 9);
    CHECK(*more.answered_expected == doctest::Approx(3.0 * *one.answered_expected));
    CHECK(more.answered_sd == doctest::Approx(std::sqrt(3.0) * one.answered_sd));
  }

  TEST_CASE("without a threshold all that are asked are answered") {
    const RecordAnswers both = answers_of({run(gnmax(5.0), 4), checked()});
    CHECK(both.queries == 7);
    REQUIRE(both.answered_expected);
    CHECK(*both.answered_expected == doctest::Approx(4.0 + 2.0 * answered(9.0) + answered(6.0)));
    CHECK(!both.answered_realized);

    Event twice = run(gnmax(5.0), 4);
    twice.times = 2;
    CHECK(answers_of({twice}).answered_expected == 8.0);
    CHECK(answers_of({twice}).answered_sd == 0.0);

    // A limit ended it.
    Event ended = run(gnmax(5.0), 4);
    ended.open.realized = RealizedRun{3, 3};
    CHECK(answers_of({ended}).answered_expected == 3.0);
    CHECK(answers_of({ended}).answered_realized == 3);
    ended.facts.table = {{0, -4.0, 4, 3, 0}};
    CHECK(answers_of({ended}).answered_expected == 3.0);
    CHECK(answers_of({ended}).answered_sd == 0.0);
  }

  TEST_CASE("an expectation needs what every event with a threshold expects") {
    Event untold = run(confident(kThreshold, kSigma, 3.0), 3);
    CHECK(!answers_of({untold}).answered_expected);
    CHECK(!answers_of({checked(), untold}).answered_expected);
    CHECK(answers_of({untold}).answered_sd == 0.0);
    Event planned = run(gnmax(5.0), 4);
    planned.open.aggregator.reset();
    CHECK(!answers_of({planned, checked()}).answered_expected);
  }

  TEST_CASE("what was answered is told where every event tells it, or answers all") {
    Event happened = checked();
    happened.open.id = std::string(32, 'a');
    happened.open.realized = RealizedRun{3, 2};
    CHECK(answers_of({happened}).answered_realized == 2);
    CHECK(answers_of({run(gnmax(5.0), 4), happened}).answered_realized == 6);
    CHECK(!answers_of({checked(), happened}).answered_realized);
    // Nothing happened: nothing was answered.
    CHECK(!answers_of({run(gnmax(5.0), 4)}).answered_realized);
    happened.times = 2;
    CHECK(answers_of({happened}).answered_realized == 4);
  }

  TEST_CASE("a number stands for its run once, and not where the run is told of") {
    Event happened = checked();
    happened.open.id = std::string(32, 'a');
    Event number = run(gnmax(5.0), 3);
    number.open.kind = EventKind::release;
    number.open.id = std::string(32, 'b');
    number.open.about = happened.open.id;
    CHECK(answers_of({number, happened}).queries == 3);
    Event second = number;
    second.open.id = std::string(32, 'c');
    CHECK(answers_of({number, second}).queries == 3);
    CHECK(answers_of({number, second}).answered_expected == 3.0);
    second.open.about = std::string(32, 'd');
    CHECK(answers_of({number, second}).queries == 6);
    // About runs that nothing names: each may be another.
    number.open.about.clear();
    second.open.about.clear();
    CHECK(answers_of({number, second}).queries == 6);
  }

  TEST_CASE("steps of others change no number of answers, those that answer queries do") {
    Event step;
    step.open.kind = EventKind::step;
    step.open.mechanism = "another mechanism";
    const RecordAnswers both = answers_of({step, checked()});
    CHECK(both.queries == 3);
    CHECK(both.answered_expected == answers_of({checked()}).answered_expected);
    CHECK(both.teachers == 10);
    step.open.queries = 5;
    CHECK(answers_of({step, checked()}).queries == 8);
    CHECK(!answers_of({step, checked()}).answered_expected);
  }

  TEST_CASE("teachers and classes are told where they are known, classes where they are the same") {
    Event other = run(gnmax(5.0), 1);
    other.open.classes = 4;
    const RecordAnswers two = answers_of({checked(), other});
    CHECK(two.teachers == 10);
    CHECK(!two.classes);
    other.open.classes = 0;
    CHECK(!answers_of({other}).classes);
    other.open.teachers = 0;
    CHECK(!answers_of({other}).teachers);
    CHECK(answers_of({checked(), other}).classes == 3);
  }
}
