#include "pate/mechanisms/stability_test.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "pate/error.hpp"
#include "support/accuracy.hpp"

namespace {

using Histogram = std::vector<std::int32_t>;
using pate::StabilityTest;
using pate::TestNoise;

std::size_t plurality(const Histogram& counts) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] > counts[best]) best = i;
  }
  return best;
}

// Every way to write `teachers` as a sum of `classes` counts.
void all_histograms(std::int32_t teachers, std::size_t classes, Histogram& begun,
                    std::vector<Histogram>& all) {
  if (begun.size() + 1 == classes) {
    begun.push_back(teachers);
    all.push_back(begun);
    begun.pop_back();
    return;
  }
  for (std::int32_t n = 0; n <= teachers; ++n) {
    begun.push_back(n);
    all_histograms(teachers - n, classes, begun, all);
    begun.pop_back();
  }
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
        std::vector<Histogram> all;
        Histogram begun;
        all_histograms(teachers, classes, begun, all);
        for (const Histogram& counts : all) {
          REQUIRE(pate::votes_to_flip(counts) == found_votes_to_flip(counts));
        }
      }
    }
  }

  TEST_CASE("stability test: thresholds and probabilities") {
    const auto answered = [](TestNoise noise, double parameter, std::int64_t q) {
      return std::exp(pate::log_answered({noise, parameter, 1e-8}, q));
    };
    CHECK(pate_test::relative_error((StabilityTest{TestNoise::laplace, 0.5, 1e-8}.threshold()),
                                    35.4550671268) < 1e-11);
    CHECK(pate_test::relative_error((StabilityTest{TestNoise::laplace, 0.1, 1e-8}.threshold()),
                                    177.275335634) < 1e-11);
    CHECK(pate_test::relative_error((StabilityTest{TestNoise::gaussian, 20.0, 1e-8}.threshold()),
                                    112.240024883) < 1e-11);
    CHECK(pate_test::relative_error(answered(TestNoise::laplace, 0.5, 75), 0.999999998706) < 1e-11);
    CHECK(pate_test::relative_error(answered(TestNoise::laplace, 0.1, 75), 1.80804241446e-5) <
          1e-10);
    CHECK(pate_test::relative_error(answered(TestNoise::laplace, 0.2, 117), 0.998280314093) <
          1e-10);
    CHECK(pate_test::relative_error(answered(TestNoise::laplace, 0.2, 116), 0.997899570890) <
          1e-10);
    CHECK(pate_test::relative_error(answered(TestNoise::gaussian, 20.0, 117), 0.594058970405) <
          1e-10);
    CHECK(pate_test::relative_error(answered(TestNoise::gaussian, 10.0, 75), 0.970486941262) <
          1e-10);
  }

  TEST_CASE("stability test: answers of q = 0 have no more than delta") {
    for (const auto noise : {TestNoise::laplace, TestNoise::gaussian}) {
      for (const double parameter : {1e-3, 0.2, 1.0, 7.3, 40.0, 1e5}) {
        for (const double delta : {0.1, 0.09, 1e-3, 1e-8, 1e-40, 1e-300}) {
          const StabilityTest test{noise, parameter, delta};
          const double log_p = pate::log_answered(test, 0);
          CHECK(log_p <= std::log(delta) + 1e-15 * std::abs(std::log(delta)));
          CHECK(log_p >= std::log(delta) - 1e-9);
          CHECK(std::exp(pate::log_refused(test, 5)) + std::exp(pate::log_answered(test, 5)) ==
                doctest::Approx(1.0));
        }
      }
    }
  }

  // What is certain of a query: outcomes are refusal and every class.
  TEST_CASE("stability test: (epsilon, delta) over all neighbours of small ensembles") {
    for (const double epsilon : {0.3, 1.0}) {
      const StabilityTest test{TestNoise::laplace, epsilon, 0.02};
      double largest = 0.0;
      for (std::int32_t teachers = 1; teachers <= 7; ++teachers) {
        std::vector<Histogram> all;
        Histogram begun;
        all_histograms(teachers, 3, begun, all);
        for (const Histogram& counts : all) {
          const auto outcomes = [&](const Histogram& h) {
            std::vector<double> p(4, 0.0);
            const std::int64_t q = pate::votes_to_flip(h) - 1;
            p[plurality(h)] = std::exp(pate::log_answered(test, q));
            p[3] = std::exp(pate::log_refused(test, q));
            return p;
          };
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

  TEST_CASE("stability test: what is out of range") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double parameter : {0.0, -1.0, nan, 1e200}) {
      CHECK_THROWS_AS(pate::validate(StabilityTest{TestNoise::laplace, parameter, 1e-5}),
                      pate::parameter_error);
    }
    for (const double delta : {0.0, -1e-5, nan, 0.11, 1.0}) {
      CHECK_THROWS_AS(pate::validate(StabilityTest{TestNoise::gaussian, 1.0, delta}),
                      pate::parameter_error);
    }
  }
}
