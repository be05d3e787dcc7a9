#include "pate/mechanisms/union_bound.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/base/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("mechanisms") {
  TEST_CASE("the table of pair terms gives the same bits as the plain functions") {
    Random random(121);
    for (const std::int64_t teachers : {1, 10, 250, 5000}) {
      for (const double noise : {0.3, 5.0, 40.0, 1000.0}) {
        const GaussianNoisyMax gaussian{noise};
        const LaplaceNoisyMax laplace{noise};
        const UnionBoundTable gaussian_table(
            [=](std::int64_t gap) { return log_pair_probability(gaussian, gap); }, teachers);
        const UnionBoundTable laplace_table(
            [=](std::int64_t gap) { return log_pair_probability(laplace, gap); }, teachers);
        for (int i = 0; i < 100; ++i) {
          const Counts counts = random_histogram(random, teachers, random.integer(1, 90));
          CHECK(gaussian_table.log_q(counts) == log_q(gaussian, counts));
          Counts voted = counts;
          const auto zeros = static_cast<std::size_t>(std::erase(voted, 0));
          CHECK(gaussian_table.log_q(voted, zeros) == log_q(gaussian, counts));
          CHECK(laplace_table.log_q(counts) == log_q(laplace, counts));
        }
      }
    }
  }

  TEST_CASE("an ensemble too large for a table gives the same bits") {
    const GaussianNoisyMax mechanism{1e5};
    const std::int64_t teachers = 3000000;
    const UnionBoundTable table(
        [=](std::int64_t gap) { return log_pair_probability(mechanism, gap); }, teachers);
    for (const Counts& counts :
         {Counts{2000000, 1000000, 0}, Counts{1500000, 1500000}, Counts{3000000, 0, 0, 0}}) {
      CHECK(table.log_q(counts) == log_q(mechanism, counts));
    }
  }

  TEST_CASE("the union bound adds every class but one of the plurality") {
    const LogPairTerm term = [](std::int64_t gap) { return -static_cast<double>(gap) - 2.0; };
    const double expected = std::log(2.0 * std::exp(-3.0) + std::exp(-2.0) + std::exp(-6.0));
    CHECK(relative_error(log_union_bound(Counts{1, 4, 5, 5, 4}, term), expected) < 1e-15);
    // Beyond the range of double the sum is done on logarithms.
    const LogPairTerm small = [](std::int64_t gap) { return -1000.0 * static_cast<double>(gap); };
    CHECK(relative_error(log_union_bound(Counts{7, 5, 5, 0, 5}, small), -2000.0 + std::log(3.0)) <
          1e-15);
    CHECK(relative_error(log_union_bound(Counts{3, 3, 3}, small), std::log1p(-1.0 / 3.0)) <
          1e-15);  // 2 capped
  }

  TEST_CASE("the union bound is continuous where it changes to logarithms") {
    // The switch is at e^-575.6: terms a hair above and below must meet.
    for (const double shift : {-575.0, -575.6, -575.7, -580.0, -700.0, -708.0, -750.0}) {
      const LogPairTerm term = [=](std::int64_t gap) {
        return shift - 50.0 * static_cast<double>(gap);
      };
      const double expected =
          shift - 50.0 + std::log(2.0 + std::exp(-50.0) + 3.0 * std::exp(-100.0));
      CHECK_MESSAGE(
          relative_error(log_union_bound(Counts{9, 8, 8, 7, 6, 6, 6}, term), expected) < 4e-16,
          shift);
    }
  }

  TEST_CASE("a histogram without classes is refused and one class is certain") {
    const LogPairTerm term = [](std::int64_t) { return -1.0; };
    const UnionBoundTable table(term, 5);
    CHECK_THROWS_AS(static_cast<void>(log_union_bound(Counts{}, term)), parameter_error);
    CHECK_THROWS_AS(static_cast<void>(table.log_q(Counts{})), parameter_error);
    CHECK(log_union_bound(Counts{5}, term) == -kInfinity);
    CHECK(table.log_q(Counts{5}) == -kInfinity);
  }
}
