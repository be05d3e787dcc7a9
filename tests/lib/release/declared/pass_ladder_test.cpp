#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/declared/declared_test.hpp"
#include "pate/release/declared/pass_ladder.hpp"
#include "support/bit_sources.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"
#include "support/test_bits.hpp"

using namespace pate;

namespace {

const Integer kWholePass = Integer(1) << 128U;

// The words from which a coin draws this number.
std::vector<std::uint64_t> words_of(const Integer& number) {
  std::vector<std::uint64_t> words;
  for (const unsigned shift : {64U, 0U}) {
    const auto part = static_cast<std::uint64_t>((number >> shift) & Integer(~std::uint64_t{0}));
    words.push_back(part << 32U | part >> 32U);  // bits are handed out from the low end
  }
  return words;
}

}  // namespace

TEST_CASE("pass ladder: as published, level by level") {
  // The first levels of epsilon = 1 and their end.
  const PassLadder one({1.0, 1.0, 1e-5});
  CHECK(one.last() + 1 == 124);
  CHECK(one.pass(10) == doctest::Approx(.999981966255).epsilon(1e-11));
  CHECK(one.pass(15) == doctest::Approx(.997578252367).epsilon(1e-11));
  CHECK(one.pass(20) == doctest::Approx(.786491166832).epsilon(1e-11));
  CHECK(one.pass(30) == doctest::Approx(.261800167).epsilon(1e-8));
  std::ifstream file(pate::test::source_file("../shared/oracles/declared.json"));
  if (!file) return;  // beside the checkout, where there is one
  const nlohmann::json oracle = nlohmann::json::parse(file);
  int compared = 0;
  for (const auto& table : oracle.at("ladders")) {
    const auto epsilon = table.at("E").get<double>();
    const PassLadder ladder({epsilon, epsilon, 1e-5});
    CHECK(ladder.last() + 1 == table.at("levels").get<std::size_t>());
    for (std::size_t k = 0; k < table.at("p").size(); ++k) {
      const std::size_t level = 5 * k;  // every fifth
      REQUIRE(level <= ladder.last());
      CHECK(ladder.pass(level) == doctest::Approx(table.at("p")[k].get<double>()).epsilon(1e-11));
      CHECK(ladder.fail(level) == doctest::Approx(table.at("q")[k].get<double>()).epsilon(1e-11));
      ++compared;
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("pass ladder: conditions hold for the rounded numbers, for any terms") {
  pate_test::Random random(31);
  for (int n = 0; n < 300; ++n) {
    const double epsilon = std::exp(random.uniform(std::log(.01), std::log(100.0)));
    const double growth = epsilon * (random.integer(0, 1) == 0 ? 1.0 : .5);
    const LadderTerms terms{epsilon, growth, std::exp(random.uniform(std::log(1e-28), 0.0))};
    const PassLadder ladder(terms);
    CAPTURE(epsilon);
    CAPTURE(terms.delta);
    CHECK(Dyadic(ladder.pass_units(ladder.last()), -128) <= Dyadic(terms.delta));
    bool keeps = true;
    for (std::size_t j = 1; j <= ladder.last(); ++j) {
      // In long doubles, which tell a growth of 0.98 epsilon from one of epsilon.
      const auto fails = [&](std::size_t level) {
        return Integer(kWholePass - ladder.pass_units(level)).convert_to<long double>();
      };
      keeps = keeps && fails(j) <= std::exp(static_cast<long double>(growth)) * fails(j - 1);
      keeps = keeps && ladder.pass_units(j) <= ladder.pass_units(j - 1);
      const Integer lost = ladder.pass_units(j - 1) - ladder.pass_units(j);
      const long double fall = std::log1p(lost.convert_to<long double>() /
                                          ladder.pass_units(j).convert_to<long double>());
      keeps = keeps && ladder.fall(j - 1) >= fall;
      keeps =
          keeps && std::exp(ladder.rise(j)) * ladder.fail(j - 1) >= ladder.fail(j) * (1 - 1e-15);
    }
    CHECK(keeps);
  }
}

TEST_CASE("pass ladder: one that breaks a condition by one unit is refused") {
  const LadderTerms terms{1.0, 1.0, .25};
  const Integer growth = exp_rounded_down(1.0, 192);
  const Integer fail = kWholePass / 8;
  const Integer most = (growth * fail) >> 192U;  // as much as the condition allows
  const Integer last = kWholePass / 4;           // as much as delta is
  const std::vector<Integer> good{kWholePass - fail, kWholePass - most, last};
  CHECK_NOTHROW(PassLadder(terms, good));
  CHECK_THROWS_AS(PassLadder(terms, {good[0], good[1] - 1, good[2]}), parameter_error);
  CHECK_THROWS_AS(PassLadder(terms, {good[0], good[1], good[2] + 1}), parameter_error);
  CHECK_THROWS_AS(PassLadder(terms, {good[0], good[0] + 1, good[2]}), parameter_error);
  CHECK_THROWS_AS(PassLadder(terms, {kWholePass, good[1], good[2]}), parameter_error);
  CHECK_THROWS_AS(PassLadder(terms, {good[0], good[1], Integer(0)}), parameter_error);
  CHECK_THROWS_AS(PassLadder(terms, {}), parameter_error);
}

TEST_CASE("pass ladder: it ends just below the smallest delta there is") {
  for (const double epsilon : {20.0, 100.0}) {
    const PassLadder ladder({epsilon, epsilon, kLeastDeclaredDelta});
    CHECK(Dyadic(ladder.pass_units(ladder.last()), -128) <= Dyadic(kLeastDeclaredDelta));
    CHECK(ladder.pass(ladder.last() - 1) > kLeastDeclaredDelta);
    CHECK(ladder.pass_units(ladder.last()) > 0);
  }
  const DeclaredBudget without{2.0, 1e-5, false};
  CHECK(without.fallback_epsilon() == 0.0);
  CHECK(without.fallback_delta() == 0.0);
}

TEST_CASE("pass ladder: terms out of range are refused") {
  const double nan = std::nan("");
  for (const double epsilon : {nan, 0.0, -1.0, .009, 101.0, HUGE_VAL}) {
    CHECK_THROWS_AS(PassLadder({epsilon, 1.0, 1e-5}), parameter_error);
    CHECK_THROWS_AS(PassLadder({1.0, epsilon > 1.0 ? epsilon : .5 * epsilon, 1e-5}),
                    parameter_error);
  }
  for (const double delta : {nan, 0.0, -1e-5, 1e-30, 1.0, 2.0}) {
    CHECK_THROWS_AS(PassLadder({1.0, 1.0, delta}), parameter_error);
  }
}

TEST_CASE("pass ladder: e^x is never rounded upwards") {
  pate_test::Random random(5);
  for (int n = 0; n < 200; ++n) {
    const double x = random.uniform(0.0, n % 2 == 0 ? 1.0 : 100.0);
    const auto down = exp_rounded_down(x, 192).convert_to<long double>();
    const long double exact = std::exp(static_cast<long double>(x)) * 0x1p192L;
    CHECK(down <= exact * (1.0L + 1e-17L));
    CHECK(down >= exact * (1.0L - 1e-17L));
  }
  CHECK(exp_rounded_down(0.0, 192) == Integer(1) << 192U);
  // 2^40 e from its digits: 2.718281828459045235360287
  CHECK(exp_rounded_down(1.0, 40) <= Integer(2988782477962));
  CHECK(exp_rounded_down(1.0, 40) >= Integer(2988782477962) - 60);
}

TEST_CASE("pass ladder: the coin passes just below p, and never at it") {
  const PassLadder ladder({1.0, 1.0, 1e-5});
  for (std::size_t level = 0; level <= ladder.last(); ++level) {
    const Integer& p = ladder.pass_units(level);
    test::ScriptedBits below(words_of(p - 1));
    CHECK(ladder.toss(level, below));
    test::ScriptedBits at(words_of(p));
    CHECK_FALSE(ladder.toss(level, at));
  }
  test::ConstantBits zeros(0);
  CHECK(ladder.toss(ladder.last(), zeros));
  test::ConstantBits ones(~std::uint64_t{0});
  CHECK_FALSE(ladder.toss(0, ones));
}

TEST_CASE("pass ladder: the coin passes as often as it says") {
  const PassLadder ladder({1.0, 1.0, 1e-5});
  test::TestBits source(8);
  for (const std::size_t level : {15U, 20U, 30U, 60U}) {
    constexpr int kTimes = 40000;
    int passed = 0;
    for (int n = 0; n < kTimes; ++n) passed += ladder.toss(level, source) ? 1 : 0;
    const double p = ladder.pass(level);
    CHECK(std::abs(passed - kTimes * p) < 5.0 * std::sqrt(kTimes * p * (1.0 - p)) + 1.0);
  }
}

TEST_CASE("declared budget: what is kept for a failed test adds up to no more than all") {
  pate_test::Random random(3);
  for (int n = 0; n < 1000; ++n) {
    const DeclaredBudget budget{random.uniform(.02, 9.0),
                                std::exp(random.uniform(std::log(1e-20), -2.0)), true};
    CHECK(Dyadic(budget.test_delta()) + Dyadic(budget.fallback_delta()) <= Dyadic(budget.delta));
    CHECK(Dyadic(budget.ladder().growth) + Dyadic(budget.fallback_epsilon()) <=
          Dyadic(budget.epsilon));
    CHECK(budget.test_delta() > .89 * budget.delta);
  }
}

TEST_CASE("declared budget: orders follow from epsilon alone and cover all of it") {
  double below = 0.0;
  for (const DeclaredOrders& table : declared_order_tables()) {
    CHECK(table.from == below);
    CHECK(table.below > table.from);
    below = table.below;
    CHECK(declared_orders(table.from).data() == table.orders.data());
    CHECK(declared_orders(std::nextafter(table.below, 0.0)).data() == table.orders.data());
  }
  CHECK(std::isinf(below));
}
