// What runs cost whose queries samples of the teachers answer: never less than what a teacher that
// is added or removed changes of all their answers together, and plan's number for any votes.

#include "pate/accounting/sampled_account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/accounting/planning/plan.hpp"
#include "pate/base/error.hpp"
#include "support/hockey_stick.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/sampled_answers.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kDelta = 1e-3;
constexpr Neighbours kAddRemove{Adjacency::add_remove, 1};

CostedMechanism mechanism_of(const SampledQuery& query) {
  Aggregator aggregator = pate::test::gnmax(query.noise.sigma2);
  if (query.noise.has_check()) {
    aggregator = pate::test::confident(query.threshold, query.noise.sigma1, query.noise.sigma2);
  }
  return {aggregator, kAddRemove};
}

AccountSettings settings_of(double delta, bool exact) {
  AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  if (exact) settings.models.insert(Bound::exact);
  return settings;
}

const CostEntry* entry_of(const Account& account, Bound bound, EpsilonMethod conversion) {
  const auto found = std::ranges::find_if(account.costs, [&](const CostEntry& cost) {
    return cost.bound == bound && cost.conversion == conversion;
  });
  return found == account.costs.end() ? nullptr : &*found;
}

Probabilities product(const Probabilities& a, const Probabilities& b) {
  Probabilities result;
  for (const long double x : a) {
    for (const long double y : b) result.push_back(x * y);
  }
  return result;
}

// The largest Renyi divergence from the votes to a neighbour, or the other way round.
long double worst_renyi(const Probabilities& p, const std::vector<Probabilities>& others,
                        long double order, bool forward) {
  long double largest = 0.0L;
  for (const Probabilities& other : others) {
    const Probabilities& a = forward ? p : other;
    const Probabilities& b = forward ? other : p;
    long double sum = 0.0L;
    for (std::size_t o = 0; o < a.size(); ++o) {
      if (a[o] > 0.0L) sum += a[o] * std::pow(a[o] / b[o], order - 1.0L);
    }
    largest = std::max(largest, std::log(sum) / (order - 1.0L));
  }
  return largest;
}

}  // namespace

