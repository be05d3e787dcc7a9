#include "pate/mechanisms/plurality_probability.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "pate/mechanisms/outcomes.hpp"
#include "support/random.hpp"

using namespace pate;

TEST_SUITE("mechanisms") {
  TEST_CASE("the plurality's probability is that of its outcome, whatever the noise") {
    pate_test::Random random(31);
    for (int round = 0; round < 400; ++round) {
      std::vector<std::int32_t> counts;
      const auto classes = random.integer(1, 12);
      for (std::int64_t k = 0; k < classes; ++k) {
        counts.push_back(static_cast<std::int32_t>(random.integer(1, 60)));
      }
      std::sort(counts.begin(), counts.end(), std::greater<>());
      const auto zeros = static_cast<std::size_t>(random.integer(0, 3) * random.integer(0, 900));
      const double noise = random.log_uniform(0.3, 300.0);
      for (const NoisyMax& noisy_max :
           {NoisyMax{GaussianNoisyMax{noise}}, NoisyMax{LaplaceNoisyMax{noise}}}) {
        if (round > 40 && !noisy_max.is_gaussian()) continue;
        const double expected = outcome_probability(noisy_max, counts, 0, zeros);
        CHECK(std::abs(plurality_probability(noisy_max, counts, zeros) - expected) < 1e-8);
      }
    }
  }

  TEST_CASE("a table gives the same bits, however far it goes") {
    pate_test::Random random(33);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::int32_t> counts;
      const auto voted = random.integer(0, 8);
      for (std::int64_t k = 0; k < voted; ++k) {
        counts.push_back(static_cast<std::int32_t>(random.integer(1, 90)));
      }
      std::sort(counts.begin(), counts.end(), std::greater<>());
      const auto zeros = static_cast<std::size_t>(random.integer(0, 4) * random.integer(0, 90));
      const double noise = random.log_uniform(0.3, 300.0);
      for (const NoisyMax& noisy_max :
           {NoisyMax{GaussianNoisyMax{noise}}, NoisyMax{LaplaceNoisyMax{noise}}}) {
        if (round > 20 && !noisy_max.is_gaussian()) continue;
        const PluralityTable table(noisy_max, counts.size() + zeros,
                                   static_cast<std::int32_t>(random.integer(0, 100)));
        CHECK(table.of(counts) == plurality_probability(noisy_max, counts, zeros));
      }
    }
  }

  TEST_CASE("without votes every class is as likely") {
    const NoisyMax gaussian{GaussianNoisyMax{3.0}};
    CHECK(plurality_probability(gaussian, {}, 4) == 0.25);
    CHECK(std::abs(plurality_probability(NoisyMax{LaplaceNoisyMax{3.0}}, {}, 4) - 0.25) < 1e-10);
    CHECK(plurality_probability(gaussian, {}, 0) == 0.0);
    const std::vector<std::int32_t> unanimous{250};
    CHECK(plurality_probability(gaussian, unanimous, 9) == 1.0);
  }
}
