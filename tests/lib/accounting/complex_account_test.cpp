#include "pate/accounting/complex_account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// How many dumps: some, unless the environment asks for more.
int dumps() {
  const char* const asked = std::getenv("PATE_RANDOM_DUMPS");
  return asked == nullptr ? 300 : std::atoi(asked);
}

Neighbours random_neighbours(Random& random) {
  const Adjacency adjacency =
      random.integer(0, 1) == 0 ? Adjacency::replace : Adjacency::add_remove;
  return {adjacency, random.integer(0, 2) == 0 ? random.integer(2, 3) : 1};
}

Aggregator random_aggregator(Random& random, double teachers) {
  const double noise = std::max(teachers * random.log_uniform(0.003, 5.0), 0.2);
  Aggregator result;
  if (random.integer(0, 4) == 0) {
    result.noisy_max = LaplaceNoisyMax{noise};
    return result;
  }
  result.noisy_max = GaussianNoisyMax{noise};
  if (random.integer(0, 1) == 0) {
    result.selection = ThresholdCheck{teachers * random.uniform(-0.5, 2.0),
                                      teachers * random.log_uniform(0.01, 5.0)};
  }
  return result;
}

std::vector<Histogram> random_histograms(Random& random, std::int64_t teachers,
                                         std::size_t classes) {
  std::vector<Histogram> result(static_cast<std::size_t>(random.integer(1, 12)));
  const double agreement = random.log_uniform(1.0, 1000.0);
  for (Histogram& counts : result) {
    std::vector<double> shares(classes);
    for (double& share : shares) share = random.log_uniform(1.0, agreement);
    counts = histogram_by_shares(shares, teachers);
  }
  return result;
}

Run run_of(const VoteSource& votes, const Mechanism& aggregator) {
  return {votes,       RowSelection::all(votes.queries()), aggregator, {}, nullptr, std::nullopt,
          std::nullopt};
}

double epsilon_of(const Account& account, Bound bound, EpsilonMethod conversion) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.conversion == conversion &&
        cost.reading != GuaranteeKind::expected) {
      return cost.epsilon;
    }
  }
  return -1.0;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE(
      "random dumps: the certificate is never below the exact profile, nor above the trade-off "
      "bound") {
    Random random(73);
    std::vector<double> above;
    for (int i = 0; i < dumps(); ++i) {
      const Neighbours neighbours = random_neighbours(random);
      const auto classes =
          static_cast<std::size_t>(random.integer(2, neighbours.teachers > 1 ? 4 : 6));
      const std::int64_t teachers = std::llround(random.log_uniform(3.0, 500.0));
      const HistogramVotes votes(random_histograms(random, teachers, classes));
      Run run = run_of(votes, random_aggregator(random, static_cast<double>(teachers)));
      run.neighbours = neighbours;
      AccountSettings settings;
      settings.delta = std::pow(10.0, -random.uniform(1.0, 12.0));
      settings.models.insert({Bound::exact, Bound::complex});
      settings.profile_deltas = {settings.delta};
      settings.threads = 1;
      INFO("dump ", i, " delta ", settings.delta, " ", in_words(neighbours));
      const Account result = account(run, settings);
      const double complex = epsilon_of(result, Bound::complex, EpsilonMethod::profile);
      const double tradeoff = epsilon_of(result, Bound::tradeoff, EpsilonMethod::improved);
      CHECK(complex >= 0.0);
      CHECK(std::isfinite(complex));
      if (!result.profile) continue;
      const ProfileEnds& ends = result.profile->epsilon_at.front();
      CHECK(complex >= std::max(ends.lower[0], ends.lower[1]));
      const double exact = epsilon_of(result, Bound::exact, EpsilonMethod::profile);
      // What is left out of the run takes a billionth off delta.
      CHECK(complex <= tradeoff * (1.0 + 1e-6) + 1e-8);
      if (exact > 0.1 && exact < 20.0) above.push_back(complex / exact);
    }
    REQUIRE(above.size() > 20);
    std::ranges::sort(above);
    CHECK(above[above.size() / 2] < 1.2);
  }

  TEST_CASE("the certificate of shards is that of the run, to the bit, with any threads") {
    Random random(74);
    for (int i = 0; i < 5; ++i) {
      const HistogramVotes votes(random_histograms(random, 60, 4));
      Run run = run_of(votes, random_aggregator(random, 60.0));
      AccountSettings settings;
      settings.delta = 1e-5;
      settings.models.insert(Bound::complex);
      settings.threads = 1;
      const double whole =
          epsilon_of(account(run, settings), Bound::complex, EpsilonMethod::profile);
      settings.threads = 3;
      CHECK(epsilon_of(account(run, settings), Bound::complex, EpsilonMethod::profile) == whole);
      std::vector<Partials> parts(2);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        run.shard = {static_cast<std::int64_t>(part) + 1, 2};
        static_cast<void>(account(run, settings, &parts[part]));
      }
      const Partials merged = merge(parts);
      CHECK(epsilon_of(account(merged, run.aggregator, run.neighbours, settings), Bound::complex,
                       EpsilonMethod::profile) == whole);
    }
  }

  TEST_CASE("sums of parts of a run add up") {
    Random random(75);
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{12.0};
    aggregator.selection = ThresholdCheck{30.0, 10.0};
    const ExactMechanism mechanism(aggregator, {}, 60);
    std::vector<ExactQuery> queries;
    for (int i = 0; i < 9; ++i) {
      queries.push_back(
          {mechanism.group(random_histograms(random, 60, 5).front(), {}), random.integer(1, 30)});
    }
    const ComplexOrders orders = complex_orders(1.0, 1e-5);
    ExactRun all(mechanism, queries, 1);
    const ComplexSums whole = complex_sums(all, orders, 1e-16, 1);
    ComplexSums sum(orders);
    for (const ExactQuery& query : queries) {
      ExactRun one(mechanism, {query}, 1);
      sum.add(complex_sums(one, orders, 1e-16, 1));
    }
    CHECK(sum.forward.values() == whole.forward.values());
    CHECK(sum.reverse.values() == whole.reverse.values());
    CHECK(sum.left_out == whole.left_out);
    const BothDirections epsilon = complex_epsilon(whole, 1e-16, 1e-5);
    CHECK(epsilon.forward > 0.0);
    CHECK(std::isfinite(epsilon.reverse));
    // Where all of delta is spent on what is left out there is no epsilon.
    ComplexSums spent = whole;
    spent.left_out = 1'000'000;
    CHECK(std::isinf(complex_epsilon(spent, 1e-9, 1e-5).larger()));
  }
}
