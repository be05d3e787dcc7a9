#include "pate/events/record_trajectory.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/foreign_step.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

Event gaussian(double mu, std::int64_t queries) {
  ForeignStep step;
  step.mu = mu;
  Event event = foreign_event("g" + std::to_string(queries), "test", step);
  event.open.delta = kDelta;
  event.open.queries = queries;
  return event;
}

RecordAccount told(const Record& record, std::optional<EpsilonMethod> conversion = {},
                   std::optional<Bound> bound = {}) {
  return account_record(record,
                        {.delta = kDelta, .conversion = conversion, .bound = bound, .threads = 1});
}

}  // namespace

TEST_SUITE("record trajectory") {
  TEST_CASE("Gaussian events: after each of them what they compose to") {
    const std::vector<double> mus{0.1, 0.4, 0.2, 0.3};
    Record record;
    for (std::size_t k = 0; k < mus.size(); ++k) {
      record.push_back(gaussian(mus[k], static_cast<std::int64_t>(k) + 1));
    }
    const RecordAccount account = told(record, EpsilonMethod::gdp);
    REQUIRE(account.trajectory.size() == 4);
    double squared = 0.0;
    std::int64_t queries = 0;
    for (std::size_t k = 0; k < mus.size(); ++k) {
      squared += mus[k] * mus[k];
      queries += static_cast<std::int64_t>(k) + 1;
      CHECK(account.trajectory[k].epsilon ==
            doctest::Approx(gaussian_dp_epsilon(std::sqrt(squared), kDelta)).epsilon(1e-10));
      CHECK(account.trajectory[k].queries == queries);
      CHECK(account.trajectory[k].order == 0.0);
      CHECK(std::isnan(account.trajectory[k].answered));  // others do not tell
    }
    CHECK(account.trajectory.back().epsilon == account.costs[account.headline].epsilon);
  }

  TEST_CASE("by RDP no point is below the events up to it, nor above what the grid gives") {
    Random random(4701);
    for (int round = 0; round < 12; ++round) {
      Record record;
      for (int k = 0; k < 3; ++k) {
        record.push_back(analysis_of(random_run(random, 8, 3, 3), kDelta, false));
      }
      for (const Bound bound : {Bound::data_independent, Bound::tradeoff}) {
        const RecordAccount account = told(record, EpsilonMethod::improved, bound);
        const CostEntry& headline = account.costs[account.headline];
        REQUIRE(account.trajectory.size() == record.size());
        double answered = 0.0;
        Record first;
        for (std::size_t k = 0; k < record.size(); ++k) {
          first.push_back(record[k]);
          const TrajectoryPoint& point = account.trajectory[k];
          const RecordAccount its = told(first, EpsilonMethod::improved, bound);
          CHECK(point.epsilon >= its.costs[its.headline].epsilon * (1.0 - 1e-12));
          CHECK(point.queries == its.queries);
          CHECK(point.answered == its.answered_expected);
          CHECK(point.answered >= answered);
          answered = point.answered;
          // The grid holds every point but the last, which is the headline of the continuum.
          const RecordAccount on_grid =
              account_record(first, {.delta = kDelta,
                                     .orders = account.orders,
                                     .conversion = EpsilonMethod::improved,
                                     .bound = bound,
                                     .threads = 1});
          CHECK(point.epsilon <= on_grid.costs[on_grid.headline].epsilon * (1.0 + 1e-12));
          if (k > 0) CHECK(point.epsilon >= account.trajectory[k - 1].epsilon);
          CHECK(point.order > 1.0);
        }
        CHECK(account.trajectory.back().epsilon == headline.epsilon);
        CHECK(account.trajectory.back().order == headline.order);
      }
    }
  }

  TEST_CASE("an event that adds next to nothing leaves no point above the end") {
    Random random(4702);
    int level = 0;
    for (int round = 0; round < 10; ++round) {
      Event run;
      run.open.mechanism = "gnmax";
      run.open.queries = random.integer(1, 9);
      run.open.delta = kDelta;
      run.open.steps = steps_of(gnmax(random.log_uniform(5.0, 50.0)), {}, run.open.queries, 1);
      Event little = run;
      little.open.queries = 1;
      little.open.steps = steps_of(gnmax(1e6), {}, 1, 1);
      for (const EpsilonMethod conversion : {EpsilonMethod::improved, EpsilonMethod::classic}) {
        const RecordAccount account = told({run, little}, conversion, Bound::data_independent);
        REQUIRE(account.trajectory.size() == 2);
        const RecordAccount alone = told({run}, conversion, Bound::data_independent);
        // The grid's best is above the end, whose order was looked for.
        CHECK(account.trajectory[0].epsilon <= account.trajectory[1].epsilon);
        level += static_cast<int>(account.trajectory[0].epsilon == account.trajectory[1].epsilon);
        CHECK(account.trajectory[0].epsilon >= alone.costs[alone.headline].epsilon * (1.0 - 1e-12));
      }
    }
    CHECK(level > 10);
  }

  TEST_CASE("deltas that are apart are apart at every point") {
    Event claim;
    claim.open.kind = EventKind::step;
    claim.open.mechanism = "another mechanism";
    claim.open.claim = PrivacyClaim{0.1, 4e-6, 1};
    const RecordAccount account =
        told({gaussian(0.3, 1), claim, gaussian(0.2, 2)}, EpsilonMethod::improved);
    REQUIRE(account.trajectory.size() == 3);
    const RecordAccount first = account_record(
        {gaussian(0.3, 1)},
        {.delta = kDelta - 4e-6, .conversion = EpsilonMethod::improved, .threads = 1});
    const double alone = first.costs[first.headline].epsilon;
    CHECK(account.trajectory.front().epsilon >= alone);
    CHECK(account.trajectory.front().epsilon <= alone * 1.01);
  }

  TEST_CASE("what has no trajectory") {
    Random random(4702);
    CHECK(told({gaussian(0.2, 1)}).trajectory.empty());
    CHECK(told({gaussian(0.2, 1), number_of(nullptr, {}, 1e-7, random)}).trajectory.empty());

    const SmallRun small = random_run(random, 8, 3, 2);
    Event chosen = analysis_of(small, kDelta, false);
    const Event fixed = analysis_of(random_run(random, 8, 3, 2), kDelta, false);
    CHECK(told({fixed, chosen}, EpsilonMethod::improved).trajectory.size() == 2);
    chosen.open.origin.rows_from_answers = true;
    CHECK(told({fixed, chosen}, EpsilonMethod::improved).trajectory.empty());

    Event claim;
    claim.open.kind = EventKind::step;
    claim.open.mechanism = "another mechanism";
    claim.open.claim = PrivacyClaim{0.1, 0.0, 1};
    CHECK(told({claim, gaussian(0.2, 1)}, EpsilonMethod::improved).trajectory.size() == 2);
    claim.open.claim->count = 2;
    Event other = claim;
    other.open.claim->epsilon = 0.2;
    CHECK(told({claim, other}, EpsilonMethod::pure).trajectory.empty());
  }

  TEST_CASE("a thousand events have one, more do not") {
    Record record;
    for (int k = 0; k < 1000; ++k) record.push_back(gaussian(0.01, k + 1));
    CHECK(told(record, EpsilonMethod::gdp).trajectory.size() == 1000);
    record.push_back(gaussian(0.01, 1001));
    CHECK(told(record, EpsilonMethod::gdp).trajectory.empty());
  }
}
