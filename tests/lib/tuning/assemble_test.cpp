#include "pate/tuning/assemble.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pate/base/error.hpp"
#include "support/random.hpp"

using namespace pate;

namespace {

struct Problem {
  std::vector<TunedPoint> points;
  std::vector<double> exact;  // refined epsilon by index
};

// Points whose refined epsilon is up to kGridAccuracy below that of the grid; many ties.
Problem random_problem(pate_test::Random& random, std::size_t size, bool ties) {
  Problem problem;
  for (std::size_t i = 0; i < size; ++i) {
    TunedPoint p;
    p.index = i;
    p.point.epsilon = ties ? static_cast<double>(random.integer(1, 12)) : random.uniform(1, 3);
    p.point.order = 10.0;
    p.point.answered = ties ? static_cast<double>(random.integer(0, 9)) : random.uniform(0, 100);
    p.point.right = p.point.answered * random.uniform(0.5, 1.0);
    p.point.agreeing = p.point.answered * random.uniform(0.2, 1.0);
    if (random.integer(0, 3) == 0) p.point.any_votes = random.uniform(0.0, 2.0 * kMostForAnyVotes);
    p.grid_epsilon = p.point.epsilon;
    p.grid_order = p.point.order;
    problem.points.push_back(p);
    problem.exact.push_back(p.point.epsilon * random.uniform(1.0 - 0.99 * kGridAccuracy, 1.0));
  }
  return problem;
}

RefinePoints refiner(const Problem& problem, const std::vector<TunedPoint>& points) {
  return [&](std::span<const std::size_t> positions) {
    std::vector<std::optional<AccountEpsilon>> result;
    for (const std::size_t i : positions) {
      result.push_back(AccountEpsilon{problem.exact[points[i].index], 11.0});
    }
    return result;
  };
}

// What the goal sets against epsilon, told apart by hand.
double value(const TunedPoint& p, const TuningGoal& goal) {
  switch (goal.objective) {
    case Objective::correct:
      return p.point.right;
    case Objective::answered:
      return p.point.answered;
    case Objective::agreeing:
      return p.point.agreeing;
    case Objective::epsilon:
      break;
  }
  const bool asks = goal.min_right || goal.min_agreement || goal.min_accuracy;
  if (goal.min_answered && !asks) return p.point.answered;
  return goal.labelled ? p.point.right : p.point.agreeing;
}

bool dominates(const TunedPoint& a, const TunedPoint& b, const TuningGoal& goal) {
  return a.point.epsilon <= b.point.epsilon && value(a, goal) >= value(b, goal) &&
         (a.point.epsilon < b.point.epsilon || value(a, goal) > value(b, goal));
}

bool keeps_answers(const TuningPoint& p, const TuningGoal& goal) {
  const double right = goal.labelled ? p.right : p.agreeing;
  return !(goal.min_answered && p.answered < *goal.min_answered) &&
         !(goal.min_right && right < *goal.min_right) &&
         !(goal.min_agreement && !(p.agreeing / p.answered >= *goal.min_agreement)) &&
         !(goal.min_accuracy && !(p.right / p.answered >= *goal.min_accuracy));
}

// On the front: noise worth the name, an answer, and the shares that are asked for.
bool may_be_listed(const TuningPoint& p, TuningGoal goal) {
  goal.min_answered.reset();
  goal.min_right.reset();
  return !(p.any_votes > kMostForAnyVotes) && p.answered >= 1.0 && keeps_answers(p, goal);
}

}  // namespace

TEST_CASE("assemble: front and best are what reading the points one by one gives") {
  pate_test::Random random(5);
  for (int round = 0; round < 300; ++round) {
    Problem problem =
        random_problem(random, 1 + static_cast<std::size_t>(round % 60), round % 2 == 0);
    TuningGoal goal;
    goal.objective = static_cast<Objective>(round % 4);
    goal.labelled = goal.objective == Objective::correct || random.integer(0, 1) == 1;
    if (round % 5 != 0) goal.max_epsilon = random.uniform(1, 3);
    if (random.integer(0, 6) == 0) goal.min_answered = random.uniform(0, 60);
    if (random.integer(0, 6) == 0) goal.min_right = random.uniform(0, 40);
    if (random.integer(0, 6) == 0) goal.min_agreement = random.uniform(0, 1);
    if (goal.labelled && random.integer(0, 6) == 0) goal.min_accuracy = random.uniform(0.4, 1);
    auto& points = problem.points;
    const TuningChoice choice = assemble(points, goal, refiner(problem, points));
    for (const TunedPoint& p : points) {
      const bool dominated = std::any_of(points.begin(), points.end(), [&](const TunedPoint& q) {
        return may_be_listed(q.point, goal) && dominates(q, p, goal);
      });
      CHECK(p.pareto == (may_be_listed(p.point, goal) && !dominated));
      if (p.pareto) CHECK(p.refined);
      CHECK(p.point.epsilon == (p.refined ? problem.exact[p.index] : p.grid_epsilon));
    }
    // No point keeps the limits, by its true epsilon, and is better.
    double best =
        goal.objective == Objective::epsilon ? std::numeric_limits<double>::infinity() : -1.0;
    for (const TunedPoint& p : points) {
      const double epsilon =
          goal.objective == Objective::epsilon ? p.point.epsilon : problem.exact[p.index];
      if (goal.max_epsilon && epsilon > *goal.max_epsilon) continue;
      if (p.point.any_votes > kMostForAnyVotes || !keeps_answers(p.point, goal)) continue;
      best = goal.objective == Objective::epsilon ? std::min(best, epsilon)
                                                  : std::max(best, value(p, goal));
    }
    CHECK(choice.best.has_value() == (std::isfinite(best) && best >= 0.0));
    if (!choice.best) continue;
    const TunedPoint& found = points[*choice.best];
    CHECK(found.refined);
    CHECK((goal.objective == Objective::epsilon ? found.point.epsilon : value(found, goal)) ==
          best);
    CHECK(choice.nearest_misses.empty());
  }
}

