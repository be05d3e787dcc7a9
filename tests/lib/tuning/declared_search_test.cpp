#include "pate/tuning/declared_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/tuning/evaluate_grid.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

constexpr std::int32_t kTeachers = 24;
constexpr std::int64_t kQueries = 30;
constexpr double kDelta = 1e-4;

// Queries over two classes, where a test has small tables: the plurality has most votes.
pate_test::HistogramVotes random_votes(pate_test::Random& random) {
  std::vector<pate_test::Histogram> all;
  for (std::int64_t i = 0; i < kQueries; ++i) {
    const auto first = static_cast<std::int32_t>(random.integer(0, kTeachers / 3));
    const bool swapped = random.integer(0, 1) == 1;
    const std::int32_t second = kTeachers - first;
    all.push_back(swapped ? pate_test::Histogram{second, first}
                          : pate_test::Histogram{first, second});
  }
  return pate_test::HistogramVotes(std::move(all));
}

TuneSettings settings_of() {
  TuneSettings settings;
  settings.grid = {
      {{Bound::tradeoff, GuaranteeKind::joint}, Conversion::improved, kDelta, {}}, {}, false, 1};
  settings.goal.objective = Objective::agreeing;
  settings.goal.min_agreement = 0.9;
  settings.search = true;
  settings.top = 0;
  return settings;
}

