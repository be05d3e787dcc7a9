#include "pate/tuning/rounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/tuning/evaluate_grid.hpp"
#include "support/labeling.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"

using namespace pate;

namespace {

constexpr double kDelta = 1e-4;
constexpr std::int64_t kQueries = 8;
const std::vector<double> kOrders{1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 40.0};

TuningGrid some_grid(pate_test::Random& random) {
  TuningGrid grid;
  for (int k = 1; k <= 2; ++k) {
    grid.noise.push_back(2.0 * k * random.uniform(1.0, 1.9));
    grid.sigma1.push_back(3.0 * k * random.uniform(1.0, 1.9));
    grid.threshold.push_back(6.0 * k * random.uniform(0.6, 1.1));
  }
  return grid;
}

EpsilonKind some_kind() {
  return {{Bound::tradeoff, GuaranteeKind::joint}, Conversion::improved, kDelta, kOrders};
}

// What a point of a round costs and gives alone: the cost by an account of it.
struct PointAlone {
  std::vector<double> rdp;  // by order
  TuningPoint gives;
};

std::vector<PointAlone> points_of(const Round& round) {
  AccountSettings settings;
  settings.delta = kDelta;
  settings.orders = kOrders;
  settings.threads = 1;
  std::vector<TuningPoint> points(round.grid.size());
  const Watcher nobody;
  evaluate_grid({round.votes, round.grid, {some_kind(), {}, false, 1}, nobody}, 0, points);
  std::vector<PointAlone> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Account its =
        account(run_of(round.votes, round.grid.aggregator(i), {}, kQueries), settings);
    CHECK(points[i].answered == doctest::Approx(its.answered_expected).epsilon(1e-10));
    result.push_back({its.tradeoff->joint, points[i]});
  }
  return result;
}

double epsilon_of(const std::vector<double>& a, const std::vector<double>& b) {
  double least = kInfinity;
  for (std::size_t k = 0; k < kOrders.size(); ++k) {
    least =
        std::min(least, epsilon_from_rdp(Conversion::improved, a[k] + b[k], kOrders[k], kDelta));
  }
  return std::max(least, 0.0);
}

// What both give together.
TuningPoint together(const TuningPoint& a, const TuningPoint& b) {
  TuningPoint result = a;
  result.answered += b.answered;
  result.right += b.right;
  result.agreeing += b.agreeing;
  return result;
}