TEST_SUITE("sampled_account") {
  TEST_CASE("no teacher loses more than it is said to: all samples, all neighbours, two queries") {
    const std::vector<Histogram> queries{{3, 1, 0}, {2, 2, 0}};
    const HistogramVotes votes(queries);
    for (const SampledQuery& query :
         {SampledQuery{{0.5, 2.0, 0.0}, 0.0}, SampledQuery{{0.2, 1.0, 0.0}, 0.0},
          SampledQuery{{
                           0.6,
                           1.5,
                           1.0,
                       },
                       1.5}}) {
      const Account account = account_sampled(pate::test::run_of(votes, mechanism_of(query)),
                                              query.noise.rate, settings_of(kDelta, true));
      const CostEntry* const profile = entry_of(account, Bound::exact, EpsilonMethod::profile);
      const CostEntry* const optimal = entry_of(account, Bound::exact, EpsilonMethod::optimal);
      const CostEntry* const any =
          entry_of(account, Bound::data_independent, EpsilonMethod::profile);
      REQUIRE(profile != nullptr);
      REQUIRE(optimal != nullptr);
      REQUIRE(any != nullptr);
      CHECK(profile->epsilon <= optimal->epsilon);
      CHECK(profile->epsilon <= any->epsilon * (1.0 + 1e-6));
      CHECK(account.headline < account.costs.size());
      const Probabilities p =
          product(sampled_answers(query, queries[0]), sampled_answers(query, queries[1]));
      double largest = 0.0;
      // A teacher that is there on both queries, or is not.
      for (const int by : {-1, 1}) {
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            std::vector<Histogram> others = queries;
            others[0][i] += by;
            others[1][j] += by;
            if (others[0][i] < 0 || others[1][j] < 0) continue;
            const Probabilities q =
                product(sampled_answers(query, others[0]), sampled_answers(query, others[1]));
            largest = std::max({largest, hockey_stick(p, q, profile->epsilon),
                                hockey_stick(q, p, profile->epsilon)});
          }
        }
      }
      CHECK(largest <= kDelta);
      // The worst neighbour of each query is there for both of these.
      CHECK(largest >= 0.9 * kDelta);
    }
  }

  TEST_CASE("a teacher is there more on all queries or less on all: each change has its own sum") {
    Random random(61);
    double nearest = 0.0;  // to delta, by complex orders
    int smaller = 0;       // than the sum of what is worse at every query
    for (int trial = 0; trial < 24; ++trial) {
      const std::int64_t teachers = random.integer(2, 5);
      const auto classes = static_cast<std::size_t>(random.integer(2, 3));
      std::vector<Histogram> queries(2);
      for (Histogram& query : queries) {
        query.assign(classes, 0);
        for (std::int64_t t = 0; t < teachers; ++t) {
          ++query[static_cast<std::size_t>(
              random.integer(0, static_cast<std::int64_t>(classes) - 1))];
        }
      }
      const bool has_check = trial % 3 == 0;
      const SampledQuery query{{random.uniform(0.1, 0.9), random.log_uniform(0.7, 3.0),
                                has_check ? random.log_uniform(0.7, 3.0) : 0.0},
                               has_check ? random.uniform(0.5, 3.0) : 0.0};
      AccountSettings settings = settings_of(kDelta, true);
      settings.orders = {1.5, 3.0, 9.0};
      settings.models.insert(Bound::complex);
      const HistogramVotes votes(queries);
      const Account account = account_sampled(pate::test::run_of(votes, mechanism_of(query)),
                                              query.noise.rate, settings);
      REQUIRE(account.exact);
      CAPTURE(query.noise.rate);
      CAPTURE(query.noise.sigma2);
      std::vector<Probabilities> p;
      for (const Histogram& its : queries) p.push_back(sampled_answers(query, its));
      // By change and query, what comes out on each neighbour.
      std::array<std::array<std::vector<Probabilities>, 2>, 2> others;
      for (const std::size_t c : {0U, 1U}) {
        for (std::size_t i = 0; i < 2; ++i) {
          for (std::size_t j = 0; j < classes; ++j) {
            Histogram neighbour = queries[i];
            neighbour[j] += c == 0 ? 1 : -1;
            if (neighbour[j] < 0) continue;
            others.at(c).at(i).push_back(sampled_answers(query, neighbour));
          }
        }
      }
      const auto& orders = *settings.orders;
      for (std::size_t k = 0; k < orders.size(); ++k) {
        CAPTURE(orders[k]);
        for (const bool forward : {true, false}) {
          long double largest = 0.0L;
          long double each = 0.0L;
          for (std::size_t c = 0; c < 2; ++c) {
            long double sum = 0.0L;
            for (std::size_t i = 0; i < 2; ++i) {
              sum += worst_renyi(p[i], others.at(c).at(i), orders[k], forward);
            }
            largest = std::max(largest, sum);
          }
          for (std::size_t i = 0; i < 2; ++i) {
            each += std::max(worst_renyi(p[i], others[0].at(i), orders[k], forward),
                             worst_renyi(p[i], others[1].at(i), orders[k], forward));
          }
          if (largest < 0.999L * each) ++smaller;
          const double told = forward ? account.exact->forward[k] : account.exact->reverse[k];
          CHECK(told >= static_cast<double>(largest) * (1.0 - 1e-15));
          CHECK(told <= static_cast<double>(largest) * (1.0 + 1e-8));
        }
      }
      const CostEntry* const profile = entry_of(account, Bound::exact, EpsilonMethod::profile);
      const CostEntry* const certified = entry_of(account, Bound::complex, EpsilonMethod::profile);
      REQUIRE(certified != nullptr);
      if (profile == nullptr || !(profile->epsilon > 0.0)) continue;
      double excess = 0.0;
      double excess_certified = 0.0;
      const Probabilities of_votes = product(p[0], p[1]);
      for (const auto& its : others) {
        for (const Probabilities& a : its[0]) {
          for (const Probabilities& b : its[1]) {
            const Probabilities q = product(a, b);
            excess = std::max({excess, hockey_stick(of_votes, q, profile->epsilon),
                               hockey_stick(q, of_votes, profile->epsilon)});
            excess_certified =
                std::max({excess_certified, hockey_stick(of_votes, q, certified->epsilon),
                          hockey_stick(q, of_votes, certified->epsilon)});
          }
        }
      }
      CHECK(excess <= kDelta);
      CHECK(excess_certified <= kDelta);
      nearest = std::max(nearest, excess_certified);
    }
    CHECK(smaller > 10);
    CHECK(nearest > 0.5 * kDelta);
  }

  TEST_CASE("what any votes cost is what a plan says") {
    const HistogramVotes votes({{60, 30, 10}, {90, 5, 5}, {60, 30, 10}});
    for (const SampledQuery& query :
         {SampledQuery{{0.3, 8.0, 0.0}, 0.0}, SampledQuery{{0.3, 8.0, 20.0}, 25.0}}) {
      const Account account = account_sampled(pate::test::run_of(votes, mechanism_of(query)),
                                              query.noise.rate, settings_of(1e-5, false));
      PlannedRun run;
      run.sigma2 = query.noise.sigma2;
      if (query.noise.has_check()) run.sigma1 = query.noise.sigma1;
      run.queries = 3;
      run.neighbours = kAddRemove;
      run.sampling = Sampling{query.noise.rate};
      PlanSettings settings;
      settings.delta = 1e-5;
      const Plan expected = plan(run, settings);
      REQUIRE(account.costs.size() == expected.costs.size());
      for (std::size_t i = 0; i < account.costs.size(); ++i) {
        CHECK(account.costs[i].epsilon == expected.costs[i].epsilon);
      }
      CHECK(account.headline == expected.headline);
      CHECK(account.steps == expected.steps);
      CHECK(account.costs[account.headline].releasable);
    }
  }

  TEST_CASE("the profile is the same for any number of threads") {
    const HistogramVotes votes({{60, 30, 10}, {90, 5, 5}, {50, 30, 20}});
    const SampledQuery query{{0.5, 10.0, 20.0}, 35.0};
    AccountSettings settings = settings_of(1e-5, true);
    const Run run = pate::test::run_of(votes, mechanism_of(query));
    const Account one = account_sampled(run, 0.5, settings);
    settings.threads = 3;
    const Account three = account_sampled(run, 0.5, settings);
    REQUIRE(one.costs.size() == three.costs.size());
    for (std::size_t i = 0; i < one.costs.size(); ++i) {
      CHECK(one.costs[i].epsilon == three.costs[i].epsilon);
    }
    const auto expected = [&](const Histogram& counts) {
      return 1.0 - static_cast<double>(sampled_answers(query, counts).back());
    };
    CHECK(expected({3, 1, 0}) < 1.0);
    CHECK(one.answered_expected > 0.0);
    CHECK(one.answered_expected < 3.0);
  }

  TEST_CASE("rates of samples are probabilities") {
    const HistogramVotes votes({{3, 1, 0}});
    const CostedMechanism gaussian = mechanism_of({{0.5, 2.0, 0.0}, 0.0});
    const auto refused = [&](double rate, const char* words) {
      CHECK_THROWS_WITH_AS((void)account_sampled(pate::test::run_of(votes, gaussian), rate,
                                                 settings_of(1e-5, false)),
                           doctest::Contains(words), parameter_error);
    };
    refused(0.0, "a probability above 0 and below 1, got 0;");
    refused(1.0, "a probability above 0 and below 1, got 1;");
    refused(std::nan(""), "a probability above 0 and below 1, got nan;");
  }
}
