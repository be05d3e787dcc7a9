#include "pate/tuning/tune.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "support/random.hpp"

using namespace pate;

namespace {

TunedPoint front_point(std::size_t index, double epsilon, double answered) {
  TunedPoint p;
  p.index = index;
  p.point.epsilon = p.grid_epsilon = epsilon;
  p.point.answered = p.point.agreeing = answered;
  p.refined = p.pareto = true;
  return p;
}

// A front of n points, dearer ones with more answers.
std::vector<TunedPoint> front(std::size_t n) {
  std::vector<TunedPoint> points;
  for (std::size_t i = 0; i < n; ++i) {
    points.push_back(front_point(i, 1.0 + static_cast<double>(i), 10.0 * static_cast<double>(i)));
  }
  return points;
}

using Positions = std::vector<std::size_t>;

}  // namespace

TEST_CASE("points to release: the front, or some of it evenly") {
  std::vector<TunedPoint> points = front(9);
  points[4].pareto = false;
  CHECK(points_to_release(points, {}, ReleaseMethod::gnss, std::nullopt) ==
        Positions{0, 1, 2, 3, 5, 6, 7, 8});
  CHECK(points_to_release(points, {}, ReleaseMethod::gnss, 8) == Positions{0, 1, 2, 3, 5, 6, 7, 8});
  CHECK(points_to_release(points, {}, ReleaseMethod::gnss, 3) == Positions{0, 3, 8});
  CHECK(points_to_release(points, {}, ReleaseMethod::gnss, 1) == Positions{0});
  const TuningGoal limited{Objective::answered, 7.5, 10.0};  // leaves 1, 2, 3, 5, 6
  CHECK(points_to_release(points, limited, ReleaseMethod::gnss, 5) == Positions{1, 2, 3, 5, 6});
  CHECK(points_to_release(points, limited, ReleaseMethod::gnss, 2) == Positions{1, 6});
  // Through a curve less may be published than the epsilon of the front.
  const TuningGoal answers{Objective::answered, 7.5, 30.0};  // leaves 3, 5, 6, 7, 8
  CHECK(points_to_release(points, answers, ReleaseMethod::curve, 2) == Positions{3, 8});
  // Nothing keeps it: the nearest miss is wanted then.
  CHECK(points_to_release(points, {Objective::answered, 0.5, {}}, ReleaseMethod::gnss, 2) ==
        Positions{0, 8});
}

TEST_CASE("the released choice is that of brute force") {
  pate_test::Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<TunedPoint> points = front(12);
    for (TunedPoint& p : points) {
      p.pareto = random.integer(0, 3) != 0;
      p.release_computed = p.pareto;
      if (!p.pareto || random.integer(0, 4) == 0) continue;
      p.released = ReleasedEpsilon{
          p.point.epsilon + 0.5 * static_cast<double>(random.integer(0, 20)), 0.1, 5.0, 0.01, 2.0};
    }
    TuningGoal goal;
    goal.objective = round % 2 == 0 ? Objective::answered : Objective::epsilon;
    if (random.integer(0, 1) == 0) goal.max_epsilon = static_cast<double>(random.integer(1, 15));
    if (random.integer(0, 1) == 0) goal.min_answered = static_cast<double>(random.integer(0, 90));
    std::optional<std::size_t> best;
    const auto better = [&](const TunedPoint& a, const TunedPoint& b) {
      const double x = a.released->mean;
      const double y = b.released->mean;
      if (goal.objective == Objective::answered) return a.point.answered > b.point.answered;
      return x < y || (x == y && a.point.answered > b.point.answered);
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
      const TunedPoint& p = points[i];
      if (!p.released || (goal.max_epsilon && p.released->mean > *goal.max_epsilon)) continue;
      if (goal.min_answered && p.point.answered < *goal.min_answered) continue;
      if (!best || better(p, points[*best])) best = i;
    }
    const TuningChoice choice = choose_released(points, goal);
    CHECK(choice.best == best);
    for (const NearestMiss& miss : choice.nearest_misses) {
      CHECK(points[miss.position].released.has_value());
    }
  }
}

TEST_CASE("without a release of any point there is no best one, and no nearest miss") {
  std::vector<TunedPoint> points = front(3);
  for (TunedPoint& p : points) p.release_computed = true;
  const TuningChoice choice = choose_released(points, {Objective::answered, 5.0, {}});
  CHECK(!choice.best);
  CHECK(choice.nearest_misses.empty());
}
