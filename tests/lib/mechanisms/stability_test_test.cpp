#include "pate/mechanisms/stability_test.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "support/accuracy.hpp"
#include "support/stability_tests.hpp"
#include "support/votes.hpp"

namespace {

using pate::StabilityTest;
using pate::TestNoise;
using pate::test::stability_test;
using pate_test::all_histograms;
using pate_test::Histogram;

std::size_t plurality(const Histogram& counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

std::vector<Histogram> neighbours(const Histogram& counts) {
  std::vector<Histogram> result;
  for (std::size_t from = 0; from < counts.size(); ++from) {
    for (std::size_t to = 0; to < counts.size(); ++to) {
      if (from == to || counts[from] == 0) continue;
      result.push_back(counts);
      --result.back()[from];
      ++result.back()[to];
    }
  }
  return result;
}

// By search: how many votes must change.
std::int64_t found_votes_to_flip(const Histogram& counts) {
  std::vector<Histogram> reached{counts};
  for (std::int64_t k = 1;; ++k) {
    std::vector<Histogram> next;
    for (const Histogram& at : reached) {
      for (Histogram& neighbour : neighbours(at)) {
        if (plurality(neighbour) != plurality(counts)) return k;
        next.push_back(std::move(neighbour));
      }
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    reached = std::move(next);
  }
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("votes to flip: by hand") {
    CHECK(pate::votes_to_flip(Histogram{130, 120}) == 6);
    CHECK(pate::votes_to_flip(Histogram{120, 130}) == 5);
    CHECK(pate::votes_to_flip(Histogram{60, 100, 90}) == 6);
    CHECK(pate::votes_to_flip(Histogram{200, 50}) == 76);
    CHECK(pate::votes_to_flip(Histogram{7}) == 8);
    CHECK(pate::votes_to_flip(Histogram{5, 5}) == 1);
    CHECK_THROWS_AS((void)pate::votes_to_flip(Histogram{}), pate::parameter_error);
  }

  TEST_CASE("votes to flip: the fewest, by search over all votes of small ensembles") {
    for (std::size_t classes = 2; classes <= 4; ++classes) {
      for (std::int32_t teachers = 1; teachers <= (classes < 4 ? 8 : 6); ++teachers) {
        for (const Histogram& counts : all_histograms(teachers, classes)) {
          REQUIRE(pate::votes_to_flip(counts) == found_votes_to_flip(counts));
        }
      }
    }
  }

  TEST_CASE("stability: a vote that lowers it and one that raises it, wherever there is one") {
    CHECK_THROWS_AS((void)pate::stability_moves(Histogram{}), pate::parameter_error);
    for (std::size_t classes = 1; classes <= 4; ++classes) {
      for (std::int32_t teachers = 1; teachers <= 8; ++teachers) {
        for (const Histogram& counts : all_histograms(teachers, classes)) {
          const std::int64_t q = pate::stability(counts);
          std::set<std::int64_t> of_neighbours;
          for (const Histogram& other : neighbours(counts)) {
            if (plurality(other) == plurality(counts)) of_neighbours.insert(pate::stability(other));
          }
          const auto moves = pate::stability_moves(counts);
          REQUIRE(moves.less.has_value() == of_neighbours.contains(q - 1));
          REQUIRE(moves.more.has_value() == of_neighbours.contains(q + 1));
          for (const auto& [move, expected] : {std::pair{moves.less, q - 1}, {moves.more, q + 1}}) {
            if (!move) continue;
            Histogram other = counts;
            --other[move->from];
            ++other[move->to];
            REQUIRE(other[move->from] >= 0);
            REQUIRE(pate::stability(other) == expected);
            REQUIRE(plurality(other) == plurality(counts));
          }
        }
      }
    }
  }

  TEST_CASE("stability test: thresholds and probabilities") {
    const auto threshold = [](TestNoise noise, double parameter) {
      return stability_test(noise, parameter, 1e-8).threshold();
    };
    const auto answered = [](TestNoise noise, double parameter, std::int64_t q) {
      return std::exp(pate::log_answered(stability_test(noise, parameter, 1e-8), q));
    };
    using pate_test::relative_error;
    CHECK(relative_error(threshold(TestNoise::laplace, 0.5), 35.4550671268) < 1e-11);
    CHECK(relative_error(threshold(TestNoise::laplace, 0.1), 177.275335634) < 1e-11);
    CHECK(relative_error(threshold(TestNoise::laplace, 0.2), 88.6376678170) < 1e-11);
    CHECK(relative_error(threshold(TestNoise::gaussian, 20.0), 112.240024883) < 1e-11);
    CHECK(pate::stability(Histogram{200, 50}) == 75);
    CHECK(pate::stability(Histogram{240, 6, 4}) == 117);
    CHECK(pate::stability(Histogram{6, 240, 4}) == 116);
    CHECK(relative_error(answered(TestNoise::laplace, 0.5, 75), 0.999999998706) < 1e-11);
    CHECK(relative_error(answered(TestNoise::laplace, 0.1, 75), 1.80804241446e-5) < 1e-10);
    CHECK(relative_error(answered(TestNoise::laplace, 0.2, 117), 0.998280314093) < 1e-10);
    CHECK(relative_error(answered(TestNoise::laplace, 0.2, 116), 0.997899570890) < 1e-10);
    CHECK(relative_error(answered(TestNoise::gaussian, 20.0, 117), 0.594058970405) < 1e-10);
    CHECK(relative_error(answered(TestNoise::gaussian, 10.0, 75), 0.970486941262) < 1e-10);
  }

  TEST_CASE("stability test: q = 0 is answered with no more than delta") {
    for (const auto noise : {TestNoise::laplace, TestNoise::gaussian}) {
      for (const double parameter : {1e-3, 0.2, 1.0, 7.3, 40.0, 1e5}) {
        for (const double delta : {0.1, 0.09, 1e-3, 1e-8, 1e-40, 1e-100}) {
          const auto test = stability_test(noise, parameter, delta);
          const double log_p = pate::log_answered(test, 0);
          CHECK(log_p <= std::log(delta));
          CHECK(log_p >= std::log(delta) - 1e-9);
          CHECK(std::exp(pate::log_refused(test, 5)) + std::exp(pate::log_answered(test, 5)) ==
                doctest::Approx(1.0));
        }
      }
    }
  }

  // Outcomes are the classes and refusal.
  TEST_CASE("stability test: (epsilon, delta) over all neighbours of small ensembles") {
    for (const double epsilon : {0.3, 1.0}) {
      const auto test = stability_test(TestNoise::laplace, epsilon, 0.02);
      const auto outcomes = [&](const Histogram& counts) {
        std::vector<double> p(counts.size() + 1, 0.0);
        const std::int64_t q = pate::stability(counts);
        p[plurality(counts)] = std::exp(pate::log_answered(test, q));
        p.back() = std::exp(pate::log_refused(test, q));
        return p;
      };
      double largest = 0.0;
      for (std::int32_t teachers = 1; teachers <= 7; ++teachers) {
        for (const Histogram& counts : all_histograms(teachers, 3)) {
          const auto own = outcomes(counts);
          for (const Histogram& neighbour : neighbours(counts)) {
            const auto other = outcomes(neighbour);
            double delta = 0.0;
            for (std::size_t o = 0; o < own.size(); ++o) {
              delta += std::max(own[o] - std::exp(epsilon) * other[o], 0.0);
            }
            largest = std::max(largest, delta);
          }
        }
      }
      CHECK(largest <= 0.02 * (1 + 1e-13));
      CHECK(largest >= 0.02 * (1 - 1e-9));  // tight
    }
  }

  TEST_CASE("stability test: two answers in a row, over all pairs of queries of five teachers") {
    // Any outcome of both: the deltas add up, and so do the epsilons.
    const double epsilon = 0.4;
    const auto test = stability_test(TestNoise::laplace, epsilon, 0.05);
    // One query as far as it matters: stabilities of both neighbours, and whether the plurality is
    // the same.
    struct Pair {
      std::int64_t q, q_neighbour;
      bool same;
      auto operator<=>(const Pair&) const = default;
    };
    std::set<Pair> pairs;
    for (const Histogram& counts : all_histograms(5, 3)) {
      for (const Histogram& other : neighbours(counts)) {
        pairs.insert({pate::stability(counts), pate::stability(other),
                      plurality(counts) == plurality(other)});
      }
    }
    const auto outcomes = [&](const Pair& pair) {
      // own class, refusal, the neighbour's class where it is another
      const double p = std::exp(pate::log_answered(test, pair.q));
      const double n = std::exp(pate::log_answered(test, pair.q_neighbour));
      return pair.same ? std::vector<std::pair<double, double>>{{p, n}, {1 - p, 1 - n}}
                       : std::vector<std::pair<double, double>>{{p, 0}, {1 - p, 1 - n}, {0, n}};
    };
    for (const Pair& first : pairs) {
      for (const Pair& second : pairs) {
        double delta = 0.0;
        for (const auto& [a, a_neighbour] : outcomes(first)) {
          for (const auto& [b, b_neighbour] : outcomes(second)) {
            delta += std::max(a * b - std::exp(2 * epsilon) * a_neighbour * b_neighbour, 0.0);
          }
        }
        CHECK(delta <= 2 * 0.05);
      }
    }
  }

  TEST_CASE("sparse stability test: noise of both reaches its threshold with probability delta") {
    for (const double epsilon : {0.05, 1.0, 7.0}) {
      for (const double delta : {0.1, 1e-3, 1e-9, 1e-50}) {
        const auto test = pate::StabilityTest::sparse(epsilon, delta, 1);
        CHECK(test.scale() == 4.0 / epsilon);
        CHECK(test.threshold_scale() == 2.0 / epsilon);
        CHECK(*test.pure_epsilon() == doctest::Approx(epsilon).epsilon(1e-15));
        // Lap(b) and Lap(b/2) together are above T with (e^(-T/b) - e^(-2T/b) / 4) / 1.5.
        const long double u = std::exp(-static_cast<long double>(test.threshold() / test.scale()));
        const long double above = (u - u * u / 4.0L) / 1.5L;
        CHECK(above <= static_cast<long double>(delta));
        CHECK(above >= static_cast<long double>(delta) * (1.0L - 1e-10L));
      }
    }
  }

  TEST_CASE("sparse stability test: the same of Gaussian noise") {
    for (const double sigma : {0.05, 4.0, 900.0}) {
      for (const double delta : {0.1, 1e-3, 1e-9, 1e-50}) {
        const auto test = StabilityTest::sparse_gaussian(sigma, delta, 3, 40);
        CHECK(test.scale() == sigma);
        CHECK(test.threshold_scale() == doctest::Approx(sigma / std::sqrt(2.0)).epsilon(1e-15));
        CHECK_FALSE(test.pure_epsilon());
        CHECK(test.is_sparse());
        CHECK(test.has_gaussian_noise());
        CHECK_FALSE(test.is_gaussian());
        const long double x = static_cast<long double>(test.threshold()) /
                              (static_cast<long double>(sigma) * std::sqrt(1.5L));
        const long double above = 0.5L * std::erfc(x / std::sqrt(2.0L));
        CHECK(above <= static_cast<long double>(delta));
        CHECK(above >= static_cast<long double>(delta) * (1.0L - 1e-10L));
        CHECK(pate::log_answered(test, 0) <= std::log(delta));
        for (const std::int64_t q : {0, 3, 50}) {
          CHECK(std::exp(pate::log_answered(test, q)) + std::exp(pate::log_refused(test, q)) ==
                doctest::Approx(1.0));
        }
      }
    }
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX}) {
      CHECK_THROWS_AS((void)StabilityTest::sparse_gaussian(1.0, 1e-6, count, 5),
                      pate::parameter_error);
      CHECK_THROWS_AS((void)StabilityTest::sparse_gaussian(1.0, 1e-6, 5, count),
                      pate::parameter_error);
    }
    CHECK(StabilityTest::sparse_gaussian(0.3, 1e-6, 1, 1).name() == "ptr_sparse_gaussian");
  }

  TEST_CASE("stability test: one that was written down is the same, or it is refused") {
    for (const StabilityTest& test :
         {StabilityTest::with_laplace(0.3, 1e-6), StabilityTest::with_gaussian(7.0, 1e-9),
          StabilityTest::sparse(1.5, 1e-7, 12),
          StabilityTest::sparse_gaussian(6.0, 1e-7, 12, 100)}) {
      const auto again = [&](double threshold, double scale, double delta) {
        return StabilityTest(test.noise(), threshold, scale, delta, test.max_refusals(),
                             test.max_queries());
      };
      CHECK(again(test.threshold(), test.scale(), test.delta()) == test);
      CHECK(again(2.0 * test.threshold(), test.scale(), test.delta()).threshold() ==
            2.0 * test.threshold());
      CHECK_THROWS_AS((void)again(test.threshold() * (1 - 1e-9), test.scale(), test.delta()),
                      pate::parameter_error);
      CHECK_THROWS_AS((void)again(pate_test::kNaN, test.scale(), test.delta()),
                      pate::parameter_error);
      CHECK_THROWS_AS((void)again(test.threshold(), 0.0, test.delta()), pate::parameter_error);
      CHECK_THROWS_AS((void)again(test.threshold(), test.scale(), 0.2), pate::parameter_error);
    }
    for (const std::int64_t refusals : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX}) {
      CHECK_THROWS_AS((void)StabilityTest::sparse(1.0, 1e-6, refusals), pate::parameter_error);
    }
    CHECK(StabilityTest::with_laplace(0.3, 1e-6).name() == "ptr_laplace");
    CHECK(StabilityTest::with_gaussian(0.3, 1e-6).name() == "ptr");
    CHECK(StabilityTest::sparse(0.3, 1e-6, 1).name() == "ptr_sparse");
  }