std::string refusal(const std::array<Round, 2>& rounds, const EpsilonKind& kind,
                    const TuningGoal& goal) {
  try {
    (void)tune_rounds(rounds, kind, goal, 1, {});
  } catch (const parameter_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("two rounds: the front and the best of all pairs, each by its two accounts") {
    pate_test::Random random(71);
    int found = 0;
    for (int round = 0; round < 24; ++round) {
      const auto first = pate::test::some_votes(random, kQueries);
      const auto second = pate::test::some_votes(random, kQueries);
      std::vector<double> shares;
      for (std::int64_t i = 0; i < kQueries; ++i) {
        const double sure = random.uniform(0.34, 0.7);
        shares.insert(shares.end(), {sure, 0.5 * (1.0 - sure), 0.5 * (1.0 - sure)});
      }
      const auto student = pate::test::scores_of(kQueries, 3, shares);
      std::array<Round, 2> rounds{
          Round{{first, RowSelection::all(kQueries), nullptr, {}}, some_grid(random)},
          Round{{second, RowSelection::all(kQueries), nullptr, {}}, some_grid(random)}};
      if (random.integer(0, 1) == 0) {
        rounds[1].votes.student = student.get();
        rounds[1].grid.interactive = true;
      }
      TuningGoal goal;
      goal.labelled = random.integer(0, 1) == 0;
      if (goal.labelled) {
        for (Round& its : rounds) its.votes.labels.emplace(kQueries, 0);
      }
      const std::array objectives{Objective::answered, Objective::agreeing, Objective::epsilon,
                                  goal.labelled ? Objective::correct : Objective::agreeing};
      goal.objective = objectives[static_cast<std::size_t>(random.integer(0, 3))];
      if (goal.objective == Objective::epsilon) goal.min_right = random.uniform(1.0, 12.0);
      if (goal.objective != Objective::epsilon || random.integer(0, 1) == 0) {
        goal.max_epsilon = random.log_uniform(0.5, 8.0);
      }
      const RoundsTuning tuned = tune_rounds(rounds, some_kind(), goal, 1, {});
      const std::array alone{points_of(rounds[0]), points_of(rounds[1])};
      const auto pair = [&](const std::array<std::size_t, 2>& index) {
        return std::array{&alone[0][index[0]], &alone[1][index[1]]};
      };
      const auto value = [&](const RoundsPoint& p) {
        const auto its = pair(p.index);
        return goal.value(together(its[0]->gives, its[1]->gives));
      };
      CAPTURE(round);
      // What a pair gives adds up; its epsilon is that of both accounts' sums.
      const auto check = [&](const RoundsPoint& p, double accuracy) {
        const auto its = pair(p.index);
        const TuningPoint gives = together(its[0]->gives, its[1]->gives);
        const double expected = epsilon_of(its[0]->rdp, its[1]->rdp);
        CHECK(p.epsilon >= expected * (1.0 - 1e-9));
        CHECK(p.epsilon <= expected * (1.0 + accuracy) + 1e-12);
        CHECK(p.answered == doctest::Approx(gives.answered).epsilon(1e-10));
        CHECK(p.right == doctest::Approx(gives.right).epsilon(1e-10));
        CHECK(p.agreeing == doctest::Approx(gives.agreeing).epsilon(1e-10));
        CHECK(std::ranges::find(kOrders, p.order) != kOrders.end());
      };
      for (const RoundsPoint& p : tuned.front) check(p, kGridAccuracy);
      for (std::size_t k = 1; k < tuned.front.size(); ++k) {
        CHECK(tuned.front[k].epsilon > tuned.front[k - 1].epsilon);
        CHECK(value(tuned.front[k]) > value(tuned.front[k - 1]) * (1.0 - 1e-10));
      }
      if (tuned.best) {
        ++found;
        check(*tuned.best, 1e-9);
        const auto its = pair(tuned.best->index);
        CHECK(goal.keeps_epsilon(tuned.best->epsilon));
        CHECK(goal.keeps_answers(together(its[0]->gives, its[1]->gives)));
        const std::vector<double> nothing(kOrders.size(), 0.0);
        for (std::size_t r = 0; r < 2; ++r) {
          CHECK(tuned.alone[r].epsilon ==
                doctest::Approx(epsilon_of(its[r]->rdp, nothing)).epsilon(1e-9));
          CHECK(tuned.alone[r].answered == doctest::Approx(its[r]->gives.answered).epsilon(1e-10));
          CHECK(tuned.alone[r].right == doctest::Approx(its[r]->gives.right).epsilon(1e-10));
          CHECK(tuned.alone[r].agreeing == doctest::Approx(its[r]->gives.agreeing).epsilon(1e-10));
        }
      }
      for (std::size_t a = 0; a < alone[0].size(); ++a) {
        for (std::size_t b = 0; b < alone[1].size(); ++b) {
          const TuningPoint gives = together(alone[0][a].gives, alone[1][b].gives);
          const double least = goal.value(gives) * (1.0 - 1e-10);
          const double dear = epsilon_of(alone[0][a].rdp, alone[1][b].rdp) * (1.0 + kGridAccuracy);
          // Something on the front is as cheap and gives as much; what is best is no worse.
          CHECK(std::ranges::any_of(tuned.front, [&](const RoundsPoint& p) {
            return p.epsilon <= dear && value(p) >= least;
          }));
          if (!goal.keeps_epsilon(dear) || !goal.keeps_answers(gives)) continue;
          REQUIRE(tuned.best);
          if (goal.objective == Objective::epsilon) {
            CHECK(tuned.best->epsilon <= dear);
          } else {
            CHECK(value(*tuned.best) >= least);
          }
        }
      }
    }
    CHECK(found >= 8);
  }

  TEST_CASE("two rounds: a budget of just what the best pair costs is kept, no smaller one is") {
    pate_test::Random random(73);
    for (int round = 0; round < 8; ++round) {
      const auto votes = pate::test::some_votes(random, kQueries);
      const TuningVotes all{votes, RowSelection::all(kQueries), nullptr, {}};
      const std::array<Round, 2> rounds{Round{all, some_grid(random)},
                                        Round{all, some_grid(random)}};
      TuningGoal goal;
      goal.objective = round % 2 == 0 ? Objective::agreeing : Objective::epsilon;
      if (goal.objective == Objective::epsilon) goal.min_answered = random.uniform(4.0, 10.0);
      const RoundsTuning free = tune_rounds(rounds, some_kind(), goal, 1, {});
      CAPTURE(round);
      REQUIRE(free.best);
      goal.max_epsilon = free.best->epsilon;
      const RoundsTuning just = tune_rounds(rounds, some_kind(), goal, 1, {});
      REQUIRE(just.best);
      CHECK(just.best->index == free.best->index);
      CHECK(just.best->epsilon == free.best->epsilon);
      goal.max_epsilon = free.best->epsilon * (1.0 - 1e-8);
      const RoundsTuning less = tune_rounds(rounds, some_kind(), goal, 1, {});
      if (goal.objective == Objective::epsilon) {
        CHECK(!less.best);
      } else {
        CHECK((!less.best || less.best->agreeing < free.best->agreeing));
      }
    }
  }

  TEST_CASE("two rounds: of long fronts some points, both ends among them") {
    pate_test::Random random(74);
    const auto votes = pate::test::some_votes(random, kQueries);
    const TuningVotes all{votes, RowSelection::all(kQueries), nullptr, {}};
    TuningGrid grid{{60.0}, {10.0}, {}};
    for (int t = 0; t < 700; ++t) grid.threshold.push_back(22.0 + 0.04 * t);
    EpsilonKind kind = some_kind();
    kind.orders = {8.0};
    TuningGoal goal;
    goal.objective = Objective::answered;
    const std::array<Round, 2> rounds{Round{all, grid}, Round{all, grid}};
    const RoundsTuning tuned = tune_rounds(rounds, kind, goal, 1, {});
    REQUIRE(tuned.front.size() > 700);
    CHECK(tuned.front.front().index == std::array<std::size_t, 2>{699, 699});
    CHECK(tuned.front.back().index == std::array<std::size_t, 2>{0, 0});
    REQUIRE(tuned.best);
    CHECK(tuned.best->index == std::array<std::size_t, 2>{0, 0});
  }

  TEST_CASE("what two rounds are not tuned for") {
    pate_test::Random random(72);
    const auto votes = pate::test::some_votes(random, kQueries);
    const TuningVotes all{votes, RowSelection::all(kQueries), nullptr, {}};
    std::array<Round, 2> rounds{Round{all, some_grid(random)}, Round{all, some_grid(random)}};
    EpsilonKind kind = some_kind();
    TuningGoal goal;
    goal.labelled = true;
    CHECK(refusal(rounds, kind, goal) == "the true labels that the goal speaks of are missing");
    goal.labelled = false;
    goal.max_epsilon = -1.0;
    CHECK(refusal(rounds, kind, goal) == "max_epsilon must be >= 0, got -1");
    goal.max_epsilon.reset();
    kind.delta = 1.0;
    CHECK(refusal(rounds, kind, goal) == "delta must be > 0 and < 1, got 1");
    kind.delta = kDelta;
    kind.cost = {Bound::published, GuaranteeKind::joint};
    CHECK(refusal(rounds, kind, goal) == "the bound published has no reading joint before a run");
    kind = some_kind();
    rounds[1].grid.sigma1.assign(100, 3.0);
    rounds[1].grid.threshold.assign(101, 3.0);
    CHECK(refusal(rounds, kind, goal) == "a round may have at most 20000 points, got 20200");
    rounds[1].grid.threshold.clear();
    CHECK(refusal(rounds, kind, goal) == "a round needs a threshold and sigma1");
  }
}
