#include "pate/as_published/gap_terms.hpp"

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
