#include "pate/events/record_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/foreign_step.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

Event gaussian(double mu, std::int64_t count, std::int64_t times = 1) {
  ForeignStep step;
  step.mu = mu;
  step.count = count;
  Event event = foreign_event("g", "test", step);
  event.open.delta = kDelta;
  event.times = times;
  return event;
}

Event exact_run() {
  return analysis_of({gnmax(3.0), {{9, 1, 0}, {5, 4, 1}}}, kDelta, true);
}

}  // namespace

TEST_SUITE("record sums") {
  TEST_CASE("beside exact queries a profile has all Gaussian events as one, however many") {
    const Event run = exact_run();
    RecordSums both({run, gaussian(0.3, 4, 2)}, 1);
    const auto profiled = both.profiled();
    REQUIRE(profiled);
    CHECK(profiled->runs.size() == 1);
    const double mu = 0.3 * std::sqrt(8.0);
    CHECK(profiled->mu >= mu);
    CHECK(profiled->mu <= mu * (1.0 + 1e-9));

    // A plan is Gaussian by its steps.
    Event plan;
    plan.open.mechanism = "gnmax";
    plan.open.queries = 2;
    plan.open.delta = kDelta;
    plan.open.steps = steps_of(gnmax(5.0), {}, 2, 2);
    RecordSums planned({run, plan}, 1);
    const double of_plan = std::sqrt(*plan.open.steps->squared_mu());
    REQUIRE(planned.profiled());
    CHECK(planned.profiled()->mu >= of_plan);
    CHECK(planned.profiled()->mu <= of_plan * (1.0 + 1e-9));
  }

  TEST_CASE("a profile has a list of queries as often as it counts, up to a thousand times") {
    Event run = exact_run();
    run.times = 3;
    CHECK(RecordSums({run}, 1).profiled()->runs.size() == 3);
    run.times = 1000;
    CHECK(RecordSums({run}, 1).profiled()->runs.size() == 1000);
    run.times = 1001;
    CHECK(!RecordSums({run}, 1).profiled());
  }

  TEST_CASE("events that are neither exact nor Gaussian have no profile, nor have deltas apart") {
    const Event run = exact_run();
    CHECK(!RecordSums({gaussian(0.3, 1)}, 1).profiled());
    ForeignStep concentrated;
    concentrated.rho = 0.1;
    CHECK(!RecordSums({run, foreign_event("r", "test", concentrated)}, 1).profiled());
    Event claim = foreign_event("c", "test", PrivacyClaim{0.1, 0.0, 1});
    CHECK(!RecordSums({run, claim}, 1).profiled());
    claim.open.claim->delta = 1e-9;
    CHECK(!RecordSums({run, claim}, 1).profiled());
    Event laplace;
    laplace.open.mechanism = "lnmax";
    laplace.open.steps = steps_of(lnmax(5.0), {}, 2, 2);
    CHECK(!RecordSums({run, laplace}, 1).profiled());
  }

  TEST_CASE("a sum with Gaussian events costs more by the profile, and less than apart") {
    const auto profile_of = [](const Record& record) -> double {
      const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
      for (const CostEntry& cost : account.costs) {
        if (cost.bound == Bound::exact && cost.conversion == EpsilonMethod::profile) {
          CHECK(cost.lower <= cost.epsilon);
          return cost.epsilon;
        }
      }
      return std::nan("");
    };
    const double alone = profile_of({exact_run()});
    const double with_one = profile_of({exact_run(), gaussian(0.3, 1)});
    const double with_four = profile_of({exact_run(), gaussian(0.3, 4)});
    const double as_one = profile_of({exact_run(), gaussian(0.6, 1)});
    CHECK(alone < with_one);
    CHECK(with_one < with_four);
    CHECK(with_four == doctest::Approx(as_one).epsilon(1e-6));
  }

  TEST_CASE("lists made from answers of others cost what they cost for any votes") {
    Event chosen = exact_run();
    chosen.open.origin.rows_from_answers = true;
    RecordSums alone({chosen}, 1);
    CHECK(!alone.is_adaptive());
    CHECK(alone.has_votes());
    CHECK(alone.has_exact());
    Event fixed = analysis_of({gnmax(4.0), {{8, 2, 0}}}, kDelta, true);
    RecordSums both({chosen, fixed}, 1);
    CHECK(both.is_adaptive());
    CHECK(both.has_votes());
    const std::vector<double> orders{2.0, 6.0};
    EventCosts of_chosen(chosen, 1);
    EventCosts of_fixed(fixed, 1);
    const std::vector<double> bound = both.tradeoff(orders);
    const std::vector<BothDirections> exact = both.exact(orders);
    for (std::size_t j = 0; j < orders.size(); ++j) {
      const double any = of_chosen.any_votes(orders[j]);
      CHECK(bound[j] == doctest::Approx(any + of_fixed.tradeoff(orders)[j]).epsilon(1e-14));
      const BothDirections its = of_fixed.exact(orders)[j];
      CHECK(exact[j].forward == doctest::Approx(any + its.forward).epsilon(1e-14));
      CHECK(exact[j].reverse == doctest::Approx(any + its.reverse).epsilon(1e-14));
    }
    fixed.open.origin.rows_from_answers = true;
    RecordSums neither({chosen, fixed}, 1);
    CHECK(!neither.has_votes());
    CHECK(!neither.has_exact());
    chosen.times = 2;
    CHECK(RecordSums({chosen}, 1).is_adaptive());
  }

  TEST_CASE("Gaussian steps of either kind are as many as their account says, for whomever") {
    for (const std::int64_t teachers : {1, 2, 3}) {
      Event plan;
      plan.open.mechanism = "confident";
      plan.open.steps = steps_of(confident(6.0, 20.0, 5.0), {Adjacency::replace, teachers}, 7, 4);
      plan.times = 2;
      const auto squared = RecordSums({plan}, 1).squared_mu();
      REQUIRE(squared);
      const double per_person = static_cast<double>(teachers * teachers);
      CHECK(*squared == doctest::Approx(2.0 * *plan.open.steps->squared_mu()).epsilon(1e-14));
      CHECK(*squared ==
            doctest::Approx(2.0 * per_person * (7.0 / 400.0 + 4.0 * 2.0 / 25.0)).epsilon(1e-14));
    }
    Event nothing;
    nothing.open.mechanism = "unknown";
    CHECK(!RecordSums({nothing}, 1).mixture());
    CHECK(!RecordSums({nothing, gaussian(0.3, 1)}, 1).squared_mu());
  }

  TEST_CASE("exact queries with next to no noise have exact costs and no profile") {
    const Event sharp = analysis_of({gnmax(0.01), {{9, 1, 0}, {5, 5, 0}}}, kDelta, true);
    const RecordAccount account = account_record({sharp}, {.delta = kDelta, .threads = 1});
    const auto has = [&](const char* code) {
      return std::ranges::any_of(account.notices,
                                 [&](const Notice& its) { return its.code == std::string(code); });
    };
    const bool has_profile = std::ranges::any_of(account.costs, [](const CostEntry& cost) {
      return cost.bound == Bound::exact && cost.conversion == EpsilonMethod::profile;
    });
    CHECK(has("no_profile") == !has_profile);
    CHECK(has("exact_private"));
    CHECK(!has_profile);
  }

  TEST_CASE("of one class nothing is told, and nothing is spent") {
    const Event event = analysis_of({gnmax(3.0), {{10}}}, kDelta, true);
    const RecordAccount account = account_record({event}, {.delta = kDelta, .threads = 1});
    int exact = 0;
    for (const CostEntry& cost : account.costs) {
      if (cost.bound != Bound::exact) continue;
      ++exact;
      CHECK(cost.epsilon == 0.0);
      if (cost.lower) CHECK(*cost.lower == 0.0);
    }
    CHECK(exact >= 2);
  }

  TEST_CASE("what cannot be added up is refused") {
    Event persons = exact_run();
    persons.open.steps->neighbours = {Adjacency::replace, 2};
    CHECK_THROWS_AS(RecordSums({exact_run(), persons}, 1), input_error);
  }
}
