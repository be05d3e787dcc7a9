#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/events/record_exports.hpp"
#include "support/events.hpp"
#include "support/ledger_events.hpp"
#include "support/stability_tests.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

bool tells(const RecordAccount& account, const std::string& code) {
  return std::ranges::any_of(account.notices,
                             [&](const Notice& notice) { return notice.code == code; });
}

bool has_exact(const RecordAccount& account) {
  return std::ranges::any_of(account.costs,
                             [](const CostEntry& cost) { return cost.bound == Bound::exact; });
}

}  // namespace

// What is told of a sum beside its numbers.
TEST_SUITE("record told") {
  TEST_CASE("exact costs are told of sums without deltas that are apart, and of no others") {
    Random random(4801);
    for (int round = 0; round < 6; ++round) {
      const Event run = analysis_of({gnmax(3.0), {{6, 1, 1}, {4, 4, 0}}}, kDelta, true);
      const double apart = round % 2 == 0 ? 0.0 : random.log_uniform(1e-9, 1e-7);
      const Record record{run, foreign_event("c", "test", PrivacyClaim{0.1, apart, 1})};
      const RecordAccount account = account_record(record, {.delta = kDelta, .threads = 1});
      CHECK(has_exact(account) == (apart == 0.0));
      CHECK(tells(account, "bound_left_out") == (apart > 0.0));
    }
  }

  TEST_CASE("where claims take all of delta, pure steps alone are told of the others") {
    Random random(4804);
    const auto plan_with = [](const Mechanism& mechanism) {
      Event plan;
      plan.open.mechanism = mechanism.name();
      plan.open.queries = 3;
      plan.open.delta = kDelta;
      plan.open.steps = steps_of(mechanism, {}, 3, 3);
      return plan;
    };
    const SmallRun checked{confident(7.0, 2.0, 3.0), {{6, 3, 1}, {9, 1, 0}}};
    for (const double claimed : {1e-6, 3e-7}) {
      const Event claim = foreign_event("c", "test", PrivacyClaim{0.25, claimed, 1});
      for (const Event& other : {plan_with(gnmax(20.0)), analysis_of(checked, kDelta, true),
                                 labelling_of(checked, kDelta, random, false)}) {
        const std::string refused = message_of<input_error>([&] {
          (void)account_record({claim, other}, {.delta = claimed, .threads = 1});
        });
        CAPTURE(refused);
        CHECK(refused.starts_with("no cost of this record is known at delta"));
        CHECK_FALSE(
            account_record({claim, other}, {.delta = 2.0 * claimed, .threads = 1}).costs.empty());
      }
      const RecordAccount pure =
          account_record({claim, plan_with(lnmax(20.0))}, {.delta = claimed, .threads = 1});
      for (const CostEntry& cost : pure.costs) {
        CHECK(cost.conversion == EpsilonMethod::pure);
        CHECK(cost.epsilon == doctest::Approx(0.25 + 3.0 * *pure_epsilon(lnmax(20.0), {})));
        CHECK(cost.delta == claimed);
        // Others have no grid of losses for it, and are told what makes one.
        const Record both{claim, plan_with(lnmax(20.0))};
        CHECK(message_of<input_error>([&] {
                (void)record_losses(both, cost, {.threads = 1});
              }).find("leave out \1conversion pure, add \1delta with more, or export RDP") !=
              std::string::npos);
      }
    }
  }

  TEST_CASE("an event whose own deltas are more than its share is in no sum by shares") {
    Event tested;
    tested.open.mechanism = "ptr";
    tested.open.queries = 9;
    tested.open.delta = 1e-4;
    tested.open.steps = steps_of(stability_test(TestNoise::laplace, 0.5, 1e-6), {}, 9, 9);
    Event plan = tested;
    plan.open.mechanism = "gnmax";
    plan.open.steps = steps_of(gnmax(2.0), {}, 9, 9);
    const auto has = [](const RecordAccount& account, EpsilonMethod conversion, Bound bound) {
      return std::ranges::any_of(account.costs, [&](const CostEntry& cost) {
        return cost.conversion == conversion && cost.bound == bound;
      });
    };
    const RecordAccount sum = account_record({tested, plan}, {.delta = kDelta, .threads = 1});
    CHECK_FALSE(has(sum, EpsilonMethod::linear, Bound::data_independent));
    CHECK(sum.query_delta == doctest::Approx(9e-6));
    // Beside a number, whose delta is apart as well.
    const Event number = told_number(event_id("n"), "r", 1.5, event_id("run"));
    for (const double left : {8.5e-6, 9.5e-6}) {
      const double delta = left + number.open.drawn->delta;
      const RecordAccount with = account_record({number, tested}, {.delta = delta, .threads = 1});
      CHECK(has(with, EpsilonMethod::improved, Bound::released) == (left > 9e-6));
    }
  }

  TEST_CASE("what others tell up to an order is infinite at one beyond, and it is said") {
    Random random(4805);
    ForeignStep curve;
    curve.orders = {2.0, 4.0};
    curve.rdp = {0.1, 0.2};
    Event other = foreign_event("curve", "test", curve);
    other.open.delta = kDelta;
    Event run =
        labelling_of({confident(7.0, 2.0, 3.0), {{6, 3, 1}, {9, 1, 0}}}, kDelta, random, false);
    for (const double named : {3.0, 8.0}) {
      run.open.origin.order = named;
      const RecordAccount account = account_record({run, other}, {.delta = kDelta, .threads = 1});
      int realized = 0;
      for (const CostEntry& cost : account.costs) {
        if (cost.reading != GuaranteeKind::realized) continue;
        ++realized;
        CHECK(std::isfinite(cost.epsilon) == (named <= 4.0));
      }
      CHECK(realized == 3);
      CHECK(tells(account, "epsilon_infinite") == (named > 4.0));
      CHECK(std::isfinite(account.costs[account.headline].epsilon));
    }
  }

  TEST_CASE(
      "beside a number that tells no cost nothing is known of the steps, and they are left out") {
    const Event run =
        analysis_of({confident(7.0, 2.0, 3.0), {{6, 3, 1}, {9, 1, 0}}}, kDelta, false);
    Event number = told_number(event_id("n"), "r", 1.5, event_id("run"));
    const auto costs_of = [&] {
      return account_record({run, number}, {.delta = 1e-4, .threads = 1});
    };
    const auto known = costs_of();
    CHECK(std::ranges::count(known.costs, Bound::released, &CostEntry::bound) == 1);
    CHECK(known.costs.size() > 3);
    number.open.origin.parameters_from_votes = true;
    number.facts.noise = std::exchange(number.open.drawn->noise, {});
    const RecordAccount account = costs_of();
    REQUIRE(account.costs.size() == 1);
    CHECK(account.costs[0].bound == Bound::released);
    CHECK(account.costs[0].promise == Promise::none);
    CHECK(std::isfinite(account.costs[0].epsilon));
    CHECK(tells(account, "parameters_from_votes"));
    CHECK_FALSE(tells(account, "epsilon_infinite"));
    CHECK_FALSE(guarantee_of(account).holds);
  }

  TEST_CASE("an epsilon that is too small half of the time is none that bounds") {
    Random random(4802);
    const Event run = labelling(event_id("run"), "r");
    for (const auto& confidence : {std::optional<double>(), std::optional(0.25), std::optional(0.5),
                                   std::optional(0.501), std::optional(0.95)}) {
      Event number = told_number(event_id("number"), "r", 1.5, run.open.id);
      number.open.drawn->confidence = confidence;
      const RecordAccount account = account_record({run, number}, {.threads = 1});
      CHECK(tells(account, "not_a_bound") == (confidence && *confidence <= 0.5));
      CHECK(tells(account, "counts_released"));
    }
  }

  TEST_CASE("who shares teachers is told to how many, whatever others say of a record") {
    ForeignStep step;
    step.mu = 0.3;
    Event other = foreign_event("g", "test", step);
    other.open.delta = kDelta;
    for (const std::int64_t teachers : {1, 2, 5}) {
      CAPTURE(teachers);
      Event plan;
      plan.open.mechanism = "gnmax";
      plan.open.queries = 2;
      plan.open.delta = kDelta;
      plan.open.steps = steps_of(gnmax(20.0), {Adjacency::replace, teachers}, 2, 2);
      const RecordAccount account = account_record({plan, other}, {.threads = 1});
      CHECK(tells(account, "of_records") == (teachers > 1));
      const Guarantee sum = guarantee_of(account);
      const std::string wanted = teachers == 1 ? "each record is in the part of one teacher only"
                                               : "each record is in the parts of at most " +
                                                     std::to_string(teachers) + " teachers";
      CHECK(std::ranges::count(sum.assumes, wanted) == 1);
      CHECK(sum.protects == "one record of the data that the teachers learn from");
    }
  }

  TEST_CASE("costs for teachers that are added do not add up with what others say of a record") {
    ForeignStep step;
    step.mu = 0.3;
    Event plan;
    plan.open.mechanism = "gnmax";
    plan.open.queries = 2;
    plan.open.steps = steps_of(gnmax(20.0), {Adjacency::add_remove, 1}, 2, 2);
    CHECK(common_neighbours({plan, plan}).adds_or_removes());
    const std::string refused = message_of<input_error>([&] {
      (void)common_neighbours({plan, foreign_event("g", "test", step)});
    });
    CAPTURE(refused);
    CHECK(refused.starts_with(
        "what others say of one record does not add up with the gnmax run of 2 queries for "));
  }

  TEST_CASE("what others tell is said whole: each kind by its numbers, as often as it counts") {
    Random random(4803);
    for (int round = 0; round < 200; ++round) {
      ForeignStep step;
      const bool has_mu = random.integer(0, 1) == 0;
      const bool has_rho = random.integer(0, 1) == 0;
      const bool has_xi = random.integer(0, 1) == 0;
      const auto orders = static_cast<std::size_t>(random.integer(0, 3));
      if (has_mu) step.mu = random.log_uniform(0.1, 2.0);
      if (has_rho) step.rho = random.log_uniform(0.01, 1.0);
      if (has_xi) step.xi = random.log_uniform(0.01, 1.0);
      for (std::size_t k = 0; k < orders; ++k) {
        step.orders.push_back(2.0 * static_cast<double>(k) + 2.5);
        step.rdp.push_back(random.log_uniform(0.1, 1.0));
      }
      if (!has_mu && !has_rho && !has_xi && orders == 0) continue;
      step.count = random.integer(1, 3);
      Event event = foreign_event("training", "its page", step);
      event.times = random.integer(1, 2);
      const std::string said = foreign_in_words(event);
      CAPTURE(said);
      const auto says = [&](const std::string& words) {
        return said.find(words) != std::string::npos;
      };
      CHECK(said.starts_with("training (source: its page): "));
      CHECK(says(fmt::format("Gaussian DP with mu = {}", step.mu)) == has_mu);
      CHECK(says(fmt::format("({}, {})-zCDP", step.xi, step.rho)) == has_xi);
      CHECK(says(fmt::format(" {}-zCDP", step.rho)) == (has_rho && !has_xi));
      CHECK(says("RDP of ") == (orders == 1));
      CHECK(says(fmt::format("RDP at {} orders from 2.5 to ", orders)) == (orders > 1));
      const std::int64_t times = step.count * event.times;
      CHECK(said.ends_with(fmt::format(", {} times", times)) == (times > 1));
    }
  }
}
