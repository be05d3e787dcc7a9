#include "pate/events/account_record.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/events/run_events.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

Event plan(double sigma, std::int64_t queries) {
  Event event;
  event.open.mechanism = "gnmax";
  event.open.queries = queries;
  event.open.delta = kDelta;
  event.open.steps = steps_of(gnmax(sigma), {}, queries, queries);
  return event;
}

// Of so many queries with Gaussian noise.
double least(double sigma, std::int64_t queries, double delta) {
  return gaussian_dp_epsilon(std::sqrt(*steps_of(gnmax(sigma), {}, queries, queries).squared_mu()),
                             delta);
}

Event number(double epsilon, double delta) {
  Random random(4901);
  Event event = number_of(nullptr, {}, delta, random);
  event.open.drawn->epsilon = epsilon;
  event.open.origin.parameters_from_votes = false;
  return event;
}

const CostEntry* entry_of(const RecordAccount& account, Bound bound) {
  const auto found = std::ranges::find(account.costs, bound, &CostEntry::bound);
  return found == account.costs.end() ? nullptr : &*found;
}

}  // namespace

TEST_SUITE("account of a record") {
  TEST_CASE("a number that was drawn, and what is left of delta for the other events") {
    const Record record{number(1.5, 1e-6), plan(20.0, 3)};
    const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
    const CostEntry* const sum = entry_of(account, Bound::released);
    REQUIRE(sum != nullptr);
    const double others = least(20.0, 3, kDelta - 1e-6);
    CHECK(sum->epsilon >= 1.5 + others * (1.0 - 1e-12));
    CHECK(sum->epsilon <= (1.5 + others) * (1.0 + 1e-9));
    CHECK(sum->delta == kDelta);
    CHECK(sum->promise == Promise::outcome);
    CHECK(sum->releasable);
    REQUIRE(sum->parts.size() == 2);
    CHECK(sum->parts[0].second == doctest::Approx(others));
    CHECK(sum->parts[1].second == 1.5);

    // Told at its own delta: that of the plan, beside the number's.
    const RecordAccount at_own = account_record(record, {.threads = 1});
    CHECK(at_own.delta == 1.1e-5);
    CHECK(entry_of(at_own, Bound::released)->epsilon ==
          doctest::Approx(1.5 + least(20.0, 3, kDelta)).epsilon(1e-9));
  }

  TEST_CASE("where numbers leave nothing of delta there is no such sum") {
    const Record record{number(1.5, 1e-6), plan(20.0, 3)};
    for (const double delta : {1e-6, 5e-7}) {
      const RecordAccount account = account_record(record, {.delta = delta, .threads = 1});
      CHECK(entry_of(account, Bound::released) == nullptr);
      REQUIRE(account.released);
      CHECK(account.released->epsilon == 1.5);
    }
    const RecordAccount alone = account_record({number(1.5, 1e-6)}, {.delta = 1e-6, .threads = 1});
    REQUIRE(entry_of(alone, Bound::released) != nullptr);
    CHECK(entry_of(alone, Bound::released)->epsilon == 1.5);
    CHECK(entry_of(account_record({number(1.5, 1e-6)}, {.delta = 9e-7, .threads = 1}),
                   Bound::released) == nullptr);
  }

  TEST_CASE("parameters that were chosen from votes promise nothing, and are not published") {
    Event chosen = number(1.5, 1e-6);
    chosen.open.origin.parameters_from_votes = true;
    const RecordAccount account =
        account_record({chosen, plan(20.0, 3)}, {.delta = kDelta, .threads = 1});
    const CostEntry* const sum = entry_of(account, Bound::released);
    REQUIRE(sum != nullptr);
    CHECK(sum->promise == Promise::none);
    CHECK(!sum->releasable);
    CHECK(std::ranges::any_of(account.notices, [](const Notice& notice) {
      return notice.code == std::string("parameters_from_votes");
    }));
  }

  TEST_CASE("what a number adds for the rest of a ledger") {
    const ToldEpsilon of_plan = told_total({plan(20.0, 3)});
    CHECK(of_plan.epsilon == doctest::Approx(least(20.0, 3, kDelta)).epsilon(1e-9));
    CHECK(of_plan.delta == kDelta);
    CHECK(of_plan.promise == Promise::fixed);
    const ToldEpsilon both = told_total({number(1.5, 1e-6), plan(20.0, 3)});
    CHECK(both.epsilon == doctest::Approx(1.5 + of_plan.epsilon).epsilon(1e-9));
    CHECK(both.delta == 1.1e-5);
    CHECK(both.promise == Promise::outcome);
    const ToldEpsilon alone = told_total({number(1.5, 1e-6)});
    CHECK(alone.epsilon == 1.5);
    CHECK(alone.delta == 1e-6);
    Event unknown = plan(20.0, 3);
    unknown.open.steps.reset();
    CHECK(told_total({unknown}).epsilon == std::numeric_limits<double>::infinity());

    // Of a run that answers ended: by what was answered, which depends on them.
    Event ended;
    ended.open.id = std::string(32, 'a');
    ended.open.mechanism = "confident";
    ended.open.aggregator = confident(6.0, 20.0, 20.0);
    ended.open.teachers = 10;
    ended.open.classes = 3;
    ended.open.queries = 30;
    ended.open.delta = kDelta;
    ended.open.steps = steps_of(*ended.open.aggregator, {}, 30, 30);
    ended.open.realized = RealizedRun{30, 1};
    ended.open.origin.order = 8.0;
    ended.open.origin.limited = true;
    const ToldEpsilon by_answers = told_total({ended});
    CHECK(by_answers.promise == Promise::outcome);
    ended.open.realized.reset();
    const ToldEpsilon by_steps = told_total({ended});
    CHECK(by_steps.promise == Promise::fixed);
    CHECK(by_answers.epsilon < by_steps.epsilon);
  }

  TEST_CASE("a linear sum gives each event that claims no delta an equal share of it") {
    // Renyi DP of the little one keeps the large one from its exact composition.
    ForeignStep step;
    step.rho = 1e-6;
    Event little = foreign_event("r", "test", step);
    little.open.delta = kDelta;
    const auto linear_of = [](const Record& record) {
      const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
      const auto found =
          std::ranges::find(account.costs, EpsilonMethod::linear, &CostEntry::conversion);
      REQUIRE(found != account.costs.end());
      for (const CostEntry& cost : account.costs) {
        CHECK((cost.conversion == EpsilonMethod::linear || cost.epsilon > found->epsilon));
      }
      return found->epsilon;
    };
    const auto alone = [](const Event& event, double delta) {
      const RecordAccount account = account_record({event}, {.delta = delta, .threads = 1});
      return account.costs[account.headline].epsilon;
    };
    double half = kDelta / 2.0;
    double expected = least(4.0, 10, half) + alone(little, half);
    CHECK(linear_of({little, plan(4.0, 10)}) >= expected * (1.0 - 1e-12));
    CHECK(linear_of({little, plan(4.0, 10)}) <= expected * (1.0 + 1e-9));
    const Event claim = foreign_event("c", "test", PrivacyClaim{0.01, 1e-6, 1});
    half = (kDelta - 1e-6) / 2.0;
    expected = least(4.0, 10, half) + alone(little, half) + 0.01;
    CHECK(linear_of({little, plan(4.0, 10), claim}) >= expected * (1.0 - 1e-12));
    CHECK(linear_of({little, plan(4.0, 10), claim}) <= expected * (1.0 + 1e-9));
  }

  TEST_CASE("Gaussian events have no mixture of kinds, and events for nobody else's costs") {
    const RecordAccount account = account_record({plan(20.0, 3)}, {.delta = kDelta, .threads = 1});
    CHECK(std::ranges::find(account.costs, EpsilonMethod::profile, &CostEntry::conversion) ==
          account.costs.end());
    Event persons = plan(20.0, 3);
    persons.open.steps = steps_of(gnmax(20.0), {Adjacency::replace, 2}, 3, 3);
    const auto has_notice = [](const Record& record) {
      const RecordAccount its = account_record(record, {.delta = kDelta, .threads = 1});
      return std::ranges::any_of(its.notices, [](const Notice& notice) {
        return notice.code == std::string("of_records");
      });
    };
    const Event told = foreign_event("c", "test", PrivacyClaim{0.1, 0.0, 1});
    CHECK(has_notice({persons, told}));
    CHECK(!has_notice({persons}));
    CHECK(!has_notice({plan(20.0, 3), told}));
  }

  TEST_CASE("a budget that was declared rests on how its parameters were chosen, a plan does not") {
    const Event declared =
        declared_run(gnmax(5.0), 100, 10, 40, {1.5, 1e-6, 1}, std::string(32, 'd'));
    const auto assumed = [](const Record& record) {
      return guarantee_of(account_record(record, {.delta = kDelta, .threads = 1})).assumes;
    };
    Guarantee alone;
    assume_declared(alone);
    REQUIRE(!alone.assumes.empty());
    for (const std::string& line : alone.assumes) {
      CHECK(std::ranges::count(assumed({declared, plan(20.0, 3)}), line) == 1);
      CHECK(std::ranges::count(assumed({plan(20.0, 3)}), line) == 0);
    }
  }

  TEST_CASE("a claim that passed its test is not covered by what the sum promises") {
    Event passed = number(1.5, 1e-6);
    passed.open.drawn->noise = NumberNoise{ReleaseMethod::at_most, 0.0, 0.0, 0.1, 0.0};
    const auto left_out = [](const Record& record) {
      const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
      const Guarantee guarantee = guarantee_of(account);
      return std::ranges::any_of(guarantee.not_covered, [](const std::string& line) {
        return line.starts_with("a claim that passed its test");
      });
    };
    CHECK(left_out({passed, plan(20.0, 3)}));
    CHECK(!left_out({number(1.5, 1e-6), plan(20.0, 3)}));
  }

  TEST_CASE("a promise that counts a claim says which two numbers there were") {
    Event before = number(3.5, 1e-6);
    before.open.id = "before";
    before.open.drawn->noise = NumberNoise{ReleaseMethod::at_most, 0.0, 0.0, 0.1, 0.0};
    Event after = before;
    after.open.id = "after";
    after.open.drawn->epsilon = 1.5;
    after.open.drawn->covers = {"before"};
    const auto promise = [](const Record& record, Bound bound) {
      return guarantee_of(account_record(record, {.delta = kDelta, .bound = bound, .threads = 1}))
          .promise;
    };
    const std::string told = promise({before, after}, Bound::released);
    CHECK(told.find("1.5 where it passes, else 3.5") != std::string::npos);
    CHECK(told.find("is not (1.5, 1e-06)-differentially private") != std::string::npos);
    // What is told where the test does not pass holds for any votes.
    CHECK(promise({before}, Bound::released).find("two numbers") == std::string::npos);
  }

  TEST_CASE("deltas that leave nothing, or are none, are refused") {
    Event claim;
    claim.open.kind = EventKind::step;
    claim.open.mechanism = "another mechanism";
    claim.open.claim = PrivacyClaim{0.01, 1e-6, 1};
    const Record record{claim, plan(20.0, 3)};
    CHECK_THROWS_AS((void)account_record(record, {.delta = 9e-7}), input_error);
    for (const double delta : {0.0, -1e-5, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
      CHECK_THROWS_AS((void)account_record({plan(20.0, 3)}, {.delta = delta}), input_error);
    }
    CHECK_THROWS_AS((void)account_record({}, {}), parameter_error);
    Event unknown = plan(20.0, 3);
    unknown.open.steps.reset();
    CHECK_THROWS_AS((void)account_record({unknown}, {.delta = kDelta}), input_error);
  }
}
