#include "pate/release/curve/costs_within_distance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/declared/certificate.hpp"
#include "pate/release/declared/declared_test.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

CostSpec spec(std::int64_t teachers, std::int64_t classes, CurveCost cost) {
  CostSpec result;
  result.aggregator.noisy_max = GaussianNoisyMax{0.08 * static_cast<double>(teachers)};
  result.aggregator.selection =
      ThresholdCheck{0.6 * static_cast<double>(teachers), 0.2 * static_cast<double>(teachers)};
  result.teachers = teachers;
  result.classes = classes;
  result.order = 6.0;
  result.cost = cost;
  return result;
}

VoteProfile some_votes(Random& random, const CostSpec& question, int queries) {
  std::vector<ProfiledQuery> result;
  for (int i = 0; i < queries; ++i) {
    Histogram histogram(static_cast<std::size_t>(question.classes), 0);
    const double agreeing = random.uniform(0.3, 1.0);
    for (std::int64_t t = 0; t < question.teachers; ++t) {
      const bool agrees = random.uniform(0.0, 1.0) < agreeing;
      ++histogram[agrees ? 0 : static_cast<std::size_t>(random.integer(0, question.classes - 1))];
    }
    std::ranges::sort(histogram, std::greater<>());
    result.push_back({histogram, histogram.front(), false});
  }
  return profile_of(question.aggregator, result, question.neighbours);
}

}  // namespace

TEST_SUITE_BEGIN("release");

TEST_CASE(
    "costs within a distance: the first ones alone are the same, and the last is of all votes") {
  Random random(81);
  for (const CostSpec& question :
       {spec(30, 5, CurveCost::tilted), spec(401, 5, CurveCost::tilted),
        spec(30, 2, CurveCost::exact), spec(60, 4, CurveCost::tradeoff)}) {
    const VoteProfile votes = some_votes(random, question, 12);
    const CostsWithinDistance costs(question, 2);
    const std::vector<CostUnits> all = costs.upper(votes, 2);
    REQUIRE(all.size() == static_cast<std::size_t>(question.teachers) + 1);
    for (const std::size_t distances :
         {std::size_t{1}, std::size_t{2}, std::size_t{17}, all.size(), all.size() + 5}) {
      const std::vector<CostUnits> some = costs.upper(votes, 1, distances);
      REQUIRE(some.size() == std::min(distances, all.size()));
      CHECK(std::equal(some.begin(), some.end() - 1, all.begin()));
      CHECK(some.back() == all.back());
    }
  }
}

TEST_CASE("costs within a distance: with as many as a budget has levels its level is the same") {
  Random random(82);
  CostSpec question = spec(150, 4, CurveCost::tradeoff);
  std::vector<CostsWithinDistance> tables;  // of all these epsilons
  for (const double order : declared_orders(1.0)) {
    question.order = order;
    tables.emplace_back(question, 2);
  }
  int inside = 0;  // levels that are neither the first nor the last
  for (int queries = 1; queries <= 60; queries += 2) {
    const VoteProfile votes = some_votes(random, question, queries);
    const auto costs_within = [&](std::size_t distances) {
      CostsByOrder result;
      for (const auto& table : tables) result.push_back(table.upper(votes, 1, distances));
      return result;
    };
    const CostsByOrder all = costs_within(CostsWithinDistance::kAllDistances);
    for (const DeclaredBudget& budget :
         {DeclaredBudget{1.2, 1e-3, true}, DeclaredBudget{1.4, 1e-3, false},
          DeclaredBudget{1.9, 1e-5, false}}) {
      const DeclaredTest test(budget);
      const std::size_t level = test.level(all);
      // Those of a smaller epsilon are enough too.
      const std::size_t enough = enough_distances({1.1, budget.delta, budget.has_fallback});
      CHECK(enough >= enough_distances(budget));
      CHECK(enough < 150);
      CHECK(test.level(costs_within(enough_distances(budget))) == level);
      CHECK(test.level(costs_within(enough)) == level);
      // With too few a run may only be farther down.
      for (const std::size_t few : {1U, 2U, 5U, 20U}) CHECK(test.level(costs_within(few)) >= level);
      if (level > 0 && level < test.ladder().last()) ++inside;
    }
  }
  CHECK(inside > 4);
}

TEST_CASE("costs within a distance: moves that are left out cost no more than those that are not") {
  using With = MoveExcesses::With;
  constexpr std::int64_t kTeachers = 900;
  int fewer = 0;
  for (const std::int64_t classes : {3, 4, 12, 150}) {
    for (const double order : {1.5, 8.0}) {
      const TiltedCost cost({40.0}, ThresholdCheck{500, 150}, kTeachers, classes, order);
      for (std::int64_t v = 60; v <= kTeachers; v += 120) {
        for (std::int64_t x2 = 30; x2 <= std::min(v, kTeachers - v); x2 += 75) {
          const std::int64_t votes = kTeachers - v - x2;
          if (votes > (classes - 2) * x2) continue;
          const std::int64_t y = std::min(x2, votes);
          MoveExcesses all(cost, v, RemainingVotes(v, x2, votes), 0);
          all.consider({{x2}, classes - 2}, 0, With::top_and_named);
          all.consider({{x2, y}, classes - 3}, 1, With::top_and_named);
          if (classes >= 4 && y > 0) all.consider({{x2, y, y}, classes - 4}, 1, With::alike);
          const MoveExcesses some = two_key_moves(cost, v, x2, votes, true);
          fewer += some.size() < all.size() ? 1 : 0;
          const double most = all.largest_joint();
          CHECK(some.largest_joint() >= most - 1e-12 * most - 1e-15);
          CHECK(some.largest_joint() <= most);
        }
      }
    }
  }
  CHECK(fewer > 20);
}

TEST_SUITE_END();
