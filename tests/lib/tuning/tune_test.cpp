#include "pate/tuning/tune.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"

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

namespace {

// A grid with a threshold, or every now and then without one.
TuningGrid some_grid(pate_test::Random& random) {
  TuningGrid grid{{3.0, 8.0}, {}, {}};
  if (random.integer(0, 4) == 0) return grid;
  grid.sigma1 = {4.0};
  for (int t = 0; t < 40; ++t) grid.threshold.push_back(0.5 * t);
  return grid;
}

TuneSettings some_settings(pate_test::Random& random) {
  TuneSettings settings = test::agreeing_settings();
  if (random.integer(0, 1) == 0) {
    settings.goal.max_epsilon = random.log_uniform(0.2, 30.0);
  } else {
    settings.goal.objective = Objective::epsilon;
    settings.goal.min_right = random.uniform(1.0, 12.0);
  }
  if (random.integer(0, 1) == 0) {
    settings.top = static_cast<std::size_t>(random.integer(0, 5));
  }
  return settings;
}

void check_same(const Tuning& a, const Tuning& b) {
  REQUIRE(a.points.size() == b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    CHECK(a.points[i].index == b.points[i].index);
    CHECK(a.points[i].point.epsilon == b.points[i].point.epsilon);
    CHECK(a.points[i].grid_epsilon == b.points[i].grid_epsilon);
    CHECK(a.points[i].point.agreeing == b.points[i].point.agreeing);
    CHECK(a.points[i].refined == b.points[i].refined);
    CHECK(a.points[i].pareto == b.points[i].pareto);
    CHECK(a.points[i].point.any_votes == b.points[i].point.any_votes);
    CHECK(a.points[i].published == b.points[i].published);
  }
  CHECK(a.choice.best == b.choice.best);
  REQUIRE(a.choice.nearest_misses.size() == b.choice.nearest_misses.size());
  for (std::size_t i = 0; i < a.choice.nearest_misses.size(); ++i) {
    CHECK(a.choice.nearest_misses[i].position == b.choice.nearest_misses[i].position);
    CHECK(a.choice.nearest_misses[i].limit == b.choice.nearest_misses[i].limit);
  }
}

}  // namespace

TEST_CASE("shards of a grid join to the tuning of the whole, to the bit") {
  pate_test::Random random(8);
  for (int round = 0; round < 8; ++round) {
    const auto votes = test::some_votes(random, 8);
    const TuningVotes tuned{votes, RowSelection::all(8), nullptr, {}};
    const TuningGrid grid = some_grid(random);
    TuneSettings settings = some_settings(random);
    const Tuning whole = tune(tuned, grid, settings, {}, {});
    std::vector<Tuning> shards;
    const std::int64_t of = random.integer(1, 6);
    for (std::int64_t k = 1; k <= of; ++k) {
      settings.shard = {k, of};
      shards.push_back(tune(tuned, grid, settings, {}, {}));
    }
    CAPTURE(round);
    const Tuning joined = join_shards(shards, settings);
    check_same(joined, whole);
    CHECK(joined.evaluated == whole.evaluated);
    CHECK(joined.last == whole.last);
    CHECK(joined.complete);
  }
}

