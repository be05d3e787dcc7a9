// Costs that look at outcomes, of runs of a few queries: beside what is summed by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pate/accounting/account.hpp"
#include "support/labeling.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double epsilon_of_account(const Account& account, Bound bound, EpsilonMethod conversion) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.conversion == conversion &&
        cost.reading != GuaranteeKind::expected) {
      return cost.epsilon;
    }
  }
  return -1.0;
}

// The delta of one query with stability q, where one vote moves and the plurality stays.
double tested_delta(const StabilityTest& test, std::int64_t q, double epsilon) {
  double largest = 0.0;
  for (const std::int64_t w : {q - 1, q + 1}) {
    const double p[2] = {std::exp(log_answered(test, q)), std::exp(log_answered(test, w))};
    for (const int first : {0, 1}) {
      const double a = p[first];
      const double b = p[1 - first];
      const double e = std::exp(epsilon);
      largest =
          std::max(largest, std::max(0.0, a - e * b) + std::max(0.0, (1.0 - a) - e * (1.0 - b)));
    }
  }
  return largest;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("the exact profile of one tested query is that of its answer, for each noise") {
    const HistogramVotes votes({{40, 7, 3}});
    const std::int64_t q = stability(Histogram{40, 7, 3});
    for (const auto& test :
         {StabilityTest::with_gaussian(3.0, 1e-8), StabilityTest::with_laplace(1.2, 1e-8)}) {
      AccountSettings settings;
      settings.delta = 1e-2;
      settings.models.insert(Bound::exact);
      settings.threads = 1;
      settings.profile_deltas = {1e-2, 1e-3};
      const Account result = account(pate::test::run_of(votes, test), settings);
      const double epsilon = epsilon_of_account(result, Bound::exact, EpsilonMethod::profile);
      REQUIRE(epsilon > 0.05);
      CHECK(tested_delta(test, q, epsilon) <= 1e-2);
      CHECK(tested_delta(test, q, epsilon * 0.99 - 1e-3) > 1e-2);
      CHECK(epsilon <= epsilon_of_account(result, Bound::tradeoff, EpsilonMethod::improved));
      REQUIRE(result.profile);
      // A coarser grid costs more, not less.
      settings.profile_step = 0.0625;
      const Account coarse = account(pate::test::run_of(votes, test), settings);
      CHECK(epsilon_of_account(coarse, Bound::exact, EpsilonMethod::profile) >= epsilon);
    }
  }

  TEST_CASE("at q = 0 what may be answered otherwise is never below the delta of a test") {
    const HistogramVotes votes({{20, 20}});
    const auto test = StabilityTest::with_gaussian(2.0, 1e-3);
    AccountSettings settings;
    settings.delta = 2e-3;
    settings.models.insert(Bound::exact);
    settings.threads = 1;
    settings.profile_deltas = {2e-3};
    const double epsilon = epsilon_of_account(account(pate::test::run_of(votes, test), settings),
                                              Bound::exact, EpsilonMethod::profile);
    CHECK(std::isfinite(epsilon));
    // Another plurality: answers cannot be told to be the same, refusals are alike.
    CHECK(std::exp(log_answered(test, 0)) <= 2e-3);
    CHECK(tested_delta(test, 0, epsilon) <= 2e-3);
    // With less than the test's own delta no epsilon is enough.
    settings.profile_deltas = {5e-4};
    const Account less = account(pate::test::run_of(votes, test), settings);
    REQUIRE(less.profile);
    const ProfileEnds& ends = less.profile->epsilon_at.front();
    CHECK(std::isinf(std::max(ends.upper[0], ends.upper[1])));
  }

  TEST_CASE("of two queries: exact <= certificate, tilted <= trade-off, exact <= trade-off") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{4.0};
    const HistogramVotes votes({{9, 2, 1}, {6, 4, 2}});
    AccountSettings settings;
    settings.delta = 1e-4;
    settings.models.insert({Bound::exact, Bound::complex, Bound::tilted});
    settings.orders = {2.0, 4.0, 8.0};
    settings.profile_deltas = {1e-4};
    settings.threads = 1;
    const Account result = account(pate::test::run_of(votes, aggregator), settings);
    const double exact = epsilon_of_account(result, Bound::exact, EpsilonMethod::profile);
    const double complex = epsilon_of_account(result, Bound::complex, EpsilonMethod::profile);
    const double tilted = epsilon_of_account(result, Bound::tilted, EpsilonMethod::improved);
    const double tradeoff = epsilon_of_account(result, Bound::tradeoff, EpsilonMethod::improved);
    CHECK(exact > 0.0);
    CHECK(complex >= exact * (1.0 - 1e-3));
    CHECK(complex <= 1.3 * exact);
    CHECK(tilted > 0.0);
    CHECK(tilted <= tradeoff * (1.0 + 1e-9));
    CHECK(exact <= tradeoff);
  }
}
