#include "pate/as_published/vote_chains.hpp"

#include <doctest/doctest.h>

#include <vector>

using pate::VoteChains;
using pate::WeightedHistograms;

TEST_SUITE("as_published") {
  TEST_CASE("histograms that share their smaller counts make a chain, the largest first") {
    const VoteChains chains(
        WeightedHistograms{3,
                           {7, 2, 1, 6, 2, 2, 8, 1, 1, 7, 2, 1, 9, 1, 0, 6, 3, 1},
                           {1.0, 2.0, 4.0, 8.0, 0.0, 16.0}});
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
    const VoteChains chains(WeightedHistograms{2, {6, 4, 10, 0, 5, 5}, {1.0, 1.0, 1.0}});
    REQUIRE(chains.size() == 1);
    CHECK(chains.link(0).counts[0] == 10);
    CHECK(chains.link(2).counts[0] == 5);
  }

  TEST_CASE("no histograms make no chains") {
    CHECK(VoteChains(WeightedHistograms{4, {}, {}}).size() == 0);
    CHECK(VoteChains(WeightedHistograms{2, {1, 0}, {0.0}}).size() == 0);
  }
}