TEST_CASE("assemble: a point that straddles the limit is refined before it is judged") {
  Problem problem;
  for (const double epsilon : {1.9, 2.004, 2.006, 2.5}) {
    TunedPoint p;
    p.index = problem.points.size();
    p.point = {epsilon, 10.0, 10.0 * epsilon, 0.0, 100};
    p.grid_epsilon = epsilon;
    problem.points.push_back(p);
    problem.exact.push_back(epsilon * 0.9975);
  }
  const TuningGoal goal{Objective::answered, 2.0, {}};
  const TuningChoice choice = assemble(problem.points, goal, refiner(problem, problem.points));
  CHECK(choice.best == 1);
  CHECK(problem.points[1].point.epsilon == 2.004 * 0.9975);
}

TEST_CASE("assemble: without a point that keeps the limits the nearest ones are named") {
  pate_test::Random random(6);
  Problem problem = random_problem(random, 40, false);
  const TuningGoal goal{Objective::answered, 0.5, 1000.0};
  TuningChoice choice = assemble(problem.points, goal, refiner(problem, problem.points));
  CHECK(!choice.best);
  CHECK(choice.nearest_misses.empty());  // nothing keeps the other limit either
  const TuningGoal cheap{Objective::answered, 0.5, {}};
  choice = assemble(problem.points, cheap, refiner(problem, problem.points));
  REQUIRE(choice.nearest_misses.size() == 1);
  CHECK(choice.nearest_misses[0].limit == Limit::max_epsilon);
  for (const TunedPoint& p : problem.points) {
    CHECK(p.point.epsilon >= problem.points[choice.nearest_misses[0].position].point.epsilon);
  }
}

TEST_CASE("assemble: parts that were assembled apart give what the whole gives") {
  pate_test::Random random(7);
  for (int round = 0; round < 60; ++round) {
    const Problem problem = random_problem(random, 90, round % 2 == 0);
    TuningGoal goal;
    goal.objective = static_cast<Objective>(round % 3);
    if (round % 4 != 0) goal.max_epsilon = random.uniform(1, 3);
    std::vector<TunedPoint> whole = problem.points;
    const TuningChoice all = assemble(whole, goal, refiner(problem, whole));
    const auto whole_kept = kept_points(whole, goal, all, 7);

    std::vector<TunedPoint> joined;
    for (std::size_t part = 0; part < 3; ++part) {
      std::vector<TunedPoint> points(
          problem.points.begin() + static_cast<std::ptrdiff_t>(30 * part),
          problem.points.begin() + static_cast<std::ptrdiff_t>(30 * part + 30));
      const TuningChoice choice = assemble(points, goal, refiner(problem, points));
      for (const std::size_t i : kept_points(points, goal, choice, 7)) joined.push_back(points[i]);
    }
    std::vector<TunedPoint> grid = joined;
    for (TunedPoint& p : grid) {
      p.point.epsilon = p.grid_epsilon;
      p.point.order = p.grid_order;
      p.refined = p.pareto = false;
    }
    const RefinePoints look_up = [&](std::span<const std::size_t> positions) {
      std::vector<std::optional<AccountEpsilon>> result;
      for (const std::size_t i : positions) {
        result.push_back(joined[i].refined
                             ? std::optional(AccountEpsilon{joined[i].point.epsilon, 11.0})
                             : std::nullopt);
      }
      return result;
    };
    const TuningChoice choice = assemble(grid, goal, look_up);
    const auto kept = kept_points(grid, goal, choice, 7);
    REQUIRE(kept.size() == whole_kept.size());
    for (std::size_t k = 0; k < kept.size(); ++k) {
      CHECK(grid[kept[k]].index == whole[whole_kept[k]].index);
      CHECK(grid[kept[k]].point.epsilon == whole[whole_kept[k]].point.epsilon);
      CHECK(grid[kept[k]].pareto == whole[whole_kept[k]].pareto);
    }
    REQUIRE(choice.best.has_value() == all.best.has_value());
    if (all.best) CHECK(grid[*choice.best].index == whole[*all.best].index);
  }
}

TEST_CASE("assemble: a refined value that is needed and missing is an error") {
  pate_test::Random random(8);
  Problem problem = random_problem(random, 10, false);
  const RefinePoints none = [](std::span<const std::size_t> positions) {
    return std::vector<std::optional<AccountEpsilon>>(positions.size());
  };
  CHECK_THROWS_WITH_AS((void)assemble(problem.points, {}, none),
                       "the refined epsilon of grid point 0 is missing", parameter_error);
}