TEST_CASE("shards that do not make up their grid are not joined") {
  pate_test::Random random(9);
  const auto votes = test::some_votes(random, 5);
  const TuningVotes tuned{votes, RowSelection::all(5), nullptr, {}};
  TuningGrid grid{{2.0, 4.0, 8.0}, {3.0}, {8.0}};
  TuneSettings settings = test::agreeing_settings();
  std::vector<Tuning> shards;
  for (std::int64_t k = 1; k <= 3; ++k) {
    settings.shard = {k, 3};
    shards.push_back(tune(tuned, grid, settings, {}, {}));
  }
  const auto refused = [&](const std::vector<Tuning>& some, const char* words) {
    CHECK_THROWS_WITH_AS((void)join_shards(some, settings), words, parameter_error);
  };
  refused({}, "joining needs at least one shard, got none");
  refused({shards[0], shards[1]}, "the shards have 2 of the 3 points of the grid");
  refused({shards[0], shards[2]},
          "points 2 to 3 of the grid: expected a complete shard that begins with point 1");
  refused({shards[0], shards[0], shards[1], shards[2]},
          "points 0 to 1 of the grid: expected a complete shard that begins with point 1");
  shards[1].complete = false;
  refused(shards, "points 1 to 2 of the grid: expected a complete shard that begins with point 1");
  const char* const continuum =
      "a search on the continuum needs the votes: run it on the whole grid";
  settings.continuum = true;
  refused(shards, continuum);
  settings.continuum = false;
  settings.search = true;
  refused(shards, continuum);
}

TEST_CASE("a tuning that was stopped anywhere goes on to what it would have been") {
  pate_test::Random random(10);
  int stopped = 0;
  for (int round = 0; round < 16; ++round) {
    const auto votes = test::some_votes(random, 6);
    const TuningVotes tuned{votes, RowSelection::all(6), nullptr, {}};
    const TuningGrid grid = some_grid(random);
    const TuneSettings settings = some_settings(random);
    // Asked so often it says so.
    std::int64_t left = random.integer(0, 30);
    const Watcher watcher{{}, [&] { return --left < 0; }};
    const Tuning part = tune(tuned, grid, settings, {}, watcher);
    CAPTURE(round);
    CHECK(part.complete == (left >= 0));
    if (part.complete) continue;
    ++stopped;
    CHECK(part.evaluated == part.points.size());
    CHECK(!part.continuum);
    for (const TunedPoint& p : part.points) CHECK(p.point.evaluated());
    check_same(tune(tuned, grid, settings, part.points, {}), tune(tuned, grid, settings, {}, {}));
  }
  CHECK(stopped >= 8);
}

TEST_CASE("what is not tuned, and why") {
  pate_test::Random random(11);
  const auto votes = test::some_votes(random, 3);
  const TuningVotes tuned{votes, RowSelection::all(3), nullptr, {}};
  const TuningGrid grid{{4.0}, {3.0}, {8.0}};
  const auto refused = [&](const std::string& words, const auto& change) {
    TuneSettings settings = test::agreeing_settings();
    change(settings);
    CHECK_THROWS_WITH_AS((void)tune(tuned, grid, settings, {}, {}), words.c_str(), parameter_error);
  };
  const auto of_kind = [&](const std::string& words, Bound bound, GuaranteeKind reading) {
    refused(words, [&](TuneSettings& settings) { settings.grid.kind.cost = {bound, reading}; });
  };
  of_kind("tuning is by a bound that depends on the votes", Bound::data_independent,
          GuaranteeKind::expected);
  of_kind("the bound published has no reading joint before a run", Bound::published,
          GuaranteeKind::joint);
  for (const Bound bound : {Bound::published, Bound::tradeoff}) {
    of_kind("the bound " + std::string(name(bound)) + " has no reading realized before a run",
            bound, GuaranteeKind::realized);
  }
  of_kind("only the published and the trade-off bound depend on queries through q", Bound::exact,
          GuaranteeKind::expected);
  refused("the true labels that the goal speaks of are missing",
          [](TuneSettings& settings) { settings.goal.labelled = true; });
  refused("min_answered must be >= 0, got -1",
          [](TuneSettings& settings) { settings.goal.min_answered = -1.0; });
  for (const double most : {0.0, -2.0, std::nan("")}) {
    refused(fmt::format("max_answers must be > 0, got {}", most),
            [&](TuneSettings& settings) { settings.grid.max_answers = most; });
  }
  refused("delta must be > 0 and < 1, got 0",
          [](TuneSettings& settings) { settings.grid.kind.delta = 0.0; });
}

