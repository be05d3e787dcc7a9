#include "pate/inspection/findings.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "pate/votes/fingerprint.hpp"

using pate::DistinctCounter;
using pate::mix_bits;

TEST_SUITE("inspection") {
  TEST_CASE("counts each fingerprint once, zero too") {
    DistinctCounter counter;
    CHECK(counter.count() == 0);
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < 5000; ++i) counter.add(mix_bits(i));
    }
    CHECK(counter.count() == 5000);
    counter.add(0);
    counter.add(0);
    CHECK(counter.count() == 5001);
    CHECK(counter.is_exact());
  }

  TEST_CASE("exact up to its capacity, an estimate beyond") {
    DistinctCounter counter(4096);
    std::uint64_t i = 0;
    for (; i < 4096; ++i) counter.add(mix_bits(i));
    CHECK(counter.is_exact());
    CHECK(counter.count() == 4096);
    for (; i < 100000; ++i) counter.add(mix_bits(i));
    CHECK_FALSE(counter.is_exact());
    // Five standard deviations, for these fingerprints.
    const double error = static_cast<double>(counter.count()) / 100000.0 - 1.0;
    CHECK(std::abs(error) < 5.0 * std::sqrt(2.0 / 4096.0));
  }

  TEST_CASE("an estimate does not depend on order or repetition") {
    DistinctCounter up(100);
    DistinctCounter down(100);
    for (std::uint64_t i = 0; i < 3000; ++i) up.add(mix_bits(i));
    for (std::uint64_t i = 6000; i-- > 0;) down.add(mix_bits(i % 3000));
    CHECK(up.count() == down.count());
    CHECK_FALSE(up.is_exact());
  }

  TEST_CASE("fingerprints tell small histograms apart, and their order") {
    std::set<std::uint64_t> found;
    std::vector<std::int32_t> counts(3);
    for (counts[0] = 0; counts[0] < 40; ++counts[0]) {
      for (counts[1] = 0; counts[1] < 40; ++counts[1]) {
        for (counts[2] = 0; counts[2] < 40; ++counts[2]) found.insert(pate::fingerprint(counts));
      }
    }
    CHECK(found.size() == 64000);
  }

  TEST_CASE("fingerprints are the same everywhere") {
    // splitmix64 with seed 0 begins with this number.
    CHECK(mix_bits(0) == 0xe220a8397b1dcdafU);
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;
    CHECK(mix_bits(kStep) == 0x6e789e6aa1b965f4U);
  }
}
