#include <doctest/doctest.h>

#include <algorithm>

#include "pate/accounting/account.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

Account account_of(const std::vector<Histogram>& queries, const Aggregator& aggregator,
                   double delta) {
  const HistogramVotes votes(queries);
  AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  return account({votes, RowSelection::all(votes.queries()), aggregator, nullptr, {}, {}},
                 settings);
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
      std::reverse(renamed.begin(), renamed.end());
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
}
