#include "pate/accounting/trajectory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "pate/accounting/account.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

Account account_of(const VoteSource& votes, std::int64_t queries, const Mechanism& mechanism,
                   GuaranteeKind reading, EpsilonMethod conversion, bool grid_only) {
  AccountSettings settings;
  settings.delta = kDelta;
  settings.threads = 1;
  settings.reading = reading;
  settings.conversion = conversion;
  if (grid_only) settings.orders = {2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0};
  Run run = run_of(votes, mechanism);
  run.rows = RowSelection::first(queries);
  return account(run, settings);
}

struct Case {
  Mechanism mechanism;
  GuaranteeKind reading;
  EpsilonMethod conversion;
};

}  // namespace

TEST_SUITE("trajectory") {
  TEST_CASE(
      "after some queries a run costs what an account of these says, for any votes or these") {
    Random random(5301);
    constexpr std::int64_t kQueries = 12;
    // Every histogram is there twice, not side by side.
    std::vector<std::int64_t> counts;
    for (std::int64_t i = 0; i < kQueries / 2; ++i) {
      for (const auto count : pate_test::random_histogram(random, 20, 3)) counts.push_back(count);
    }
    const std::vector<std::int64_t> again = counts;
    counts.insert(counts.end(), again.begin(), again.end());
    const auto votes = votes_of(kQueries, 3, counts);
    constexpr GuaranteeKind kAny = GuaranteeKind::worst_case;
    constexpr GuaranteeKind kVotes = GuaranteeKind::joint;
    const std::vector<Case> cases{{gnmax(4.0), kAny, EpsilonMethod::optimal},
                                  {gnmax(4.0), kAny, EpsilonMethod::improved},
                                  {confident(12.0, 5.0, 4.0), kAny, EpsilonMethod::classic},
                                  {confident(12.0, 5.0, 4.0), kAny, EpsilonMethod::gdp},
                                  {lnmax(8.0), kAny, EpsilonMethod::pure},
                                  {lnmax(8.0), kAny, EpsilonMethod::kov},
                                  {lnmax(8.0), kAny, EpsilonMethod::improved},
                                  {gnmax(4.0), kVotes, EpsilonMethod::improved},
                                  {confident(12.0, 5.0, 4.0), kVotes, EpsilonMethod::optimal},
                                  {lnmax(8.0), kVotes, EpsilonMethod::classic}};
    for (const Case& its : cases) {
      CAPTURE(its.mechanism.name());
      CAPTURE(name(its.conversion));
      CAPTURE(name(its.reading));
      const Account whole =
          account_of(*votes, kQueries, its.mechanism, its.reading, its.conversion, true);
      const std::vector<TrajectoryPoint>& points = whole.trajectory;
      REQUIRE(points.size() > 5);
      CHECK(points.back().queries == kQueries);
      CHECK(points.back().epsilon == whole.costs[whole.headline].epsilon);
      for (std::size_t k = 0; k < points.size(); ++k) {
        CAPTURE(points[k].queries);
        const Account first =
            account_of(*votes, points[k].queries, its.mechanism, its.reading, its.conversion, true);
        const double own = first.costs[first.headline].epsilon;
        CHECK(points[k].epsilon == doctest::Approx(own).epsilon(1e-8));
        CHECK(points[k].order == first.costs[first.headline].order.value_or(0.0));
        CHECK(points[k].answered == doctest::Approx(its.reading == kAny
                                                        ? static_cast<double>(points[k].queries)
                                                        : first.answered_expected)
                                        .epsilon(1e-12));
        if (k > 0) CHECK(points[k].epsilon >= points[k - 1].epsilon);
      }
      // Where orders are looked for, the grid's best before the end is above it, never below.
      const Account searched =
          account_of(*votes, kQueries, its.mechanism, its.reading, its.conversion, false);
      for (std::size_t k = 0; k + 1 < searched.trajectory.size(); ++k) {
        const TrajectoryPoint& point = searched.trajectory[k];
        const Account first =
            account_of(*votes, point.queries, its.mechanism, its.reading, its.conversion, false);
        CHECK(point.epsilon >= first.costs[first.headline].epsilon * (1.0 - 1e-9));
        CHECK(point.epsilon <= searched.trajectory[k + 1].epsilon);
      }
    }
  }

  TEST_CASE("of many queries some points are told, with all that were answered before") {
    constexpr std::int64_t kMany = 5'000;
    std::vector<std::int64_t> counts;
    for (std::int64_t i = 0; i < kMany; ++i) {
      for (const std::int64_t count : {i % 2 == 0 ? 12 : 15, i % 2 == 0 ? 8 : 5}) {
        counts.push_back(count);
      }
    }
    const auto votes = votes_of(kMany, 2, counts);
    const auto of = [&](std::int64_t queries) {
      return account_of(*votes, queries, confident(13.0, 5.0, 40.0), GuaranteeKind::joint,
                        EpsilonMethod::improved, true);
    };
    const Account whole = of(kMany);
    REQUIRE(whole.trajectory.size() > 10);
    REQUIRE(whole.trajectory.size() < kMany / 2);
    for (std::size_t k = 0; k < whole.trajectory.size(); k += whole.trajectory.size() / 5) {
      const TrajectoryPoint& point = whole.trajectory[k];
      const Account first = of(point.queries);
      CHECK(point.answered == doctest::Approx(first.answered_expected).epsilon(1e-10));
      CHECK(point.epsilon == doctest::Approx(first.costs[first.headline].epsilon).epsilon(1e-8));
    }
  }

  TEST_CASE("a query that costs next to nothing leaves no point above the end") {
    // Ten queries, then one in perfect agreement.
    std::vector<std::int64_t> counts;
    for (int i = 0; i < 10; ++i) counts.insert(counts.end(), {30, 20});
    counts.insert(counts.end(), {50, 0});
    const auto votes = votes_of(11, 2, counts);
    const Account found =
        account_of(*votes, 11, gnmax(5.0), GuaranteeKind::joint, EpsilonMethod::improved, false);
    const Account ten =
        account_of(*votes, 10, gnmax(5.0), GuaranteeKind::joint, EpsilonMethod::improved, false);
    REQUIRE(found.trajectory.size() == 11);
    CHECK(found.trajectory[9].epsilon == found.trajectory[10].epsilon);
    CHECK(found.trajectory[9].order == found.trajectory[10].order);
    CHECK(found.trajectory[9].epsilon >= ten.costs[ten.headline].epsilon * (1.0 - 1e-9));
  }
}
