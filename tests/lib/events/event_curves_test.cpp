#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/events/event_costs.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;
const std::vector<double> kOrders{1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0};
const std::vector<double> kBetween{1.2, 1.5, 1.7, 2.5, 3.0, 4.0, 7.0, 13.0, 30.0};

Event checked_run(Random& random, bool exact = false) {
  SmallRun small{confident(7.0, 2.0, 3.0), {}};
  for (int k = 0; k < 4; ++k) small.queries.push_back(pate_test::random_histogram(random, 10, 3));
  return analysis_of(small, kDelta, exact);
}

// What a report tells that has no table: the costs at some orders.
Event by_curves(const Event& event) {
  EventCosts costs(event, 1);
  EventCurves curves{kOrders, RdpCurves{}, RdpCurves{}, {}};
  for (const auto& [bound, its] : {std::pair(Bound::published, &*curves.published),
                                   std::pair(Bound::tradeoff, &*curves.tradeoff)}) {
    for (const EventCosts::Spent& spent : costs.expected(bound, kOrders, QuerySum::direct)) {
      its->selection.push_back(spent.selection);
      its->noisy_max.push_back(spent.noisy_max);
      its->spent_variance.push_back(spent.variance);
    }
  }
  curves.tradeoff->joint = costs.tradeoff(kOrders, QuerySum::direct);
  if (costs.has_exact()) {
    ExactCurves& exact = curves.exact.emplace();
    for (const BothDirections& its : costs.exact(kOrders)) {
      exact.forward.push_back(its.forward);
      exact.reverse.push_back(its.reverse);
    }
  }
  Event result = event;
  result.facts.table.clear();
  result.facts.exact.clear();
  result.facts.curves = curves;
  return result;
}

}  // namespace

