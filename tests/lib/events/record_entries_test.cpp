#include "pate/events/record_entries.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/events/event_costs.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

// A run with a threshold check that stopped of itself, whose order was named beforehand.
Event checked_run(Random& random) {
  SmallRun small{confident(7.0, 2.0, 3.0), {}};
  for (int k = 0; k < 3; ++k) small.queries.push_back(pate_test::random_histogram(random, 10, 3));
  return labelling_of(small, kDelta, random, false);
}

CostEntry entry(double epsilon) {
  CostEntry result{Bound::data_independent, GuaranteeKind::worst_case, EpsilonMethod::improved,
                   epsilon, kDelta};
  result.releasable = true;
  return result;
}

}  // namespace

TEST_SUITE("record entries") {
  TEST_CASE("of numbers for any votes the smallest is public, and no other kind of number") {
    CHECK(least_public({}) == nullptr);
    std::vector<CostEntry> entries{entry(3.0), entry(2.0), entry(4.0), entry(2.0),
                                   entry(1.0), entry(1.0), entry(1.0)};
    entries[4].releasable = false;
    entries[5].promise = Promise::outcome;
    entries[6].data_dependent = true;
    CHECK(least_public(entries) == &entries[1]);
    CHECK(least_public(std::span(entries).subspan(4)) == nullptr);
  }

  TEST_CASE("every number for any votes may be published, of whatever events it is") {
    Random random(4611);
    ForeignStep concentrated;
    concentrated.rho = 0.05;
    Event told;
    told.open.kind = EventKind::step;
    told.open.mechanism = "another mechanism";
    told.open.foreign = concentrated;
    told.open.delta = kDelta;
    for (int round = 0; round < 20; ++round) {
      Record record{told, checked_run(random)};
      if (round % 2 == 1) record.push_back(claim_of(random));
      RecordSums sums(record, 1);
      std::vector<Notice> notices;
      const std::vector<CostEntry> entries =
          any_votes_entries(question_of(sums, {}, 2.0 * kDelta), notices);
      REQUIRE(!entries.empty());
      double least = std::numeric_limits<double>::infinity();
      for (const CostEntry& its : entries) {
        CHECK(its.releasable);
        CHECK(!its.data_dependent);
        CHECK(its.promise == Promise::fixed);
        CHECK(its.epsilon > 0.0);
        least = std::min(least, its.epsilon);
      }
      REQUIRE(least_public(entries) != nullptr);
      CHECK(least_public(entries)->epsilon == least);
    }
  }

  TEST_CASE("what was asked and answered costs its RDP at the order that was named, all of delta") {
    Random random(4612);
    int with_both = 0;
    for (int round = 0; round < 20; ++round) {
      const Record record{checked_run(random), checked_run(random)};
      RecordSums sums(record, 1);
      const RecordQuestion asked = question_of(sums, {}, kDelta);
      const auto named = sums.named_order();
      const std::vector<double> orders =
          named ? std::vector{*named} : std::vector{2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0};
      const double share = kDelta / static_cast<double>(orders.size());
      const auto least = [&](Conversion conversion, const std::vector<double>& rdp) {
        double result = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < orders.size(); ++j) {
          result = std::min(result, epsilon_from_rdp(conversion, rdp[j], orders[j], share));
        }
        return result;
      };
      std::vector<double> spent;
      for (const EventCosts::Spent& its : sums.realized(orders)) {
        CHECK(its.selection > 0.0);
        with_both += static_cast<int>(its.noisy_max > 0.0);
        spent.push_back(its.selection + its.noisy_max);
      }
      std::vector<Notice> notices;
      const std::vector<CostEntry> entries = realized_entries(asked, notices);
      REQUIRE(entries.size() == 2);
      for (const CostEntry& its : entries) {
        CHECK(its.epsilon == doctest::Approx(least(rdp_conversion(its.conversion), spent)));
        CHECK(its.delta == kDelta);
        CHECK(its.promise == Promise::outcome);
        CHECK(its.data_dependent);
        CHECK(!its.releasable);
      }

      const auto counted = counted_entry(asked, notices);
      REQUIRE(counted);
      std::vector<double> any;
      for (const double order : orders) any.push_back(sums.counted(order));
      CHECK(counted->epsilon == doctest::Approx(least(Conversion::improved, any)));
      CHECK(counted->releasable);
      CHECK(!counted->data_dependent);
      CHECK(counted->promise == Promise::outcome);
      CHECK(counted->epsilon >= entries.front().epsilon * (1.0 - 1e-12));
    }
    CHECK(with_both > 0);
  }

  TEST_CASE("a run that a limit may end costs no more than what ends it, another one its queries") {
    Random random(4613);
    for (int round = 0; round < 20; ++round) {
      Event run = checked_run(random);
      run.open.cap.reset();
      run.open.origin.limited = false;
      REQUIRE(!run.facts.table.empty());
      const std::vector<double> orders{2.0, 8.0, 20.0};
      const std::vector<double> queries = EventCosts(run, 1).tradeoff(orders);

      // Fewer answers than queries, as a limit leaves: their steps bound what is spent.
      Event limited = run;
      limited.open.origin.limited = true;
      limited.open.steps = steps_of(*run.open.aggregator, {}, 1, 0);
      const std::vector<double> of_steps = EventCosts(limited, 1).tradeoff(orders);
      for (std::size_t j = 0; j < orders.size(); ++j) {
        const double steps = limited.open.steps->rdp(orders[j]).total();
        CHECK(of_steps[j] == std::min(queries[j], steps));
      }

      Event capped = run;
      capped.open.cap = RdpCap{8.0, 0.5 * std::min(queries[0], queries[1])};
      const std::vector<double> under_cap = EventCosts(capped, 1).tradeoff(orders);
      CHECK(under_cap[0] == capped.open.cap->rdp);
      CHECK(under_cap[1] == capped.open.cap->rdp);
      CHECK(under_cap[2] <= queries[2]);
      CHECK(under_cap[2] > capped.open.cap->rdp);
    }
  }
}
