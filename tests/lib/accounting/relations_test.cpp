#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

Account account_of(const std::vector<Histogram>& queries, const Aggregator& aggregator,
                   double delta, bool exact = false, unsigned threads = 1) {
  const HistogramVotes votes(queries);
  AccountSettings settings;
  settings.delta = delta;
  settings.threads = threads;
  if (exact) settings.models.insert(Bound::exact);
  // Every other query was answered.
  std::optional<std::vector<std::uint8_t>> decisions;
  if (aggregator.selection) {
    decisions.emplace();
    for (std::size_t i = 0; i < queries.size(); ++i) decisions->push_back((i + 1) % 2);
  }
  return account(
      {votes, RowSelection::all(votes.queries()), aggregator, {}, nullptr, decisions, {}},
      settings);
}

Aggregator random_aggregator(Random& random, int i, double sigma) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{sigma};
  if (i % 3 == 1) aggregator.selection = ThresholdCheck{random.uniform(6.0, 24.0), 2.0 * sigma};
  if (i % 3 == 2) aggregator.noisy_max = LaplaceNoisyMax{sigma};
  return aggregator;
}

const CostEntry& entry(const Account& account, Bound bound, EpsilonMethod conversion) {
  const auto found = std::ranges::find_if(account.costs, [&](const CostEntry& cost) {
    const bool is_whole =
        cost.reading == GuaranteeKind::joint || cost.reading == GuaranteeKind::worst_case;
    return cost.bound == bound && cost.conversion == conversion && is_whole;
  });
  REQUIRE(found != account.costs.end());
  return *found;
}

Histogram random_histogram(Random& random) {
  Histogram counts(5, 0);
  for (int t = 0; t < 30; ++t) {
    const double u = random.uniform(0.0, 1.0);
    ++counts[std::min<std::size_t>(static_cast<std::size_t>(5.0 * u * u * u), 4)];
  }
  return counts;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("relations: names of classes, order of queries, more noise, larger delta") {
    Random random(2121);
    for (int i = 0; i < 12; ++i) {
      std::vector<Histogram> queries;
      for (int q = 0; q < 4; ++q) queries.push_back(random_histogram(random));
      const double sigma = random.log_uniform(2.0, 20.0);
      Aggregator aggregator;
      aggregator.noisy_max = GaussianNoisyMax{sigma};
      if (i % 3 == 1) aggregator.selection = ThresholdCheck{18.0, 2.0 * sigma};
      if (i % 3 == 2) aggregator.noisy_max = LaplaceNoisyMax{sigma};
      const Account first = account_of(queries, aggregator, 1e-5);

      std::vector<Histogram> renamed = queries;
      for (Histogram& counts : renamed)
        std::rotate(counts.begin(), counts.begin() + 2, counts.end());
      // Those that were answered stay so.
      std::swap(renamed[0], renamed[2]);
      std::swap(renamed[1], renamed[3]);
      const Account same = account_of(renamed, aggregator, 1e-5);
      const Account looser = account_of(queries, aggregator, 1e-4);
      Aggregator noisier = aggregator;
      noisier.noisy_max = noise_of(aggregator.noisy_max.noise.index(), 1.3 * sigma);
      if (noisier.selection) noisier.selection->sigma1 *= 1.3;
      const Account quieter = account_of(queries, noisier, 1e-5);

      REQUIRE(same.costs.size() == first.costs.size());
      REQUIRE(looser.costs.size() == first.costs.size());
      REQUIRE(quieter.costs.size() == first.costs.size());
      for (std::size_t k = 0; k < first.costs.size(); ++k) {
        CHECK(same.costs[k].epsilon == first.costs[k].epsilon);
        CHECK(looser.costs[k].epsilon <= first.costs[k].epsilon);
        if (first.costs[k].bound != Bound::data_independent) continue;
        CHECK(quieter.costs[k].epsilon < first.costs[k].epsilon);
      }
    }
  }

  TEST_CASE("relations: exact, trade-off, any votes; profile, RDP; deltas; threads") {
    Random random(2122);
    for (int i = 0; i < 9; ++i) {
      std::vector<Histogram> queries;
      for (int q = 0; q < 3; ++q) queries.push_back(random_histogram(random));
      const Aggregator aggregator = random_aggregator(random, i, random.log_uniform(2.0, 30.0));
      const Account one = account_of(queries, aggregator, 1e-5, true);
      const auto epsilon = [&](Bound bound, EpsilonMethod conversion) {
        return entry(one, bound, conversion).epsilon;
      };
      for (const auto conversion : {EpsilonMethod::improved, EpsilonMethod::classic}) {
        CHECK(epsilon(Bound::exact, conversion) <= epsilon(Bound::tradeoff, conversion));
        CHECK(epsilon(Bound::tradeoff, conversion) <= epsilon(Bound::data_independent, conversion));
      }
      const CostEntry& profile = entry(one, Bound::exact, EpsilonMethod::profile);
      CHECK(profile.epsilon <= epsilon(Bound::exact, EpsilonMethod::improved));
      CHECK(*profile.lower <= profile.epsilon);
      CHECK(*profile.lower > 0.0);
      // No cost that holds for any votes is below what these votes cost at least.
      for (const CostEntry& cost : one.costs) {
        if (!cost.data_dependent) CHECK(cost.epsilon >= *profile.lower);
      }
      REQUIRE(one.profile);
      for (std::size_t k = 1; k < one.profile->deltas.size(); ++k) {
        for (std::size_t direction = 0; direction < 2; ++direction) {
          const bool falls = one.profile->deltas[k] < one.profile->deltas[k - 1];
          const ProfileEnds& less = one.profile->epsilon_at[falls ? k : k - 1];
          const ProfileEnds& more = one.profile->epsilon_at[falls ? k - 1 : k];
          CHECK(less.upper[direction] >= more.upper[direction]);
          CHECK(less.lower[direction] >= more.lower[direction]);
        }
      }
      const Account looser = account_of(queries, aggregator, 1e-4, true);
      const Account three = account_of(queries, aggregator, 1e-5, true, 3);
      REQUIRE(three.costs.size() == one.costs.size());
      REQUIRE(looser.costs.size() == one.costs.size());
      for (std::size_t k = 0; k < one.costs.size(); ++k) {
        CAPTURE(std::string(name(one.costs[k].conversion)));
        CHECK(three.costs[k].epsilon == one.costs[k].epsilon);
        CHECK(three.costs[k].order == one.costs[k].order);
        CHECK(looser.costs[k].epsilon <= one.costs[k].epsilon);
      }
    }
  }
}
