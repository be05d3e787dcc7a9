#include "pate/tuning/parameter_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/tuning/evaluate_grid.hpp"
#include "pate/tuning/tune.hpp"
#include "support/labeling.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

// Queries on which teachers agree more or less: the plurality gets a share of the votes around
// `consensus`, the others are spread over the classes.
pate_test::HistogramVotes random_votes(pate_test::Random& random, std::int64_t queries,
                                       std::int32_t teachers, double consensus) {
  std::vector<pate_test::Histogram> all;
  for (std::int64_t i = 0; i < queries; ++i) {
    const double share = std::min(1.0, consensus + random.uniform(-0.3, 0.3));
    pate_test::Histogram counts(4, 0);
    counts[0] = static_cast<std::int32_t>(share * teachers);
    for (std::int32_t left = teachers - counts[0]; left > 0; --left) {
      ++counts[static_cast<std::size_t>(random.integer(0, 3))];
    }
    std::swap(counts[0], counts[static_cast<std::size_t>(random.integer(0, 3))]);
    all.push_back(counts);
  }
  return pate_test::HistogramVotes(std::move(all));
}

GridSettings settings_of(std::optional<double> max_answers = {}) {
  return {{{Bound::tradeoff, GuaranteeKind::joint}, Conversion::improved, 1e-5, {}},
          max_answers,
          false,
          1};
}

Tuning searched(const TuningVotes& votes, const TuningGoal& goal) {
  TuneSettings settings;
  settings.grid = settings_of();
  settings.goal = goal;
  settings.search = true;
  settings.top = 0;
  return tune(votes, search_grid(votes, 1), settings, {}, {});
}

