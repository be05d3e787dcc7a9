#include "pate/tuning/weighted_tuning.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pate/accounting/weighted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/tuning/group_budgets.hpp"
#include "support/accuracy.hpp"
#include "support/hockey_stick.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"

using namespace pate;
using namespace pate::test;
using namespace pate_test;

namespace {

constexpr std::int64_t kClasses = 3;

std::unique_ptr<PredictionVotes> predictions_of(const std::vector<std::int64_t>& ids,
                                                std::int64_t teachers) {
  return std::make_unique<PredictionVotes>(
      integer_table({static_cast<std::int64_t>(ids.size()) / teachers, teachers}, ids),
      PredictionLayout::queries_by_teachers, kClasses);
}

std::unique_ptr<PredictionVotes> random_predictions(Random& random, std::int64_t queries,
                                                    std::int64_t teachers) {
  std::vector<std::int64_t> ids;
  for (std::int64_t query = 0; query < queries; ++query) {
    const std::int64_t most = random.integer(0, kClasses - 1);
    for (std::int64_t t = 0; t < teachers; ++t) {
      ids.push_back(random.integer(0, 9) < 8 ? most : random.integer(0, kClasses - 1));
    }
  }
  return predictions_of(ids, teachers);
}

AccountSettings account_settings(bool exact = false) {
  AccountSettings settings;
  settings.delta = 1e-5;
  if (exact) settings.models.insert(Bound::exact);
  settings.threads = 1;
  return settings;
}

WeightedAccount account_of(const TuningVotes& votes, const TeacherWeights& weights,
                           const Mechanism& mechanism, bool exact = false) {
  return account_weighted(run_of(votes, mechanism, {}, votes.rows.size()),
                          dynamic_cast<const PredictionVotes&>(votes.votes), weights,
                          account_settings(exact));
}

double smallest(const Account& account, Bound bound, GuaranteeKind reading) {
  double least = std::numeric_limits<double>::infinity();
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.reading == reading) least = std::min(least, cost.epsilon);
  }
  return least;
}

}  // namespace

