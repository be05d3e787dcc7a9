#include "pate/mechanisms/threshold_check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/mechanisms/answer_table.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

long double upper_tail(long double z) {
  return 0.5L * std::erfc(z / std::numbers::sqrt2_v<long double>);
}

void check_rungs(const AnswerTable& ladder, const ThresholdCheck& check) {
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
  TEST_CASE("the probabilities of a check against the oracle") {
    for (const OracleRow& row : oracle("answered")) {
      const ThresholdCheck check{row.number("T"), row.number("sigma1")};
      const std::int64_t v = row.count("max");
      CHECK_MESSAGE(relative_error(log_answered(check, v), row.number("log_pr")) < 1e-12,
                    row.text());
      CHECK_MESSAGE(relative_error(log_q(check, v), row.number("log_q")) < 1e-12, row.text());
      if (!row.has("log_refused")) continue;
      CHECK_MESSAGE(relative_error(log_refused(check, v), row.number("log_refused")) < 1e-12,
                    row.text());
    }
  }

  TEST_CASE("answered and refused add up to one and mirror each other") {
    Random random(131);
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t v = random.integer(0, 1000);
      const std::int64_t threshold = random.integer(-100, 1200);
      const ThresholdCheck check{static_cast<double>(threshold), random.log_uniform(0.5, 1000.0)};
      const ThresholdCheck mirrored{static_cast<double>(v), check.sigma1};
      CHECK(std::abs(std::exp(log_answered(check, v)) + std::exp(log_refused(check, v)) - 1.0) <
            1e-15);
      CHECK(log_q(check, v) == std::min(log_answered(check, v), log_refused(check, v)));
      if (threshold >= 0) CHECK(log_answered(check, v) == log_refused(mirrored, threshold));
      CHECK(log_answered(check, v + 1) >= log_answered(check, v));
    }
    CHECK(relative_error(log_answered({200.0, 150.0}, 200), std::log(0.5)) < 1e-15);
  }

  TEST_CASE("the pair of a check with a neighbour keeps its ratios") {
    Random random(132);
    for (int i = 0; i < 2000; ++i) {
      const ThresholdCheck check{random.uniform(0.0, 300.0), random.log_uniform(3.0, 1e4)};
      const std::int64_t v = random.integer(1, 250);
      const std::int64_t w = v + (i % 2 == 0 ? 1 : -1);
      const LogBernoulliPair pair = answer_pair(check, v, w);
      CHECK(pair.log_p == log_answered(check, v));
      CHECK(pair.log_not_p == log_refused(check, v));
      CHECK(pair.log_p_neighbour == log_answered(check, w));
      CHECK(pair.log_not_p_neighbour == log_refused(check, w));
      const auto sigma = static_cast<long double>(check.sigma1);
      const auto threshold = static_cast<long double>(check.threshold);
      const long double here = (threshold - static_cast<long double>(v)) / sigma;
      const long double there = (threshold - static_cast<long double>(w)) / sigma;
      const auto ratio = [](long double a, long double b) {
        return static_cast<double>(std::log(upper_tail(a) / upper_tail(b)));
      };
      // The reference loses what the two logarithms have in common.
      const double close = 1e-19 * check.sigma1;
      CHECK_MESSAGE(
          std::abs(pair.log_ratio - ratio(here, there)) <= 1e-13 * std::abs(pair.log_ratio) + close,
          show({{"T", check.threshold}, {"sigma1", check.sigma1}}));
      CHECK_MESSAGE(std::abs(pair.log_not_ratio - ratio(-here, -there)) <=
                        1e-13 * std::abs(pair.log_not_ratio) + close,
                    show({{"T", check.threshold}, {"sigma1", check.sigma1}}));
    }
  }

  TEST_CASE("a check out of range is refused") {
    CHECK_NOTHROW(validate(ThresholdCheck{-5.0, 150.0}));
    CHECK_THROWS_WITH_AS(validate(ThresholdCheck{200.0, 0.0}),
                         "sigma1 must be > 0 and finite, got 0", parameter_error);
    CHECK_THROWS_WITH_AS(validate(ThresholdCheck{200.0, -1.0}),
                         "sigma1 must be > 0 and finite, got -1", parameter_error);
    CHECK_THROWS_AS(validate(ThresholdCheck{200.0, kNaN}), parameter_error);
    CHECK_THROWS_AS(validate(ThresholdCheck{200.0, kInfinity}), parameter_error);
    CHECK_THROWS_WITH_AS(validate(ThresholdCheck{kNaN, 150.0}), "threshold must be finite, got nan",
                         parameter_error);
    CHECK_THROWS_WITH_AS(validate(ThresholdCheck{-kInfinity, 150.0}),
                         "threshold must be finite, got -inf", parameter_error);
    for (const double far : {-1e308, 1e16, -1.1e15}) {
      CHECK_THROWS_AS(validate(ThresholdCheck{far, 1.0}), parameter_error);
    }
    validate(ThresholdCheck{-1e15, 1e-100});
  }

  TEST_CASE("a ladder holds the answers of its range and of the neighbours") {
    const ThresholdCheck check{200.0, 150.0};
    const AnswerTable ladder(check, {}, 100, 180, 250);
    CHECK(ladder.first() == 99);
    CHECK(ladder.last() == 181);
    CHECK(ladder.check().threshold == 200.0);
    CHECK(ladder.check().sigma1 == 150.0);
    check_rungs(ladder, check);
  }

  TEST_CASE("a ladder ends at no votes and at all votes") {
    const ThresholdCheck check{20.5, 3.0};
    const AnswerTable ladder(check, {}, 0, 30, 30);
    CHECK(ladder.first() == 0);
    CHECK(ladder.last() == 30);
    check_rungs(ladder, check);
  }

  TEST_CASE("a ladder of leads goes below no votes: the threshold moves, the answers do not") {
    const ThresholdCheck check{0.25, 3.0};
    const AnswerTable leads(check, {}, -12, 7);
    CHECK(leads.first() == -12);
    CHECK(leads.last() == 7);
    check_rungs(leads, check);
    CHECK(leads.log_answered(-12) == log_answered({20.25, 3.0}, 8));
  }

  TEST_CASE("a ladder of one value") {
    const ThresholdCheck check{5.0, 1.0};
    const AnswerTable middle(check, {}, 7, 7, 10);
    CHECK(middle.first() == 6);
    CHECK(middle.last() == 8);
    check_rungs(middle, check);
    const AnswerTable alone(check, {}, 0, 0, 0);
    CHECK(alone.first() == 0);
    CHECK(alone.last() == 0);
    check_rungs(alone, check);
  }

  TEST_CASE("a ladder refuses what the check refuses") {
    CHECK_THROWS_AS(AnswerTable(ThresholdCheck{200.0, 0.0}, {}, 0, 5, 10), parameter_error);
    CHECK_THROWS_AS(AnswerTable(ThresholdCheck{kNaN, 1.0}, {}, 0, 5, 10), parameter_error);
  }
}
