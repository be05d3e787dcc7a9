#include "pate/tuning/group_budgets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/labeling.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"

using namespace pate;
using namespace pate::test;
using namespace pate_test;

namespace {

constexpr std::int64_t kTeachers = 9;

// Of the first teachers most agree, the last one dissents.
std::unique_ptr<PredictionVotes> predictions(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> ids;
  for (int query = 0; query < 12; ++query) {
    const std::int64_t most = random.integer(0, 2);
    for (std::int64_t t = 0; t < kTeachers; ++t) {
      const bool agrees = t < 6 && random.integer(0, 9) < 9;
      ids.push_back(agrees ? most : random.integer(0, 2));
    }
  }
  return std::make_unique<PredictionVotes>(integer_table({12, kTeachers}, ids),
                                           PredictionLayout::queries_by_teachers, 3);
}

TeacherGroups groups_of() {
  return {{"agreeing", "others"}, {0, 0, 0, 0, 0, 0, 1, 1, 1}};
}

// What groups pay by the account of the run, RDP alone.
std::vector<double> costs_of(const TuningVotes& votes, const Mechanism& mechanism) {
  AccountSettings settings;
  settings.delta = 1e-5;
  settings.models.insert(Bound::exact);
  settings.threads = 1;
  const Account found = account(run_of(votes, mechanism, {}, votes.rows.size()), settings);
  std::vector<double> result;
  for (const GroupCost& cost : group_costs(groups_of(), found)) result.push_back(cost.epsilon);
  return result;
}

}  // namespace

TEST_SUITE("group_budgets") {
  TEST_CASE("the first point of the ranking at which every group keeps its budget") {
    for (const std::uint64_t seed : {3U, 4U}) {
      const auto predicted = predictions(seed);
      const TuningVotes votes{*predicted, RowSelection::all(12), nullptr, {}};
      TuningGrid grid;
      grid.noise = {2.0, 4.0, 8.0};
      grid.sigma1 = {3.0};
      grid.threshold = {3.0, 5.0};
      for (const std::vector<double>& budgets :
           {std::vector<double>{4.0, 9.0}, {9.0, 4.0}, {2.0, 30.0}, {100.0, 100.0}, {0.01, 9.0}}) {
        CAPTURE(budgets[0]);
        const TuneSettings settings = agreeing_settings();
        Tuning tuning = tune(votes, grid, settings, {}, {});
        const auto ranked = ranked_points(tuning.points, settings.goal);
        REQUIRE(tuning.choice.best == ranked.front());
        std::optional<std::size_t> expected;
        std::size_t tested = 0;
        for (const std::size_t position : ranked) {
          ++tested;
          const auto costs = costs_of(votes, grid.mechanism(tuning.points[position].index));
          if (!(costs[0] <= budgets[0] && costs[1] <= budgets[1])) continue;
          expected = position;
          break;
        }
        const GroupOutcome found =
            choose_for_groups(votes, settings, groups_of(), budgets, tuning, {});
        CHECK(found.tested == tested);
        CHECK(found.found == expected.has_value());
        CHECK(tuning.choice.best == expected);
        REQUIRE(found.groups.size() == 2);
        const auto costs = costs_of(votes, grid.mechanism(tuning.points[found.point].index));
        for (std::size_t g = 0; g < 2; ++g) {
          CHECK(relative_error(found.groups[g].cost.epsilon, costs[g]) < 1e-12);
          CHECK(found.groups[g].budget == budgets[g]);
          CHECK(found.groups[g].margin() == budgets[g] - found.groups[g].cost.epsilon);
        }
      }
    }
  }

  TEST_CASE("budgets of groups on few queries: the first point that keeps them, or the nearest") {
    const auto predicted = predictions(5);
    const TuningVotes votes{*predicted, RowSelection::range(0, 2), nullptr, {}};
    TuningGrid grid;
    grid.noise = {1.0, 3.0, 9.0};
    const TuneSettings settings = agreeing_settings();
    // By the noise; what the first group pays, then the second.
    std::vector<std::vector<double>> costs;
    for (std::size_t i = 0; i < grid.size(); ++i)
      costs.push_back(costs_of(votes, grid.mechanism(i)));
    for (std::size_t wanted = 0; wanted < grid.size(); ++wanted) {
      const std::vector<double> budgets{costs[wanted][0], costs[wanted][1]};
      Tuning tuning = tune(votes, grid, settings, {}, {});
      const auto ranked = ranked_points(tuning.points, settings.goal);
      const auto keeps = [&](std::size_t position) {
        const auto& its = costs[tuning.points[position].index];
        return its[0] <= budgets[0] && its[1] <= budgets[1];
      };
      const auto first = std::ranges::find_if(ranked, keeps);
      REQUIRE(first != ranked.end());
      const GroupOutcome found =
          choose_for_groups(votes, settings, groups_of(), budgets, tuning, {});
      CHECK(found.found);
      CHECK(found.point == *first);
      CHECK(tuning.choice.best == *first);
      CHECK(found.groups[0].is_kept());
      CHECK(found.groups[1].is_kept());
    }
    Tuning tuning = tune(votes, grid, settings, {}, {});
    const std::vector<double> small{costs[2][0] * 0.5, costs[2][1] * 0.9};
    const GroupOutcome missed = choose_for_groups(votes, settings, groups_of(), small, tuning, {});
    CHECK(!missed.found);
    CHECK(missed.tested == 3);
    CHECK(tuning.points[missed.point].index == 2);  // the most noise comes nearest
    CHECK(!tuning.choice.best);
    CHECK(!missed.groups[0].is_kept());
    // Who stops it gets no answer.
    Tuning stopped = tune(votes, grid, settings, {}, {});
    const GroupOutcome none =
        choose_for_groups(votes, settings, groups_of(), small, stopped, {{}, [] { return true; }});
    CHECK(!none.found);
    CHECK(!stopped.complete);
  }

  TEST_CASE("what has no budgets of groups") {
    const auto predicted = predictions(3);
    const TuningVotes votes{*predicted, RowSelection::all(12), nullptr, {}};
    TuningGrid grid;
    grid.noise = {4.0};
    Tuning tuning = tune(votes, grid, agreeing_settings(), {}, {});
    const auto choose = [&](const TuningVotes& of, const std::vector<double>& budgets) {
      (void)choose_for_groups(of, agreeing_settings(), groups_of(), budgets, tuning, {});
    };
    CHECK_THROWS_WITH_AS(choose(votes, {1.0}), "every group needs a budget, and no other",
                         parameter_error);
    CHECK_THROWS_WITH_AS(choose(votes, {1.0, 0.0}),
                         "the budget of a group must be > 0, got 0 for others", parameter_error);
    CHECK_THROWS_WITH_AS(choose(votes, {1.0, std::numeric_limits<double>::quiet_NaN()}),
                         "the budget of a group must be > 0, got nan for others", parameter_error);
    const auto counts = votes_of(1, 2, {5, 4});
    CHECK_THROWS_WITH_AS(choose({*counts, RowSelection::all(1), nullptr, {}}, {1.0, 1.0}),
                         "budgets of groups need predictions: counts do not say whose votes move",
                         parameter_error);
    tuning.grid.noise.assign(kMaxGroupPoints + 1, 4.0);
    CHECK_THROWS_WITH_AS(choose(votes, {1.0, 1.0}),
                         "budgets of groups need exact costs of points, of at most 1000, and the "
                         "grid has 1001: give fewer values of sigma2, sigma1 or the threshold",
                         parameter_error);
  }
}
