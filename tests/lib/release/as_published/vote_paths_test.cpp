#include "pate/release/as_published/vote_paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("as_published") {
  TEST_CASE("histograms that share their smaller counts make a chain, the largest first") {
    const VoteChains chains(
        WeightedHistograms{3,
                           {7, 2, 1, 6, 2, 2, 8, 1, 1, 7, 2, 1, 9, 1, 0, 6, 3, 1},
                           {1.0, 2.0, 4.0, 4.0, 0.0, 16.0},
                           {1, 1, 1, 2, 1, 1}});
    REQUIRE(chains.size() == 2);
    REQUIRE(chains.begin(0) == 0);
    REQUIRE(chains.begin(1) == 3);
    REQUIRE(chains.begin(2) == 4);
    const auto row = [&](std::size_t i) {
      const auto counts = chains.link(i).counts;
      return std::vector<int>(counts.begin(), counts.end());
    };
    CHECK(row(0) == std::vector{8, 1, 1});
    CHECK(row(1) == std::vector{7, 2, 1});
    CHECK(row(2) == std::vector{6, 3, 1});
    CHECK(row(3) == std::vector{6, 2, 2});
    CHECK(chains.link(0).weight == 4.0);
    CHECK(chains.link(1).weight == 9.0);
    CHECK(chains.link(2).weight == 16.0);
    CHECK(chains.link(3).weight == 2.0);
  }

  TEST_CASE("two classes make one chain") {
    const VoteChains chains(WeightedHistograms{2, {6, 4, 10, 0, 5, 5}, {1.0, 1.0, 1.0}, {1, 1, 1}});
    REQUIRE(chains.size() == 1);
    CHECK(chains.link(0).counts[0] == 10);
    CHECK(chains.link(2).counts[0] == 5);
  }

  TEST_CASE("no histograms make no chains") {
    CHECK(VoteChains(WeightedHistograms{4, {}, {}, {}}).size() == 0);
    CHECK(VoteChains(WeightedHistograms{2, {1, 0}, {0.0}, {1}}).size() == 0);
    CHECK(VoteChains(WeightedHistograms{2, {1, 0}, {1.0}, {0}}).size() == 0);
  }

  TEST_CASE("q from gaps is the union bound of the histogram") {
    Random random(441);
    for (int i = 0; i < 1000; ++i) {
      const GaussianNoisyMax mechanism{random.log_uniform(0.5, 300.0)};
      std::vector<std::int32_t> counts(static_cast<std::size_t>(random.integer(2, 40)));
      for (auto& count : counts) count = static_cast<std::int32_t>(random.integer(0, 300));
      std::sort(counts.begin(), counts.end(), std::greater<>());
      const std::int64_t shift = random.integer(-5, 5);
      std::vector<Gap> gaps;
      for (std::size_t j = 1; j < counts.size(); ++j) {
        gaps.push_back({counts[0] - counts[j] - shift, 1.0});
      }
      const GapTerms terms(mechanism, 400);
      const double got = terms.log_q(gaps, static_cast<double>(gaps.size()), shift);
      const double expected = log_q(mechanism, counts);
      CHECK_MESSAGE(relative_error(got, expected) < 1e-13,
                    show({{"sigma", mechanism.sigma}, {"got", got}, {"expected", expected}}));
    }
  }

  TEST_CASE("classes with the same gap may be given together") {
    const GapTerms terms({40.0}, 250);
    const std::vector<Gap> apart{{30, 1.0}, {70, 1.0}, {70, 1.0}, {70, 1.0}};
    const std::vector<Gap> together{{30, 1.0}, {70, 3.0}};
    CHECK(relative_error(terms.log_q(together, 4.0, 0), terms.log_q(apart, 4.0, 0)) < 1e-15);
  }
}
