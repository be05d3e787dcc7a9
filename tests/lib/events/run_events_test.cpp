#include "pate/events/run_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pate/accounting/headline.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;
const std::string kId(32, 'a');

SmallRun votes_with(const Aggregator& aggregator) {
  return {aggregator, {{9, 1, 0}, {5, 4, 1}, {4, 3, 3}}};
}

// The run of all queries, which some limits may end.
Event labelled(const Aggregator& aggregator, const RunLimits& limits, double order = 8.0) {
  const SmallRun small = votes_with(aggregator);
  const auto votes = small.votes();
  const Run run = pate::test::run_of(*votes, aggregator);
  PrivacyFilter filter(aggregator, {}, limits, kDelta, order);
  TestBits bits(4711);
  const LabelledQueries labels = label_queries(run, filter, {}, bits, 1);
  return labelled_run(label_account(run, labels, filter, limits, kDelta, 1), labels, filter, limits,
                      kId);
}

Account analysed(const SmallRun& small, std::optional<std::vector<double>> orders = {}) {
  const auto votes = small.votes();
  AccountSettings settings;
  settings.delta = kDelta;
  settings.orders = std::move(orders);
  settings.threads = 1;
  return account(pate::test::run_of(*votes, small.aggregator), settings);
}

}  // namespace