TEST_CASE("PTR is tuned by its joint cost on a whole grid, and compared with no published one") {
  pate_test::Random random(13);
  const auto votes = test::some_votes(random, 4);
  const TuningVotes tuned{votes, RowSelection::all(4), nullptr, {}};
  TuningGrid grid{{1e-8, 1e-7}, {2.0, 4.0}, {}};
  grid.ptr = TestNoise::gaussian;
  const Tuning tuning = tune(tuned, grid, test::agreeing_settings(), {}, {});
  REQUIRE(tuning.points.size() == 4);
  for (const TunedPoint& p : tuning.points) {
    CHECK(std::isinf(p.published));
    CHECK(p.point.epsilon <= p.point.any_votes * (1.0 + 1e-9));
  }
  for (int setting = 0; setting < 6; ++setting) {
    TuneSettings settings = test::agreeing_settings();
    if (setting == 0) settings.grid.kind.cost.bound = Bound::published;
    if (setting == 1) settings.grid.kind.cost.reading = GuaranteeKind::expected;
    if (setting == 2) settings.grid.max_answers = 2.0;
    settings.continuum = setting == 3;
    settings.search = setting == 4;
    settings.release = setting == 5;
    CHECK_THROWS_WITH_AS((void)tune(tuned, grid, settings, {}, {}),
                         "PTR is tuned by its joint cost under the tradeoff bound, on all queries "
                         "and on the grid",
                         parameter_error);
  }
}

TEST_CASE("no queries cost nothing, with a threshold and without") {
  pate_test::Random random(14);
  const auto votes = test::some_votes(random, 4);
  const TuningVotes none{votes, RowSelection::range(2, 2), nullptr,
                         std::vector<std::int32_t>(4, 0)};
  TuneSettings settings = test::agreeing_settings();
  settings.goal.labelled = true;
  for (const TuningGrid& grid :
       {TuningGrid{{2.0, 4.0}, {3.0}, {5.0, 9.0}}, TuningGrid{{2.0, 4.0}, {}, {}}}) {
    const Tuning tuning = tune(none, grid, settings, {}, {});
    REQUIRE(tuning.points.size() == grid.size());
    for (const TunedPoint& p : tuning.points) {
      CHECK(p.point.epsilon == 0.0);
      CHECK(p.grid_epsilon == 0.0);
      CHECK(p.point.answered == 0.0);
      CHECK(p.point.right == 0.0);
      CHECK(p.point.agreeing == 0.0);
    }
  }
}

TEST_CASE("for what points are not ranked by a release") {
  pate_test::Random random(12);
  const auto votes = test::some_votes(random, 3);
  const TuningVotes tuned{votes, RowSelection::all(3), nullptr, {}};
  const auto refused = [&](const char* words, Neighbours neighbours, const auto& change) {
    TuneSettings settings = test::agreeing_settings();
    settings.release = true;
    change(settings);
    Tuning tuning;
    tuning.grid = {{4.0}, {3.0}, {8.0}};
    tuning.grid.neighbours = neighbours;
    CHECK_THROWS_WITH_AS(rank_by_release(tuned, settings, tuning, {}), doctest::Contains(words),
                         parameter_error);
  };
  const auto as_it_is = [](TuneSettings&) {};
  refused("is known for teachers that vote otherwise", {Adjacency::add_remove, 1}, as_it_is);
  refused("is known for one teacher that votes otherwise", {Adjacency::replace, 2},
          [](TuneSettings& settings) { settings.method = ReleaseMethod::gnss; });
  for (const CostKind kind : {CostKind{Bound::published, GuaranteeKind::expected},
                              CostKind{Bound::tradeoff, GuaranteeKind::expected}}) {
    refused("a release is of the joint cost under the tradeoff bound", {},
            [&](TuneSettings& settings) { settings.grid.kind.cost = kind; });
  }
  refused("ranking by the released epsilon needs top >= 1, got 0", {},
          [](TuneSettings& settings) { settings.top = 0; });
}
