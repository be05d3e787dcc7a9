#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/tuning/tune.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

constexpr double kDelta = 1e-4;
constexpr std::int64_t kQueries = 12;
constexpr std::int32_t kTeachers = 16;

// Two classes, where releases take no time.
pate_test::HistogramVotes two_classes(pate_test::Random& random) {
  std::vector<pate_test::Histogram> all;
  for (std::int64_t i = 0; i < kQueries; ++i) {
    const auto first = static_cast<std::int32_t>(random.integer(0, 4));
    all.push_back({first, kTeachers - first});
  }
  return pate_test::HistogramVotes(std::move(all));
}

TuneSettings settings_of(ReleaseMethod method) {
  TuneSettings settings = test::agreeing_settings();
  settings.grid.kind = {{Bound::tradeoff, GuaranteeKind::joint}, Conversion::improved, kDelta, {}};
  settings.release = true;
  settings.method = method;
  return settings;
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("points of the front have the mean of their release, and the best by it is chosen") {
    pate_test::Random random(91);
    for (const ReleaseMethod method : {ReleaseMethod::gnss, ReleaseMethod::curve}) {
      const auto votes = two_classes(random);
      const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
      const TuningGrid grid{{3.0, 6.0}, {6.0}, {8.0, 12.0}};
      TuneSettings settings = settings_of(method);
      Tuning tuning = tune(tuned, grid, settings, {}, {});
      const auto released = points_to_release(tuning.points, settings.goal, method, {});
      REQUIRE(released.size() >= 2);
      rank_by_release(tuned, settings, tuning, {});
      CHECK(tuning.complete);
      CHECK(tuning.ranked_by_release);
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < tuning.points.size(); ++i) {
        const TunedPoint& p = tuning.points[i];
        CHECK(p.release_computed == (std::ranges::find(released, i) != released.end()));
        CHECK(p.released.has_value() == p.release_computed);
        if (!p.released) continue;
        const VoteProfile profile =
            collect_votes(run_of(tuned, grid.aggregator(p.index), grid.neighbours, kQueries));
        CurvePlanSettings curve;
        ReleaseSettings smooth;
        curve.delta = smooth.delta = kDelta;
        const ReleasedEpsilon mean = method == ReleaseMethod::curve
                                         ? mean_released_epsilon(profile, curve, false)
                                         : mean_released_epsilon(profile, smooth);
        CHECK(p.released->method == method);
        if (p.released->is_estimate) {
          CHECK(p.released->mean == doctest::Approx(mean.mean).epsilon(0.1));
        } else {
          CHECK(p.released->mean == mean.mean);
          CHECK(p.released->order == mean.order);
        }
        if (!best || p.point.agreeing > tuning.points[*best].point.agreeing) best = i;
      }
      CHECK(tuning.choice.best == best);
      CHECK(!tuning.points[*best].released->is_estimate);
      // Below what any release says no point keeps the limit: the nearest are named.
      settings.goal.max_epsilon = 1e-3;
      Tuning missed = tune(tuned, grid, settings, {}, {});
      rank_by_release(tuned, settings, missed, {});
      CHECK(!missed.choice.best);
      CHECK(!missed.choice.nearest_misses.empty());
      CHECK(missed.ranked_by_release);
    }
  }

  TEST_CASE("a ranking by releases that is stopped leaves the choice as it was") {
    pate_test::Random random(92);
    const auto votes = two_classes(random);
    const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
    const TuningGrid grid{{3.0, 6.0}, {6.0}, {8.0, 12.0}};
    const TuneSettings settings = settings_of(ReleaseMethod::curve);
    const Tuning before = tune(tuned, grid, settings, {}, {});
    const auto front = static_cast<std::int64_t>(
        points_to_release(before.points, settings.goal, ReleaseMethod::curve, {}).size());
    // Before the first point, before the last, and after all estimates.
    for (std::int64_t asked : {std::int64_t{0}, front - 1, front + 1}) {
      Tuning tuning = before;
      rank_by_release(tuned, settings, tuning, {{}, [&] { return --asked < 0; }});
      CHECK(!tuning.complete);
      CHECK(!tuning.ranked_by_release);
    }
  }
}
