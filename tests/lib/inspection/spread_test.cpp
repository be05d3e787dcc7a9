#include "pate/inspection/findings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

using pate::Bins;
using pate::Consensus;
using pate::consensus;
using pate::Frequencies;

namespace {

void check(const std::vector<std::int32_t>& histogram, const Consensus& expected) {
  const Consensus found = consensus(histogram);
  CHECK(found.top == expected.top);
  CHECK(found.second == expected.second);
  CHECK(found.gap == expected.gap);
  CHECK(found.tied == expected.tied);
  CHECK(found.unanimous == expected.unanimous);
}

Frequencies of(const std::vector<std::int32_t>& values) {
  Frequencies frequencies;
  for (const std::int32_t value : values) frequencies.add(value);
  return frequencies;
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

  TEST_CASE("one by one, many at once and in bulk are the same") {
    const std::vector<std::int32_t> values{5, 3, 5, 9, 3, 5};
    Frequencies at_once;
    at_once.add(values);
    at_once.add(std::vector<std::int32_t>{});
    Frequencies bulk;
    bulk.add(9);
    bulk.add(3, 2);
    bulk.add(5, 3);
    CHECK(of(values).times() == bulk.times());
    CHECK(at_once.times() == bulk.times());
    CHECK(bulk.times().at(5) == 3);
  }

  TEST_CASE("deciles as numpy.percentile gives them, to the bit") {
    // numpy.percentile(values, range(0, 101, 10)), numpy 1.24
    CHECK(of({7}).deciles() == std::vector<double>(11, 7.0));
    CHECK(of({1, 2}).deciles() ==
          std::vector<double>{1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0});
    CHECK(of({30, 0, 10}).deciles() ==
          std::vector<double>{0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 14.0, 18.0, 22.0, 26.0, 30.0});
    CHECK(of({3, 10}).deciles() == std::vector<double>{3.0, 3.7, 4.4, 5.1, 5.800000000000001, 6.5,
                                                       7.199999999999999, 7.8999999999999995, 8.6,
                                                       9.3, 10.0});
    CHECK(of({7, 1, 2, 0}).deciles() ==
          std::vector<double>{0.0, 0.30000000000000004, 0.6000000000000001, 0.8999999999999999,
                              1.2000000000000002, 1.5, 1.7999999999999998, 2.4999999999999982,
                              4.000000000000002, 5.500000000000001, 7.0});
    CHECK(of({4, 4, 4, 9, 9, 17}).deciles() ==
          std::vector<double>{4.0, 4.0, 4.0, 4.0, 4.0, 6.5, 9.0, 9.0, 9.0, 13.0, 17.0});
    std::vector<std::int32_t> hundred(101);
    std::iota(hundred.begin(), hundred.end(), 0);
    CHECK(of(hundred).deciles() == std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  }

  TEST_CASE("there are no deciles of nothing") {
    CHECK(Frequencies().deciles().empty());
  }

  TEST_CASE("a bin for every value up to 1000, at most 100 bins beyond") {
    CHECK(Bins::over(0).width == 1);
    CHECK(Bins::over(0).count == 1);
    CHECK(Bins::over(1000).width == 1);
    CHECK(Bins::over(1000).count == 1001);
    CHECK(Bins::over(1001).width == 11);
    CHECK(Bins::over(1001).count == 92);  // the last one: 1001 and more
    CHECK(Bins::over(9999).width == 100);
    CHECK(Bins::over(9999).count == 100);
    CHECK(Bins::over(10000).width == 101);
    for (const std::int64_t largest : {1001, 5000, 99999, 2147483647}) {
      const Bins bins = Bins::over(largest);
      CHECK(bins.count <= 100);
      CHECK(bins.count >= 90);
      CHECK(bins.width * bins.count > largest);
      CHECK(bins.width * (bins.count - 1) <= largest);
    }
  }

  TEST_CASE("a histogram puts values into their bins") {
    const Frequencies values = of({0, 9, 10, 10, 19, 29});
    CHECK(pate::histogram(values, Bins{10, 3}) == std::vector<std::int64_t>{2, 3, 1});
    CHECK(pate::histogram(of({2, 0, 2}), Bins{1, 4}) == std::vector<std::int64_t>{1, 0, 2, 0});
  }
}