TEST_SUITE("event curves") {
  TEST_CASE("curves tell at their orders what a table tells, between them no less") {
    Random random(4711);
    for (int round = 0; round < 10; ++round) {
      const Event table = checked_run(random, true);
      const Event event = by_curves(table);
      EventCosts costs(event, 1);
      EventCosts truth(table, 1);
      CHECK(costs.has_votes());
      CHECK(costs.has_exact());
      CHECK(costs.queries() == nullptr);
      const std::vector<double> at_them = costs.tradeoff(kOrders);
      const std::vector<BothDirections> exact_at_them = costs.exact(kOrders);
      for (std::size_t j = 0; j < kOrders.size(); ++j) {
        CHECK(at_them[j] == event.facts.curves->tradeoff->joint[j]);
        CHECK(exact_at_them[j].forward == event.facts.curves->exact->forward[j]);
        CHECK(exact_at_them[j].reverse == event.facts.curves->exact->reverse[j]);
      }
      const std::vector<double> between = costs.tradeoff(kBetween);
      const std::vector<double> true_between = truth.tradeoff(kBetween, QuerySum::direct);
      const std::vector<BothDirections> exact = costs.exact(kBetween);
      const std::vector<BothDirections> true_exact = truth.exact(kBetween);
      for (std::size_t j = 0; j < kBetween.size(); ++j) {
        CAPTURE(kBetween[j]);
        CHECK(between[j] >= true_between[j] * (1.0 - 1e-12));
        CHECK(between[j] <= costs.any_votes(kBetween[j]));
        CHECK(exact[j].forward >= true_exact[j].forward * (1.0 - 1e-12));
        CHECK(exact[j].reverse >= true_exact[j].reverse * (1.0 - 1e-12));
        CHECK(exact[j].forward <= between[j]);
        CHECK(exact[j].reverse <= between[j]);
      }
      // Beyond the last order what holds for any votes is left.
      CHECK(costs.tradeoff(std::vector{40.0}).front() == costs.any_votes(40.0));
      CHECK(costs.exact(std::vector{40.0}).front().forward == costs.any_votes(40.0));
    }
  }

  TEST_CASE("without exact curves both directions cost the bound") {
    Random random(4712);
    const Event event = by_curves(checked_run(random));
    EventCosts costs(event, 1);
    CHECK(!costs.has_exact());
    const std::vector<double> bound = costs.tradeoff(kBetween);
    const std::vector<BothDirections> exact = costs.exact(kBetween);
    for (std::size_t j = 0; j < kBetween.size(); ++j) {
      CHECK(exact[j].forward == bound[j]);
      CHECK(exact[j].reverse == bound[j]);
    }
  }

  TEST_CASE("expectations and their variance come from curves of the bound that is asked for") {
    Random random(4713);
    for (int round = 0; round < 10; ++round) {
      const Event table = checked_run(random);
      Event event = by_curves(table);
      EventCosts costs(event, 1);
      EventCosts truth(table, 1);
      for (const Bound bound : {Bound::published, Bound::tradeoff}) {
        REQUIRE(costs.has_expected(bound));
        const auto at_them = costs.expected(bound, kOrders);
        const auto true_at_them = truth.expected(bound, kOrders, QuerySum::direct);
        for (std::size_t j = 0; j < kOrders.size(); ++j) {
          CHECK(at_them[j].selection == true_at_them[j].selection);
          CHECK(at_them[j].noisy_max == true_at_them[j].noisy_max);
          CHECK(at_them[j].variance == true_at_them[j].variance);
        }
      }
      CHECK(costs.expected(Bound::tradeoff, kOrders)[3].noisy_max <=
            costs.expected(Bound::published, kOrders)[3].noisy_max * (1.0 + 1e-12));
      event.facts.curves->published.reset();
      CHECK(!EventCosts(event, 1).has_expected(Bound::published));
      CHECK(EventCosts(event, 1).has_expected(Bound::tradeoff));
      event.facts.curves->tradeoff.reset();
      CHECK(!EventCosts(event, 1).has_expected(Bound::tradeoff));
      // The bound is not told: what holds for any votes is.
      CHECK(EventCosts(event, 1).tradeoff(kBetween)[2] == costs.any_votes(kBetween[2]));
    }
  }

  TEST_CASE("curves of a run that limits ended are of its answers, and count for these alone") {
    Random random(4714);
    Event event = by_curves(checked_run(random));
    for (double& cost : event.facts.curves->tradeoff->joint) cost *= 0.5;
    const std::vector<double> fixed = EventCosts(event, 1).tradeoff(kBetween);
    event.open.origin.limited = true;
    EventCosts costs(event, 1);
    const std::vector<double> limited = costs.tradeoff(kBetween);
    const auto realized = costs.realized(kBetween);
    for (std::size_t j = 0; j < kBetween.size(); ++j) {
      CHECK(limited[j] == costs.any_votes(kBetween[j]));
      CHECK(realized[j].selection == 0.0);
      CHECK(realized[j].noisy_max == fixed[j]);
      CHECK(realized[j].noisy_max < limited[j]);
    }
  }

  TEST_CASE("what was answered costs its own curve, beside that of the checks") {
    Random random(4715);
    Event event = by_curves(checked_run(random));
    RdpCurves& its = *event.facts.curves->tradeoff;
    its.noisy_max_realized = its.noisy_max;
    for (double& cost : its.noisy_max_realized) cost *= 0.25;
    CHECK(!EventCosts(event, 1).tells_answers());  // it does not say that it happened
    event.open.realized = RealizedRun{4, 1};
    EventCosts costs(event, 1);
    REQUIRE(costs.tells_answers());
    const auto realized = costs.realized(kOrders);
    for (std::size_t j = 0; j < kOrders.size(); ++j) {
      CHECK(realized[j].selection == its.selection[j]);
      CHECK(realized[j].noisy_max == its.noisy_max_realized[j]);
      CHECK(realized[j].variance == 0.0);
    }
    its.noisy_max_realized.clear();
    CHECK(!EventCosts(event, 1).tells_answers());
  }

  TEST_CASE("a table counts before curves") {
    Random random(4716);
    const Event table = checked_run(random);
    Event both = table;
    both.facts.curves = by_curves(table).facts.curves;
    for (double& cost : both.facts.curves->tradeoff->joint) cost *= 0.5;
    EventCosts costs(both, 1);
    EventCosts truth(table, 1);
    CHECK(costs.tradeoff(kBetween) == truth.tradeoff(kBetween));
    const auto realized = costs.realized(kBetween);
    const auto true_realized = truth.realized(kBetween);
    for (std::size_t j = 0; j < kBetween.size(); ++j) {
      CHECK(realized[j].noisy_max == true_realized[j].noisy_max);
    }
  }

  TEST_CASE("noise of a number that no release has is refused") {
    CHECK_NOTHROW(validate(NumberNoise{ReleaseMethod::curve, 4.0, 0.01, 5.0, 0.0}));
    CHECK_NOTHROW(validate(NumberNoise{ReleaseMethod::gnss, 8.0, 0.01, 5.0, 1.0}));
    CHECK_NOTHROW(validate(NumberNoise{ReleaseMethod::at_most, 0.0, 0.0, 0.5, 0.0}));
    for (const ReleaseMethod method :
         {ReleaseMethod::curve, ReleaseMethod::gnss, ReleaseMethod::at_most}) {
      for (const double noise : {-0.5, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_AS(validate(NumberNoise{method, 8.0, 0.01, noise, 1.0}), parameter_error);
      }
    }
  }

  TEST_CASE("a test that a claim passed costs its epsilon, as any pure step") {
    Event event;
    event.open.kind = EventKind::release;
    event.open.drawn.emplace().noise = NumberNoise{ReleaseMethod::at_most, 0.0, 0.0, 0.5, 0.0};
    // (1 / (a - 1)) log((e^(a e) + e^((1 - a) e)) / (1 + e^e)): randomized response, both ways.
    for (const double a : {1.5, 2.0, 8.0}) {
      const double p = std::exp(0.5) / (1.0 + std::exp(0.5));
      const double moment =
          std::pow(p, a) * std::pow(1.0 - p, 1.0 - a) + std::pow(1.0 - p, a) * std::pow(p, 1.0 - a);
      CHECK(EventCosts(event, 1).any_votes(a) ==
            doctest::Approx(std::log(moment) / (a - 1.0)).epsilon(1e-10));
    }
    event.open.origin.parameters_from_votes = true;
    CHECK(EventCosts(event, 1).any_votes(2.0) == std::numeric_limits<double>::infinity());
  }
}
