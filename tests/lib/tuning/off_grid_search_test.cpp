#include "pate/tuning/off_grid_search.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/accounting/account.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"

using namespace pate;

namespace {

constexpr std::int64_t kQueries = 6;
const std::vector<double> kOrders{2.0, 3.0, 5.0, 8.0, 16.0};

TuneSettings settings_of() {
  TuneSettings settings = test::agreeing_settings();
  settings.grid.kind = {
      {Bound::tradeoff, GuaranteeKind::joint}, Conversion::improved, 1e-4, kOrders};
  settings.continuum = true;
  return settings;
}

bool has_digits(double value, int digits) {
  return to_digits(value, digits) == value;
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("off the grid: better than its best, near it, within the limits, and round") {
    pate_test::Random random(82);
    int found = 0;
    int other_threshold = 0;
    for (int round = 0; round < 16; ++round) {
      const auto votes = test::some_votes(random, kQueries);
      const TuningVotes tuned{votes, RowSelection::all(kQueries), nullptr, {}};
      TuningGrid grid{{3.0, 6.0, 12.0}, {}, {}};
      if (round % 4 != 0) {
        grid.sigma1 = round % 4 == 1 ? std::vector{4.0} : std::vector{4.0, 8.0};
        grid.threshold = {8.0, 12.0, 16.0};
      }
      TuneSettings settings = settings_of();
      if (round % 2 == 0) {
        settings.goal.max_epsilon = random.log_uniform(1.0, 8.0);
      } else {
        settings.goal.objective = Objective::epsilon;
        settings.goal.min_right = random.uniform(1.0, 0.8 * kQueries);
      }
      const Tuning tuning = tune(tuned, grid, settings, {}, {});
      if (!tuning.continuum) continue;
      ++found;
      CAPTURE(round);
      REQUIRE(tuning.choice.best);
      const TunedPoint& best = tuning.points[*tuning.choice.best];
      const OffGridPoint& off = *tuning.continuum;
      if (settings.goal.objective == Objective::epsilon) {
        CHECK(off.point.epsilon < best.point.epsilon);
      } else {
        CHECK(off.point.agreeing >= best.point.agreeing);
      }
      CHECK(settings.goal.keeps_epsilon(off.point.epsilon));
      CHECK(settings.goal.keeps_answers(off.point));
      // Its epsilon is that of an account of it.
      AccountSettings of_run;
      of_run.delta = 1e-4;
      of_run.orders = kOrders;
      of_run.conversion = EpsilonMethod::improved;
      of_run.reading = GuaranteeKind::joint;
      of_run.threads = 1;
      const Account its = account(run_of(tuned, off.aggregator, {}, kQueries), of_run);
      double least = its.costs[its.headline].epsilon;
      for (const CostEntry& cost : its.costs) {
        if (cost.bound == Bound::tradeoff && cost.conversion == EpsilonMethod::improved &&
            cost.reading == GuaranteeKind::joint) {
          CHECK(off.point.epsilon == doctest::Approx(cost.epsilon).epsilon(1e-7));
        }
      }
      CHECK(least <= off.point.epsilon * (1.0 + 1e-7));
      // No further from it than its neighbours, but for rounding; one value stays.
      const double noise = off.aggregator.noisy_max.parameter();
      const double from = grid.noise[grid.noise_of(best.index)];
      CHECK(std::abs(std::log(noise / from)) <= std::log(2.0) * 1.02);
      CHECK(has_digits(noise, 3));
      if (!grid.has_selection()) continue;
      const ThresholdCheck& check = *off.aggregator.selection;
      CHECK(has_digits(check.sigma1, 3));
      CHECK(has_digits(check.threshold, 3));
      CHECK(std::abs(check.threshold - grid.threshold[grid.threshold_of(best.index)]) <= 4.1);
      if (check.threshold != grid.threshold[grid.threshold_of(best.index)]) ++other_threshold;
      if (grid.sigma1.size() == 1) CHECK(check.sigma1 == grid.sigma1.front());
    }
    CHECK(found >= 6);
    CHECK(other_threshold >= 4);
  }
}
