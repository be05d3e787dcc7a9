#include "pate/mechanisms/answer_ladder.hpp"

#include <doctest/doctest.h>

#include "pate/error.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

void check_rungs(const AnswerLadder& ladder, const ThresholdCheck& check) {
  for (std::int64_t v = ladder.first(); v <= ladder.last(); ++v) {
    CHECK(ladder.log_answered(v) == log_answered(check, v));
    CHECK(ladder.log_refused(v) == log_refused(check, v));
    if (v == ladder.last()) continue;
    const LogBernoulliPair expected = answer_pair(check, v, v + 1);
    CHECK(ladder.step(v).log_p == expected.log_p);
    CHECK(ladder.step(v).log_p_neighbour == expected.log_p_neighbour);
    CHECK(ladder.step(v).log_ratio == expected.log_ratio);
    CHECK(ladder.step(v).log_not_ratio == expected.log_not_ratio);
  }
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("a ladder holds the answers of its range and of the neighbours") {
    const ThresholdCheck check{200.0, 150.0};
    const AnswerLadder ladder(check, 100, 180, 250);
    CHECK(ladder.first() == 99);
    CHECK(ladder.last() == 181);
    CHECK(ladder.check().threshold == 200.0);
    CHECK(ladder.check().sigma1 == 150.0);
    check_rungs(ladder, check);
  }

  TEST_CASE("a ladder ends at no votes and at all votes") {
    const ThresholdCheck check{20.5, 3.0};
    const AnswerLadder ladder(check, 0, 30, 30);
    CHECK(ladder.first() == 0);
    CHECK(ladder.last() == 30);
    check_rungs(ladder, check);
  }

  TEST_CASE("a ladder of one value") {
    const ThresholdCheck check{5.0, 1.0};
    const AnswerLadder middle(check, 7, 7, 10);
    CHECK(middle.first() == 6);
    CHECK(middle.last() == 8);
    check_rungs(middle, check);
    const AnswerLadder alone(check, 0, 0, 0);
    CHECK(alone.first() == 0);
    CHECK(alone.last() == 0);
    check_rungs(alone, check);
  }

  TEST_CASE("a ladder refuses what the check refuses") {
    CHECK_THROWS_AS(AnswerLadder(ThresholdCheck{200.0, 0.0}, 0, 5, 10), parameter_error);
    CHECK_THROWS_AS(AnswerLadder(ThresholdCheck{kNaN, 1.0}, 0, 5, 10), parameter_error);
  }
}
