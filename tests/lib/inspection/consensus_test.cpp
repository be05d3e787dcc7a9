#include "pate/inspection/consensus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

using pate::Consensus;
using pate::consensus;

namespace {

void check(const std::vector<std::int32_t>& histogram, const Consensus& expected) {
  const Consensus found = consensus(histogram);
  CHECK(found.top == expected.top);
  CHECK(found.second == expected.second);
  CHECK(found.gap == expected.gap);
  CHECK(found.tied == expected.tied);
  CHECK(found.unanimous == expected.unanimous);
}

}  // namespace

TEST_SUITE("inspection") {
  TEST_CASE("top and second count wherever they are") {
    check({7, 2, 1}, {7, 2, 5, false, false});
    check({1, 2, 7}, {7, 2, 5, false, false});
    check({2, 7, 1}, {7, 2, 5, false, false});
    check({2147483647, 0, 0}, {2147483647, 0, 2147483647, false, true});
  }

  TEST_CASE("a tie is at the top only") {
    check({4, 1, 4}, {4, 4, 0, true, false});
    check({3, 3, 3}, {3, 3, 0, true, false});
    check({1, 4, 1}, {4, 1, 3, false, false});
  }

  TEST_CASE("unanimous; one class is always") {
    check({0, 9, 0}, {9, 0, 9, false, true});
    check({9}, {9, 0, 9, false, true});
    check({8, 1}, {8, 1, 7, false, false});
  }

  TEST_CASE("without votes there is neither a tie nor unanimity") {
    check({0, 0}, {0, 0, 0, false, false});
    check({0}, {0, 0, 0, false, false});
  }

  TEST_CASE("agrees with sorting") {
    std::uint64_t state = 1;
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::int32_t> histogram(2 + static_cast<std::size_t>(round % 7));
      for (std::int32_t& votes : histogram) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        votes = static_cast<std::int32_t>(state >> 61U);
      }
      std::vector<std::int32_t> sorted = histogram;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      if (sorted[0] == 0) continue;
      check(histogram,
            {sorted[0], sorted[1], sorted[0] - sorted[1], sorted[0] == sorted[1], sorted[1] == 0});
    }
  }
}
