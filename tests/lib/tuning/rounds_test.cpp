#include "pate/tuning/rounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/labeling.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

constexpr double kDelta = 1e-4;
constexpr std::int32_t kTeachers = 20;
constexpr std::int64_t kQueries = 8;
const std::vector<double> kOrders{1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 40.0};

pate_test::HistogramVotes some_votes(pate_test::Random& random) {
  std::vector<pate_test::Histogram> all;
  for (std::int64_t i = 0; i < kQueries; ++i) {
    const auto top = static_cast<std::int32_t>(random.integer(7, kTeachers));
    const auto second = static_cast<std::int32_t>(random.integer(0, kTeachers - top));
    all.push_back({top, second, kTeachers - top - second});
  }
  return pate_test::HistogramVotes(std::move(all));
}

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

// What a point of a round costs and gives, by an account of it alone.
struct PointCost {
  std::vector<double> rdp;  // by order
  double answered;
};

std::vector<PointCost> costs_of(const Round& round) {
  AccountSettings settings;
  settings.delta = kDelta;
  settings.orders = kOrders;
  settings.threads = 1;
  std::vector<PointCost> result;
  for (std::size_t i = 0; i < round.grid.size(); ++i) {
    const Account its = account(run_of(round.votes, round.grid.aggregator(i), kQueries), settings);
    result.push_back({its.tradeoff->joint, its.answered_expected});
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

double value_of(const TuningGoal& goal, const RoundsPoint& p) {
  if (goal.objective == Objective::answered) return p.answered;
  return goal.labelled ? p.right : p.agreeing;
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
      const auto first = some_votes(random);
      const auto second = some_votes(random);
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
      const std::array costs{costs_of(rounds[0]), costs_of(rounds[1])};
      CAPTURE(round);
      // What a pair gives adds up; its epsilon is that of both accounts' sums.
      const auto check = [&](const RoundsPoint& p, double accuracy) {
        const PointCost& a = costs[0][p.index[0]];
        const PointCost& b = costs[1][p.index[1]];
        const double expected = epsilon_of(a.rdp, b.rdp);
        CHECK(p.epsilon >= expected * (1.0 - 1e-9));
        CHECK(p.epsilon <= expected * (1.0 + accuracy) + 1e-12);
        CHECK(p.answered == doctest::Approx(a.answered + b.answered).epsilon(1e-10));
        CHECK(std::ranges::find(kOrders, p.order) != kOrders.end());
      };
      for (const RoundsPoint& p : tuned.front) check(p, kGridAccuracy);
      for (std::size_t k = 1; k < tuned.front.size(); ++k) {
        CHECK(tuned.front[k].epsilon > tuned.front[k - 1].epsilon);
        CHECK(value_of(goal, tuned.front[k]) > value_of(goal, tuned.front[k - 1]));
      }
      if (tuned.best) {
        ++found;
        check(*tuned.best, 1e-9);
        CHECK(goal.keeps_epsilon(tuned.best->epsilon));
        CHECK(value_of(goal, *tuned.best) >= goal.min_right.value_or(0.0));
        for (std::size_t r = 0; r < 2; ++r) {
          const PointCost& its = costs[r][tuned.best->index[r]];
          const std::vector<double> nothing(kOrders.size(), 0.0);
          CHECK(tuned.alone[r].epsilon ==
                doctest::Approx(epsilon_of(its.rdp, nothing)).epsilon(1e-9));
          CHECK(tuned.alone[r].answered == doctest::Approx(its.answered).epsilon(1e-10));
        }
        CHECK(tuned.alone[0].agreeing + tuned.alone[1].agreeing == tuned.best->agreeing);
        CHECK(tuned.alone[0].right + tuned.alone[1].right == tuned.best->right);
      }
      for (std::size_t a = 0; a < costs[0].size(); ++a) {
        for (std::size_t b = 0; b < costs[1].size(); ++b) {
          const double dear = epsilon_of(costs[0][a].rdp, costs[1][b].rdp) * (1.0 + kGridAccuracy);
          const double answered = costs[0][a].answered + costs[1][b].answered;
          if (goal.objective != Objective::answered) continue;
          // Something on the front is as cheap and gives as much; what is best gives no less.
          CHECK(std::ranges::any_of(tuned.front, [&](const RoundsPoint& p) {
            return p.epsilon <= dear && p.answered >= answered * (1.0 - 1e-10);
          }));
          if (!goal.keeps_epsilon(dear)) continue;
          REQUIRE(tuned.best);
          CHECK(tuned.best->answered >= answered * (1.0 - 1e-10));
        }
      }
    }
    CHECK(found >= 8);
  }

  TEST_CASE("what two rounds are not tuned for") {
    pate_test::Random random(72);
    const auto votes = some_votes(random);
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
    for (const Bound bound : {Bound::published, Bound::tradeoff}) {
      kind.cost = {bound, GuaranteeKind::realized};
      CHECK(refusal(rounds, kind, goal) ==
            "the bound " + std::string(name(bound)) + " has no reading realized before a run");
    }
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