// What is found keeps the limits, has few digits, and is as good as the best of a fine grid around.
void check_search(const TuningVotes& tuned, const TuningGoal& goal) {
  const Tuning found = searched(tuned, goal);
  REQUIRE(found.continuum);
  const TuningPoint& best = found.continuum->point;
  CHECK(goal.keeps_epsilon(best.epsilon));
  CHECK(goal.keeps_answers(best));
  const bool checks = found.continuum->aggregator.selection.has_value();
  const ThresholdCheck check = found.continuum->aggregator.selection.value_or(ThresholdCheck{});
  const double sigma2 = found.continuum->aggregator.noisy_max.parameter();
  for (const double x : {check.threshold, check.sigma1, sigma2}) CHECK(to_digits(x, 3) == x);
  CHECK(found.continuum->point.any_votes <= kMostForAnyVotes);
  if (!checks) CHECK(best.answered == static_cast<double>(best.queries));

  TuningGrid fine;
  fine.interactive = tuned.student != nullptr;
  const double most = 4.0 * static_cast<double>(tuned.votes.teachers());
  for (int k = -6; k <= 6; ++k) {
    fine.noise.push_back(std::max(kLeastNoise, sigma2 * std::exp(0.04 * k)));
    if (!checks) continue;
    fine.sigma1.push_back(std::min(most, check.sigma1 * std::exp(0.08 * k)));
    fine.threshold.push_back(check.threshold + 0.03 * k * check.sigma1);
  }
  fine.noise.erase(std::unique(fine.noise.begin(), fine.noise.end()), fine.noise.end());
  std::ranges::sort(fine.sigma1);
  fine.sigma1.erase(std::unique(fine.sigma1.begin(), fine.sigma1.end()), fine.sigma1.end());
  TuneSettings settings;
  settings.grid = settings_of();
  settings.goal = goal;
  const Tuning brute = tune(tuned, fine, settings, {}, {});
  if (!brute.choice.best) return;
  const TuningPoint& other = brute.points[*brute.choice.best].point;
  if (goal.objective == Objective::epsilon) {
    CHECK(best.epsilon <= other.epsilon * 1.005);
  } else {
    CHECK(best.agreeing >= other.agreeing * 0.995);
  }
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("agreement is the accuracy under the plurality's own labels, everywhere") {
    pate_test::Random random(41);
    for (int round = 0; round < 12; ++round) {
      const auto votes = random_votes(random, 90, 40, random.uniform(0.4, 0.9));
      TuningVotes tuned{votes, RowSelection::range(5, 85), nullptr, std::vector<std::int32_t>(90)};
      std::vector<std::int32_t> counts(4);
      for (std::int64_t i = 0; i < 90; ++i) {
        votes.read(i, 1, counts);
        (*tuned.labels)[static_cast<std::size_t>(i)] =
            static_cast<std::int32_t>(std::ranges::max_element(counts) - counts.begin());
      }
      TuningGrid grid{{3, 9, 40}, {}, {}};
      if (round % 3 == 1) grid.laplace = true;
      if (round % 3 == 2) {
        grid.sigma1 = {4, 15};
        grid.threshold = {12, 25.5};
      }
      const GridSettings settings =
          settings_of(round % 2 == 0 ? std::optional<double>() : random.uniform(5, 60));
      std::vector<TuningPoint> points(grid.size());
      const Watcher nobody;
      evaluate_grid({tuned, grid, settings, nobody}, 0, points);
      for (const TuningPoint& p : points) {
        CHECK(p.agreeing > 0.0);
        CHECK(p.agreeing <= p.answered);
        CHECK(std::abs(p.agreeing - p.right) < 1e-8 * p.answered);
      }
    }
  }

  TEST_CASE(
      "a search without ranges finds what a fine grid around it finds, and keeps the limits") {
    pate_test::Random random(42);
    for (int round = 0; round < 6; ++round) {
      const auto votes = random_votes(random, 150, 60, 0.4 + 0.08 * round);
      const TuningVotes tuned{votes, RowSelection::all(150), nullptr, {}};
      TuningGoal goal;
      goal.objective = round % 2 == 0 ? Objective::agreeing : Objective::epsilon;
      goal.min_agreement = 0.9;
      if (round % 2 == 0) {
        goal.max_epsilon = random.uniform(1.5, 4.0);
      } else {
        goal.min_right = random.uniform(10.0, 40.0);
      }
      CAPTURE(round);
      check_search(tuned, goal);
    }
  }

  TEST_CASE("a search without ranges for Interactive, whose statistic is a lead over a student") {
    pate_test::Random random(43);
    for (int round = 0; round < 4; ++round) {
      const auto votes = random_votes(random, 120, 60, 0.5 + 0.1 * round);
      // Of a student who knows a little: the plurality is likelier than others, more or less so.
      std::vector<double> scores;
      for (std::int64_t i = 0; i < 120; ++i) {
        std::vector<std::int32_t> counts(4);
        votes.read(i, 1, counts);
        const auto top = std::ranges::max_element(counts) - counts.begin();
        const double sure = random.uniform(0.0, 0.6);
        for (std::int64_t j = 0; j < 4; ++j) {
          scores.push_back((1.0 - sure) / 4.0 + (j == top ? sure : 0.0));
        }
      }
      const auto student = pate::test::scores_of(120, 4, scores);
      const TuningVotes tuned{votes, RowSelection::all(120), student.get(), {}};
      TuningGoal goal;
      goal.objective = Objective::agreeing;
      goal.min_agreement = 0.9;
      goal.max_epsilon = random.uniform(1.5, 4.0);
      CAPTURE(round);
      CHECK(search_grid(tuned, 1).interactive);
      check_search(tuned, goal);
      // A student who has all of a plurality's share leaves no lead: other parameters are best.
      TuningVotes without = tuned;
      without.student = nullptr;
      const Tuning confident = searched(without, goal);
      const Tuning interactive = searched(tuned, goal);
      REQUIRE(confident.continuum);
      REQUIRE(interactive.continuum);
      CHECK(!confident.continuum->aggregator.interactive);
      CHECK(interactive.continuum->aggregator.interactive);
      const auto numbers = [](const OffGridPoint& found) {
        const ThresholdCheck& check = *found.aggregator.selection;
        return std::tuple(check.threshold, check.sigma1, found.aggregator.noisy_max.parameter());
      };
      CHECK(numbers(*interactive.continuum) != numbers(*confident.continuum));
    }
  }

  TEST_CASE("three digits, and limits of a goal that cannot be") {
    CHECK(to_digits(1234.5, 3) == 1230.0);
    CHECK(to_digits(0.0012351, 3) == 0.00124);
    pate_test::Random random(44);
    const auto votes = random_votes(random, 3, 20, 0.8);
    CHECK_THROWS_WITH_AS((void)search_grid({votes, RowSelection::range(0, 0), nullptr, {}}, 1),
                         "the search for parameters needs votes: there are none", parameter_error);
    CHECK_THROWS_WITH_AS(validate(TuningGoal{Objective::correct, {}, {}}),
                         "the objective correct needs true labels", parameter_error);
    CHECK_THROWS_WITH_AS(validate(TuningGoal{Objective::agreeing, {}, {}, {}, 1.5}),
                         "min_agreement must be a share, 0 to 1, got 1.5", parameter_error);
    CHECK_THROWS_WITH_AS(validate(TuningGoal{Objective::agreeing, {}, {}, {}, {}, 0.5}),
                         "min_accuracy needs true labels", parameter_error);
  }
}