TEST_SUITE("run events") {
  TEST_CASE("a run whose queries followed answers counts for any votes, alone and in sums") {
    Random random(4803);
    for (int round = 0; round < 30; ++round) {
      const SmallRun small = random_run(random, 8, 3, 3);
      Account account = analysed(small);
      const Event fixed = analysed_run(account);
      follow_answers(account);
      const Event follows = analysed_run(account);
      CHECK(follows.open.origin.rows_from_answers);
      CHECK(follows.open.steps == fixed.open.steps);
      for (const Record& record : {Record{follows}, Record{follows, follows}}) {
        RecordSettings settings;
        settings.delta = kDelta;
        settings.threads = 1;
        for (const CostEntry& cost : account_record(record, settings).costs) {
          CHECK(!cost.data_dependent);
        }
      }
    }
  }

  TEST_CASE("what a filter guarantees at its order converts to its limit and no less") {
    Random random(4801);
    for (int round = 0; round < 200; ++round) {
      const double limit = random.log_uniform(0.01, 50.0);
      const double order = 1.0 + random.log_uniform(0.1, 200.0);
      const double delta = random.log_uniform(1e-12, 0.1);
      CAPTURE(limit);
      CAPTURE(order);
      CAPTURE(delta);
      const RdpCap cap = cap_of_filter(limit, order, delta);
      CHECK(cap.order == order);
      const double term = conversion_term(Conversion::improved, order, delta);
      CHECK(cap.rdp >= limit - term);
      CHECK(cap.rdp <= std::max(limit - term, 0.0) + 2e-14 * (limit + std::abs(term)));
      CHECK(cap.rdp > 0.0);
    }
  }

  TEST_CASE("an analysis did not happen; one order that it was asked for is the one it names") {
    const Event event = analysed_run(analysed(votes_with(gnmax(3.0))));
    CHECK(event.open.id.empty());
    CHECK(event.open.queries == 3);
    CHECK(event.open.teachers == 10);
    CHECK(event.open.classes == 3);
    CHECK(event.open.delta == kDelta);
    CHECK(!event.open.origin.order);
    CHECK(!event.open.realized);
    REQUIRE(!event.facts.table.empty());
    CHECK(std::ranges::all_of(
        event.facts.table, [](const QueryRow& row) { return row.answered == 0 && row.count > 0; }));
    const Event at_one = analysed_run(analysed(votes_with(gnmax(3.0)), {{6.0}}));
    CHECK(at_one.open.origin.order == 6.0);
    const Event at_two = analysed_run(analysed(votes_with(gnmax(3.0)), {{6.0, 7.0}}));
    CHECK(!at_two.open.origin.order);
  }

  TEST_CASE("without a table curves take its place") {
    Account account = analysed(votes_with(confident(6.0, 2.0, 3.0)));
    account.table.clear();
    account.exact_queries.clear();
    const Event event = analysed_run(account);
    REQUIRE(event.facts.curves);
    CHECK(event.facts.curves->orders == account.orders);
    CHECK(event.facts.curves->tradeoff == account.tradeoff);
    CHECK(event.facts.curves->published == account.published);
    account.tradeoff.reset();
    CHECK(!analysed_run(account).facts.curves);
  }

  TEST_CASE("a plan says how its queries would be answered, and how many there are") {
    const auto planned = [](const auto& change) {
      PlannedRun run;
      run.queries = 5;
      change(run);
      PlanSettings settings;
      settings.delta = kDelta;
      return planned_run(plan(run, settings));
    };
    const Event gaussian = planned([](PlannedRun& run) { run.sigma2 = 20.0; });
    CHECK(gaussian.open.mechanism == "gnmax");
    CHECK(gaussian.open.queries == 5);
    CHECK(gaussian.open.delta == kDelta);
    CHECK(!gaussian.open.aggregator);
    REQUIRE(gaussian.open.steps);
    CHECK(*gaussian.open.steps == steps_of(gnmax(20.0), {}, 5, 5));
    CHECK(planned([](PlannedRun& run) {
            run.sigma2 = 20.0;
            run.sigma1 = 30.0;
          }).open.mechanism == "confident");
    CHECK(planned([](PlannedRun& run) { run.laplace_scale = 20.0; }).open.mechanism == "lnmax");
    CHECK(planned([](PlannedRun& run) {
            run.ptr_laplace = 0.5;
            run.ptr_delta = 1e-8;
          }).open.mechanism.find("ptr") != std::string::npos);
  }

  TEST_CASE("answers decide where a threshold check meets a limit, and nowhere else") {
    const RunLimits none{3, {}, {}};
    const RunLimits answers{3, 1, {}};
    const RunLimits epsilon{3, {}, 30.0};
    const Event plain = labelled(gnmax(3.0), none);
    CHECK(plain.open.id == kId);
    CHECK(plain.open.queries == 3);
    CHECK(plain.open.realized == RealizedRun{3, 3});
    CHECK(plain.open.origin.order == 8.0);
    CHECK(plain.open.origin.stopped.empty());
    CHECK(!plain.open.origin.limited);
    CHECK(!plain.open.cap);
    CHECK(*plain.open.steps == steps_of(gnmax(3.0), {}, 3, 3));
    CHECK(std::ranges::all_of(plain.facts.table,
                              [](const QueryRow& row) { return row.answered == 0; }));

    const Aggregator checked = confident(6.0, 2.0, 3.0);
    CHECK(!labelled(checked, none).open.origin.limited);
    CHECK(labelled(checked, answers).open.origin.limited);
    CHECK(labelled(checked, epsilon).open.origin.limited);
    // How many are answered is certain beforehand.
    CHECK(!labelled(gnmax(3.0), epsilon).open.origin.limited);

    const Event capped = labelled(checked, epsilon, 5.0);
    REQUIRE(capped.open.cap);
    CHECK(*capped.open.cap == cap_of_filter(30.0, 5.0, kDelta));
    CHECK(!labelled(checked, answers).open.cap);
    const Event one = labelled(confident(1.0, 0.5, 3.0), answers);
    CHECK(one.open.realized->answered == 1);
    CHECK(one.open.origin.stopped == "max_answers");
    CHECK(*one.open.steps == steps_of(confident(1.0, 0.5, 3.0), {}, 3, 1));
  }

  TEST_CASE("a run with a declared budget is that budget, for whom it is") {
    const Event event =
        declared_run(gnmax(5.0), 100, 10, 40, {1.5, 1e-6, 1, {Adjacency::replace, 2}}, kId);
    CHECK(event.open.kind == EventKind::declared);
    CHECK(event.open.id == kId);
    CHECK(event.open.delta == 1e-6);
    CHECK(event.open.queries == 40);
    CHECK(event.open.teachers == 100);
    CHECK(event.open.classes == 10);
    REQUIRE(event.open.claim);
    CHECK(event.open.claim->epsilon == 1.5);
    CHECK(event.open.claim->delta == 1e-6);
    CHECK(event.open.claim->count == 1);
    CHECK(event.open.claim->neighbours == Neighbours{Adjacency::replace, 2});
    CHECK(!event.open.steps);
    CHECK(event.facts == PrivateFacts{});
  }

  TEST_CASE("answers of a private majority are events where each is drawn anew") {
    MajorityPlan plan;
    plan.settings.teachers.teachers = 7;
    plan.settings.target = {0.4, 1e-7};
    plan.settings.queries = 6;
    plan.costs.push_back({});
    plan.costs.front().delta = 6e-7;
    plan.settings.setting = TeacherSetting::independent_fresh;
    const Event fresh = majority_answers(plan, kId);
    CHECK(fresh.open.kind == EventKind::majority);
    CHECK(fresh.open.protects_records);
    CHECK(fresh.open.queries == 6);
    CHECK(fresh.open.teachers == 7);
    CHECK(fresh.open.classes == 2);
    CHECK(fresh.open.delta == 6e-7);
    CHECK(fresh.open.claim == PrivacyClaim{0.4, 1e-7, 6, {Adjacency::replace, 1}});

    plan.settings.setting = TeacherSetting::non_private;
    plan.settings.teachers.affected = 3;
    const Event plain = majority_answers(plan, "");
    CHECK(!plain.open.protects_records);
    CHECK(!plain.happened());
    CHECK(plain.open.claim->neighbours == Neighbours{Adjacency::replace, 3});
    for (const TeacherSetting setting :
         {TeacherSetting::static_whole, TeacherSetting::static_shards}) {
      plan.settings.setting = setting;
      CHECK_THROWS_AS((void)majority_answers(plan, kId), parameter_error);
    }
  }
}
