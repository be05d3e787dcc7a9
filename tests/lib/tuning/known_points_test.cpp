#include "pate/tuning/known_points.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "support/random.hpp"
#include "support/tuning.hpp"

using namespace pate;

namespace {

constexpr std::int64_t kQueries = 8;

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("known points: of rows of several blocks a block each") {
    pate_test::Random random(83);
    const auto votes = test::some_votes(random, kQueries);
    const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
    TuningGrid grid{{3.0, 6.0}, {4.0}, {}};
    for (std::size_t t = 0; t < 2 * kBlockThresholds + 5; ++t) {
      grid.threshold.push_back(6.0 + 0.2 * static_cast<double>(t));
    }
    const TuneSettings settings = test::agreeing_settings();
    const KnownPoints known = tune(tuned, grid, settings, {}, {}).points;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const Watcher nobody;
      const TuningTask task{tuned, grid, settings.grid, nobody};
      CHECK(!differing_point(task, settings.goal, known, seed));
      // A part of the grid, that begins and ends within blocks.
      const KnownPoints part(known.begin() + 40, known.end() - 20);
      CHECK(!differing_point(task, settings.goal, part, seed));
      KnownPoints changed = known;
      for (TunedPoint& p : changed) p.grid_epsilon *= 1.01;
      CHECK(differing_point(task, settings.goal, changed, seed));
    }
  }

  TEST_CASE("known points: what the votes give is known again, any other number is found") {
    pate_test::Random random(81);
    for (const bool has_labels : {false, true}) {
      const auto votes = test::some_votes(random, kQueries);
      TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
      if (has_labels) tuned.labels.emplace(kQueries, 0);
      // No more points than are looked at.
      const TuningGrid grid{{3.0, 6.0}, {4.0, 7.0}, {8.0, 10.0, 12.0, 14.0}};
      TuneSettings settings = test::agreeing_settings();
      settings.goal.max_epsilon = 6.0;
      REQUIRE(grid.size() <= kPointsAgain);
      const KnownPoints known = tune(tuned, grid, settings, {}, {}).points;
      REQUIRE(known.size() == grid.size());
      const auto differing = [&](const KnownPoints& points, const Watcher& watcher = {}) {
        return differing_point({tuned, grid, settings.grid, watcher}, settings.goal, points,
                               static_cast<std::uint64_t>(random.integer(0, 1 << 20)));
      };
      CHECK(!differing({}));
      CHECK(!differing(known));
      // Changes of a point, from least to most, and whether a part of a block tells them.
      const std::vector<std::pair<std::function<void(TunedPoint&)>, bool>> changes{
          {[](TunedPoint& p) { p.grid_epsilon = std::nextafter(p.grid_epsilon, 0.0); }, false},
          {[](TunedPoint& p) { p.grid_order += 0.5; }, false},
          {[](TunedPoint& p) { p.point.answered = std::nextafter(p.point.answered, 0.0); }, false},
          {[](TunedPoint& p) { p.grid_epsilon *= 1.0 - 1.5 * kGridAccuracy; }, true},
          {[](TunedPoint& p) { p.point.answered *= 1.0 + 1e-6; }, true},
          {[](TunedPoint& p) { p.point.agreeing *= 1.0 + 1e-6; }, true},
          {[](TunedPoint& p) { p.point.queries -= 1; }, true},
      };
      for (const auto& [change, shows_in_part] : changes) {
        const auto position = static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(known.size()) - 1));
        KnownPoints changed = known;
        change(changed[position]);
        CHECK(differing(changed) == known[position].index);
        // Without another point of its block its own value may have begun elsewhere.
        const std::size_t other = position % 4 == 0 ? position + 1 : position - 1;
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(other));
        CHECK(differing(changed).has_value() == shows_in_part);
      }
      KnownPoints labelled = known;
      labelled[3].point.right = 0.5;
      CHECK(differing(labelled).has_value() == has_labels);
      // Who stops it has not found a difference.
      KnownPoints all_changed = known;
      for (TunedPoint& p : all_changed) p.point.queries += 1;
      CHECK(differing(all_changed));
      CHECK(!differing(all_changed, {{}, [] { return true; }}));
    }
  }
}