// How likely the votes pass, from the mechanism itself.
double pass_of(const TuningVotes& votes, const Aggregator& aggregator, const Neighbours& neighbours,
               double epsilon, std::optional<Certificate> certificate = {}) {
  DeclaredSettings settings;
  settings.question = joint_question(aggregator, neighbours, kTeachers, 2);
  settings.budget = {epsilon, kDelta, false};
  settings.queries = kQueries;
  settings.certificate = certificate;
  settings.threads = 1;
  const DeclaredMechanism mechanism(settings);
  const BudgetTest& test = mechanism.test();
  return test.ladder().pass(test.level(mechanism.costs(
      collect_votes(run_of(votes, aggregator, neighbours, kQueries)), CurveTableSource())));
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("parameters for a declared budget pass its test, and no better ones around them do") {
    pate_test::Random random(61);
    int found_any = 0;
    int fails = 0;
    for (int round = 0; round < 5; ++round) {
      const auto votes = random_votes(random);
      const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
      // The last ones for a person in two teachers.
      const Neighbours neighbours{Adjacency::replace, round < 3 ? 1 : 2};
      TuningGrid grid = search_grid(tuned, 1);
      grid.neighbours = neighbours;
      const double epsilon = round < 3 ? random.uniform(3.0, 6.0) : random.uniform(6.0, 9.0);
      DeclaredOutcome outcome;
      outcome.goal.budget = {epsilon, kDelta, false};
      // The search goes by private costs at Renyi orders: of complex ones it finds less.
      outcome.goal.certificate = Certificate::renyi;
      int begun = 0;
      bool ended = true;
      const auto when_testing = [&]() -> ProgressCallback {
        ++begun;
        return [&ended](std::int64_t done, std::int64_t total) { ended = done == total; };
      };
      const Tuning found = search_declared(tuned, grid, settings_of(), {}, CurveTableSource(),
                                           {{}, {}, when_testing}, outcome);
      CAPTURE(round);
      CHECK(outcome.tested >= 1);
      CHECK(begun == outcome.tested);
      CHECK(ended);
      CHECK(outcome.certificate.has_value() == found.continuum.has_value());
      CHECK(outcome.pass_probability.has_value() == found.continuum.has_value());
      if (!found.continuum) continue;
      ++found_any;
      const OffGridPoint& best = *found.continuum;
      CHECK(pass_of(tuned, best.aggregator, neighbours, epsilon, outcome.certificate) ==
            *outcome.pass_probability);
      CHECK(*outcome.pass_probability >= 0.99);
      CHECK(best.point.agreeing >= 0.9 * best.point.answered);

      // Of what has clearly more agreeing answers nothing passes.
      TuningGrid around;
      around.neighbours = neighbours;
      for (int k = -2; k <= 2; ++k) {
        around.noise.push_back(best.aggregator.noisy_max.parameter() * std::exp(0.15 * k));
      }
      for (int k = -1; best.aggregator.selection && k <= 1; ++k) {
        around.sigma1.push_back(best.aggregator.selection->sigma1 * std::exp(0.3 * k));
        around.threshold.push_back(best.aggregator.selection->threshold +
                                   0.3 * k * best.aggregator.selection->sigma1);
      }
      std::vector<TuningPoint> points(around.size());
      const Watcher nobody;
      evaluate_grid({tuned, around, settings_of().grid, nobody}, 0, points);
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!(points[i].agreeing >= 0.9 * points[i].answered)) continue;
        if (!(points[i].agreeing > 1.03 * best.point.agreeing)) continue;
        ++fails;
        CHECK(pass_of(tuned, around.aggregator(i), neighbours, epsilon, outcome.certificate) <
              0.99);
      }
    }
    CHECK(found_any >= 4);
    CHECK(fails > 0);
  }

  TEST_CASE("no goal recommends noise that is none, however much teachers agree") {
    pate_test::Random random(64);
    const double budget = 5.0;
    int left_out = 0;  // points that agree as often, and are not recommended
    int found_any = 0;
    for (int round = 0; round < 12; ++round) {
      // Every lead is of 3 votes at least; in a third of the rounds all agree.
      std::vector<pate_test::Histogram> all;
      for (std::int64_t i = 0; i < kQueries; ++i) {
        const std::int64_t most = round % 3 == 0 ? 0 : (kTeachers - 3) / 2;
        const auto first = static_cast<std::int32_t>(random.integer(0, most));
        all.push_back({first, kTeachers - first});
      }
      const pate_test::HistogramVotes votes(std::move(all));
      const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
      TuneSettings settings = settings_of();
      settings.search = round % 4 == 3;
      settings.top.reset();
      TuningGrid grid = search_grid(tuned, 1);
      if (!settings.search) {
        grid = {{}, {}, {}};
        for (double noise = 0.02; noise < kTeachers; noise *= random.uniform(1.5, 4.0)) {
          grid.noise.push_back(noise);
        }
        if (round % 4 == 1) {
          grid.sigma1 = {random.uniform(0.02, 0.5), random.uniform(2.0, 20.0)};
          grid.threshold = {random.uniform(-5.0, 5.0), random.uniform(5.0, 20.0)};
        }
        grid.laplace = round % 4 == 2;
      }
      CAPTURE(round);
      const auto check = [&](const Tuning& found) {
        if (!found.has_best()) return;
        ++found_any;
        const OffGridPoint best =
            found.continuum ? *found.continuum
                            : OffGridPoint{grid.aggregator(found.points[*found.choice.best].index),
                                           found.points[*found.choice.best].point};
        CHECK(epsilon_for_any_votes(best.aggregator, {}, kQueries, kDelta) <= kMostForAnyVotes);
        for (const TunedPoint& p : found.points) {
          const double any = epsilon_for_any_votes(grid.aggregator(p.index), {}, kQueries, kDelta);
          if (p.pareto) CHECK(any <= kMostForAnyVotes);
          left_out +=
              any > 1.01 * kMostForAnyVotes && p.point.agreeing >= best.point.agreeing ? 1 : 0;
        }
      };
      settings.goal.max_epsilon = budget;
      check(tune(tuned, grid, settings, {}, {}));
      DeclaredOutcome outcome;
      outcome.goal.budget = {budget, kDelta, false};
      const Tuning declared =
          search_declared(tuned, grid, settings, {}, CurveTableSource(), {}, outcome);
      check(declared);
      if (declared.has_best()) CHECK(*outcome.pass_probability >= 0.99);
      settings.goal.max_epsilon.reset();
      settings.goal.objective = Objective::epsilon;
      settings.goal.min_right = random.uniform(1.0, 10.0);
      check(tune(tuned, grid, settings, {}, {}));
    }
    CHECK(found_any >= 24);
    CHECK(left_out > 10);
  }

  TEST_CASE("a test of teachers that are added or removed there is none") {
    pate_test::Random random(63);
    const auto votes = random_votes(random);
    const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
    TuningGrid grid = search_grid(tuned, 1);
    grid.neighbours.adjacency = Adjacency::add_remove;
    DeclaredOutcome outcome;
    outcome.goal.budget = {4.0, kDelta, false};
    CHECK_THROWS_WITH_AS(
        (void)search_declared(tuned, grid, settings_of(), {}, CurveTableSource(), {}, outcome),
        supports(Asked::release, grid.neighbours)->c_str(), parameter_error);
  }

  TEST_CASE("a declared budget that nothing passes has no parameters, and one out of range none") {
    pate_test::Random random(62);
    const auto votes = random_votes(random);
    const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
    TuneSettings settings = settings_of();
    settings.goal.min_right = static_cast<double>(kQueries);  // as many as there are queries
    DeclaredOutcome outcome;
    outcome.goal.budget = {0.5, kDelta, false};
    const Tuning found = search_declared(tuned, search_grid(tuned, 1), settings, {},
                                         CurveTableSource(), {}, outcome);
    CHECK(!found.has_best());
    CHECK(!outcome.pass_probability);
    DeclaredOutcome bad;
    bad.goal.budget = {1000.0, kDelta, false};
    CHECK_THROWS_WITH_AS((void)search_declared(tuned, search_grid(tuned, 1), settings_of(), {},
                                               CurveTableSource(), {}, bad),
                         "an epsilon that is told beforehand must be from 0.01 to 100, got 1000",
                         parameter_error);
  }
}
