#include "pate/release/curve/synthetic_votes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

using namespace pate;

namespace {

// Top counts, query by query, from the smallest.
std::vector<std::int32_t> tops_of(const std::map<SyntheticHistogram, std::int64_t>& votes) {
  std::vector<std::int32_t> tops;
  for (const auto& [counts, count] : votes) {
    tops.insert(tops.end(), static_cast<std::size_t>(count), counts.front());
  }
  return tops;
}

}  // namespace

TEST_SUITE("curve") {
  TEST_CASE("synthetic votes: of every teacher one, and the top shares that were asked for") {
    for (const std::int64_t classes : {2, 3, 10}) {
      for (const TopShares& shares : {TopShares{1.0, 0.3}, {1.0, 0.9}, {3.0, 0.4}, {3.0, 0.95}}) {
        CAPTURE(classes);
        CAPTURE(shares.shape);
        CAPTURE(shares.median);
        const auto votes = synthetic_votes(1000, classes, shares, 101);
        for (const auto& [counts, count] : votes) {
          CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == 1000);
          CHECK(std::is_sorted(counts.rbegin(), counts.rend()));
          CHECK(static_cast<std::int64_t>(counts.size()) == classes);
          CHECK(counts.back() >= 0);
        }
        const std::vector<std::int32_t> tops = tops_of(votes);
        REQUIRE(tops.size() == 101);
        // With few classes the largest count may be another than the one that was asked for.
        const double least = 1.0 / static_cast<double>(classes);
        if (shares.median >= 0.4) {
          CHECK(tops[50] ==
                doctest::Approx(1000.0 * (least + (1.0 - least) * shares.median)).epsilon(0.001));
        }
        CHECK(tops.back() > tops.front());
      }
    }
  }

  TEST_CASE("synthetic votes: the narrow shape spreads less than the wide one") {
    const auto spread = [](double shape) {
      const auto tops = tops_of(synthetic_votes(1000, 5, TopShares{shape, 0.6}, 100));
      return tops[90] - tops[10];
    };
    CHECK(spread(3.0) < spread(1.0) / 1.5);
  }

  TEST_CASE("synthetic votes: what is expected rises with the threshold, and is within bounds") {
    double before = 0.0;
    for (const double threshold : {0.0, 30.0, 60.0, 80.0, 95.0, 150.0}) {
      const auto shares = expected_top_shares(ThresholdCheck{threshold, 10.0}, 100, 4);
      REQUIRE(shares.size() == 4);
      CHECK(shares.front().median >= before);
      before = shares.front().median;
      for (const TopShares& its : shares) {
        CHECK(its.median >= 0.4);
        CHECK(its.median < 1.0);
      }
    }
    // A threshold of 0.8 of the teachers of 4 classes: (0.8 - 0.25) / 0.75.
    const auto at = expected_top_shares(ThresholdCheck{80.0, 10.0}, 100, 4);
    CHECK(at[0].median == doctest::Approx(11.0 / 15.0));
    CHECK(at[1].median == at[0].median);
    CHECK(at[2].median == doctest::Approx(13.0 / 15.0));
    CHECK(at[0].shape == 1.0);
    CHECK(at[1].shape == 3.0);
    const auto none = expected_top_shares(std::nullopt, 100, 4);
    CHECK(none[0].median == doctest::Approx(2.0 / 3.0));
  }
}