TEST_SUITE("weighted_tuning") {
  TEST_CASE("of equal weights the points are those of plain votes, in units of the weight") {
    Random random(21);
    const auto predicted = random_predictions(random, 8, 5);
    const TuningVotes votes{*predicted, RowSelection::all(8), nullptr, {}};
    for (const bool has_check : {false, true}) {
      TuningGrid plain;
      plain.noise = {1.5, 3.0};
      if (has_check) {
        plain.threshold = {2.0, 3.0};
        plain.sigma1 = {2.0};
      }
      TuningGrid halves = plain;
      for (std::vector<double>* const axis : {&halves.noise, &halves.threshold, &halves.sigma1}) {
        for (double& value : *axis) value *= 0.5;
      }
      const TuneSettings settings = agreeing_settings();
      const Tuning expected = tune(votes, plain, settings, {}, {});
      const Tuning found = WeightedTuning(votes, {{1, 1, 1, 1, 1}, 0.5}).run(halves, settings, {});
      REQUIRE(found.points.size() == expected.points.size());
      CHECK(found.teachers == 5);
      CHECK(found.grid.noise == halves.noise);
      for (std::size_t i = 0; i < found.points.size(); ++i) {
        CHECK(relative_error(found.points[i].point.epsilon, expected.points[i].point.epsilon) <
              1e-9);
        CHECK(relative_error(found.points[i].point.answered, expected.points[i].point.answered) <
              1e-9);
      }
    }
  }

  TEST_CASE("points cost what the account of weighted votes says, at random") {
    Random random(20);
    for (int round = 0; round < 12; ++round) {
      CAPTURE(round);
      const std::int64_t teachers = random.integer(4, 12);
      const auto predicted = random_predictions(random, 10, teachers);
      TeacherWeights weights;
      weights.unit = round % 3 == 0 ? 1.0 : round % 3 == 1 ? 0.5 : 0.1;
      for (std::int64_t t = 0; t < teachers; ++t) weights.units.push_back(random.integer(1, 4));
      weights.units[0] = 1;
      const TuningVotes votes{*predicted, RowSelection::all(10), nullptr, {}};
      TuningGrid grid;
      grid.laplace = round % 4 == 3;
      grid.noise = {1.3, 2.7, 6.0};
      if (round % 4 == 0 || round % 4 == 1) {
        grid.threshold = {-1.5, 2.2, 4.0};
        grid.sigma1 = {2.0, 5.5};
      }
      const TuneSettings settings = agreeing_settings();
      const Tuning tuning = WeightedTuning(votes, weights).run(grid, settings, {});
      CHECK(tuning.grid.noise == grid.noise);
      CHECK(tuning.teachers == teachers);
      REQUIRE(tuning.has_best());
      for (const TunedPoint& p : tuning.points) {
        const Account found = account_of(votes, weights, grid.mechanism(p.index)).account;
        const double expected = found.costs[found.headline].epsilon;
        // What is not refined is near where the best order is from 1.01 on.
        const double accuracy = p.refined ? 1e-8 : p.point.order < 1.02 ? 1.0 : kGridAccuracy;
        CHECK(p.point.epsilon >= expected * (1.0 - 1e-9));
        CHECK(p.point.epsilon <= expected * (1.0 + accuracy));
        CHECK(relative_error(p.point.any_votes, smallest(found, Bound::data_independent,
                                                         GuaranteeKind::worst_case)) < 1e-9);
        CHECK(relative_error(p.point.answered, found.answered_expected) < 1e-9);
      }
    }
  }

  TEST_CASE("a search off the grid, of parameters in votes of weight 1") {
    Random random(4);
    const auto predicted = random_predictions(random, 20, 12);
    const TuningVotes votes{*predicted, RowSelection::all(20), nullptr, {}};
    for (const double unit : {1.0, 0.25}) {
      CAPTURE(unit);
      const TeacherWeights weights{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 2}, unit};
      const WeightedTuning weighted(votes, weights);
      TuneSettings settings = agreeing_settings();
      settings.goal.max_epsilon = 9.0;
      settings.search = true;
      const Tuning tuning = weighted.run(weighted.search_grid(1), settings, {});
      REQUIRE(tuning.continuum);
      const Account found = account_of(votes, weights, tuning.continuum->aggregator).account;
      CHECK(relative_error(tuning.continuum->point.epsilon, found.costs[found.headline].epsilon) <
            1e-9);
      CHECK(found.costs[found.headline].epsilon <= 9.0);
      settings.search = false;
      settings.goal.max_epsilon = 20.0;
      settings.continuum = true;
      TuningGrid grid;
      grid.noise = {2.0 * unit, 4.0 * unit, 8.0 * unit};
      const Tuning refined = weighted.run(grid, settings, {});
      REQUIRE(refined.continuum);
      const Account its = account_of(votes, weights, refined.continuum->aggregator).account;
      CHECK(relative_error(refined.continuum->point.epsilon, its.costs[its.headline].epsilon) <
            1e-9);
    }
  }

  TEST_CASE("budgets are those of the account at the point, of groups and of weights") {
    Random random(8);
    for (int round = 0; round < 6; ++round) {
      CAPTURE(round);
      const auto predicted = random_predictions(random, 8, 6);
      const TeacherWeights weights{{1, 2, 1, 2, 4, 4}, round % 2 == 0 ? 1.0 : 0.5};
      const TuningVotes votes{*predicted, RowSelection::all(8), nullptr, {}};
      const bool by_weight = round >= 3;
      const TeacherGroups groups = by_weight ? groups_by_weight(weights)
                                             : TeacherGroups{{"north", "west"}, {0, 0, 0, 1, 1, 1}};
      const std::vector<double> budgets =
          by_weight ? std::vector{3.0, 6.0, 12.0} : std::vector{6.0, 12.0};
      TuningGrid grid;
      grid.noise = {0.5, 1.0, 2.0, 4.0, 8.0};
      if (round % 3 == 1) {
        grid.threshold = {1.0};
        grid.sigma1 = {12.0};
      }
      const TuneSettings settings = agreeing_settings();
      Tuning tuning = WeightedTuning(votes, weights).run(grid, settings, {});
      const auto ranked = ranked_points(tuning.points, settings.goal);
      const GroupOutcome found =
          choose_for_groups(votes, settings, groups, budgets, tuning, {}, &weights);
      std::optional<std::size_t> expected;
      for (const std::size_t position : ranked) {
        const WeightedAccount its =
            account_of(votes, weights, grid.mechanism(tuning.points[position].index), true);
        const auto costs = group_costs(groups, its.account, &weights);
        const bool is_kept = std::ranges::equal(
            costs, budgets,
            [](const GroupCost& cost, double most) { return cost.epsilon <= most; });
        if (position == found.point) {
          for (std::size_t g = 0; g < costs.size(); ++g) {
            CHECK(relative_error(found.groups[g].cost.epsilon, costs[g].epsilon) < 1e-12);
          }
        }
        if (is_kept && !expected) expected = position;
      }
      CHECK(found.found);
      CHECK(tuning.choice.best == expected);
      CHECK(found.tested > 1);
    }
  }

  TEST_CASE(
      "no teacher pays more than its budget: all ensembles of three and all votes that move") {
    const TeacherWeights weights{{1, 3, 2}, 1.0};
    const TeacherGroups groups = groups_by_weight(weights);
    const std::vector<double> budgets{0.8, 1.6, 2.5};  // of weights 1, 2 and 3
    TuneSettings settings = agreeing_settings();
    settings.grid.kind.delta = 1e-3;
    TuningGrid grid;
    grid.noise = {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0};
    bool is_near = false;
    for (std::int64_t code = 0; code < 27; ++code) {
      const std::vector<std::int64_t> ids{code % 3, code / 3 % 3, code / 9};
      const auto predicted = predictions_of(ids, 3);
      const TuningVotes votes{*predicted, RowSelection::all(1), nullptr, {}};
      Tuning tuning = WeightedTuning(votes, weights).run(grid, settings, {});
      const GroupOutcome found =
          choose_for_groups(votes, settings, groups, budgets, tuning, {}, &weights);
      REQUIRE(found.found);
      const double sigma = grid.aggregator(tuning.points[found.point].index).noisy_max.parameter();
      const auto outcomes = [&](const std::vector<std::int64_t>& of) {
        Counts counts(kClasses, 0);
        for (std::size_t t = 0; t < 3; ++t) {
          counts[static_cast<std::size_t>(of[t])] += static_cast<std::int32_t>(weights.units[t]);
        }
        return gaussian_outcomes(counts, sigma);
      };
      const Probabilities p = outcomes(ids);
      for (std::size_t t = 0; t < 3; ++t) {
        const double budget = budgets[groups.of_teacher[t]];
        for (std::int64_t to = 0; to < kClasses; ++to) {
          auto neighbour = ids;
          neighbour[t] = to;
          const Probabilities n = outcomes(neighbour);
          CHECK(hockey_stick(p, n, budget) <= 1e-3);
          CHECK(hockey_stick(n, p, budget) <= 1e-3);
          is_near = is_near || hockey_stick(p, n, 0.25 * budget) > 1e-3;
        }
      }
    }
    CHECK(is_near);  // the comparisons say something
  }

  TEST_CASE("groups by weight have its name") {
    const TeacherGroups groups = groups_by_weight({{4, 1, 4, 9}, 0.25});
    CHECK(groups.names == std::vector<std::string>{"0.25", "1", "2.25"});
    CHECK(groups.of_teacher == std::vector<std::size_t>{1, 0, 1, 2});
  }

  TEST_CASE("what is not tuned by weights") {
    const auto predicted = predictions_of({0, 1, 2, 0}, 2);
    const TeacherWeights weights{{1, 2}, 1.0};
    const TuningVotes votes{*predicted, RowSelection::all(2), nullptr, {}};
    const WeightedTuning weighted(votes, weights);
    TuningGrid grid;
    grid.noise = {4.0};
    const auto refuses = [&](const TuningGrid& of, const TuneSettings& settings,
                             const char* words) {
      CHECK_THROWS_WITH_AS((void)weighted.run(of, settings, {}), doctest::Contains(words),
                           parameter_error);
    };
    TuningGrid persons = grid;
    persons.neighbours.teachers = 2;
    refuses(persons, agreeing_settings(), "is known for one teacher that votes otherwise");
    TuningGrid tested = grid;
    tested.sigma1 = {1.0};
    tested.ptr = TestNoise::laplace;
    refuses(tested, agreeing_settings(), "PTR, a student and one noise go by whole votes");
    TuneSettings published = agreeing_settings();
    published.grid.kind.cost = {Bound::published, GuaranteeKind::expected};
    refuses(grid, published, "the published bounds are not for votes that count by weights");
    TuneSettings part = agreeing_settings();
    part.shard = {1, 2};
    refuses(grid, part, "is told of a whole run, not of a shard");
    TuneSettings released = agreeing_settings();
    released.release = true;
    refuses(grid, released, "tuning for teachers with weights has no releases");
    TuningGrid checked = grid;
    checked.threshold = {1.0};
    checked.sigma1 = {1.0};
    const TeacherWeights fine{{1, kMaxThresholdUnits}, 1.0};
    CHECK_THROWS_WITH_AS((void)WeightedTuning(votes, fine).run(checked, agreeing_settings(), {}),
                         "with a threshold the weights may be at most 10000000 of their common "
                         "unit, 1, together, got 10000001: round them, or leave out the threshold",
                         parameter_error);
    const auto student = scores_of(2, 3, {0.5, 0.3, 0.2, 0.1, 0.1, 0.8});
    CHECK_THROWS_WITH_AS(
        WeightedTuning({*predicted, RowSelection::all(2), student.get(), {}}, weights),
        doctest::Contains("PTR, a student and one noise go by whole votes"), parameter_error);
    const auto counts = votes_of(1, 2, {5, 4});
    CHECK_THROWS_WITH_AS(WeightedTuning({*counts, RowSelection::all(1), nullptr, {}}, weights),
                         doctest::Contains("needs predictions"), parameter_error);
    CHECK_THROWS_WITH_AS(WeightedTuning(votes, {{1, 2, 3}, 1.0}),
                         "every teacher needs a weight: there are 2 teachers and 3 weights",
                         parameter_error);
  }
}