  TEST_CASE("stability test: what is out of range") {
    const double nan = pate_test::kNaN;
    for (const double parameter : {0.0, -1.0, nan, 1e200}) {
      CHECK_THROWS_AS((void)stability_test(TestNoise::laplace, parameter, 1e-5),
                      pate::parameter_error);
    }
    for (const double delta : {0.0, -1e-5, nan, 0.11, 1.0, 1e-101}) {
      CHECK_THROWS_AS((void)stability_test(TestNoise::gaussian, 1.0, delta), pate::parameter_error);
    }
  }

  TEST_CASE("checks with Laplace noise: ratios of answers without cancellation") {
    for (const double scale : {0.05, 1.0, 3.0, 1e3, 1e7}) {
      // The largest delta there is: its threshold is 1.6 scales.
      const StabilityTest test(TestNoise::laplace, std::max(4.5, 1.61 * scale), scale, 0.1);
      const auto middle = static_cast<std::int64_t>(test.threshold());
      for (std::int64_t v = middle - 4; v <= middle + 5; ++v) {
        const auto pair = pate::answer_pair(test, v, v + 1);
        const auto log_cdf = [](long double x) {
          return x < 0 ? x - std::log(2.0L) : std::log1p(-std::exp(-x) / 2);
        };
        const auto b = static_cast<long double>(scale);
        const long double here = (static_cast<long double>(v) - test.threshold()) / b;
        const long double there = here + 1 / b;
        const auto near = [](double got, long double expected) {
          return std::abs(got - static_cast<double>(expected)) <
                 1e-11 * std::abs(static_cast<double>(expected));
        };
        CHECK(near(pair.log_p, log_cdf(here)));
        CHECK(near(pair.log_not_p_neighbour, log_cdf(-there)));
        CHECK(near(pair.log_ratio, log_cdf(here) - log_cdf(there)));
        CHECK(near(pair.log_not_ratio, log_cdf(-here) - log_cdf(-there)));
      }
    }
  }
}
