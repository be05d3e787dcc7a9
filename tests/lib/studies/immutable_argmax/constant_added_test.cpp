#include "pate/studies/immutable_argmax/constant_added.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "support/accuracy.hpp"

namespace {

using pate::GaussianNoisyMax;
using pate::ImmutableArgmax;
using pate::LaplaceNoisyMax;
using pate::NoisyMax;
using pate_test::relative_error;

NoisyMax laplace(double scale) {
  NoisyMax noise;
  noise = LaplaceNoisyMax{scale};
  return noise;
}

NoisyMax gaussian(double sigma) {
  NoisyMax noise;
  noise = GaussianNoisyMax{sigma};
  return noise;
}

using Votes = std::vector<std::int32_t>;

std::size_t winner(const Votes& counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

std::vector<Votes> one_vote_away(const Votes& counts) {
  std::vector<Votes> result;
  for (std::size_t from = 0; from < counts.size(); ++from) {
    for (std::size_t to = 0; to < counts.size(); ++to) {
      if (from == to || counts[from] == 0) continue;
      Votes& other = result.emplace_back(counts);
      --other[from];
      ++other[to];
    }
  }
  return result;
}

// The largest change of any count, with the constant at the plurality.
double local_sensitivity(const Votes& counts, double c) {
  double largest = 0.0;
  for (const Votes& other : one_vote_away(counts)) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double own = counts[j] + (winner(counts) == j ? c : 0.0);
      const double its = other[j] + (winner(other) == j ? c : 0.0);
      largest = std::max(largest, std::abs(own - its));
    }
  }
  return largest;
}

// By definition: the largest local sensitivity at every distance, times e^(-beta distance).
double smooth_by_definition(const Votes& counts, double c, double beta) {
  std::map<Votes, int> distance{{counts, 0}};
  std::vector<Votes> todo{counts};
  double largest = 0.0;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const Votes at = todo[i];
    const int k = distance[at];
    largest = std::max(largest, std::exp(-beta * k) * local_sensitivity(at, c));
    for (const Votes& next : one_vote_away(at)) {
      if (distance.emplace(next, k + 1).second) todo.push_back(next);
    }
  }
  return largest;
}

}  // namespace

TEST_SUITE("nzc") {
  TEST_CASE("constants: the authors', which miss tau, and one that does not") {
    CHECK(relative_error(pate::authors_constant(laplace(20.0), 10, 1e-6), 322.36191301917) < 1e-13);
    CHECK(relative_error(pate::authors_constant(laplace(20.0), 2, 1e-6), 290.17315477048) < 1e-13);
    CHECK(relative_error(pate::authors_constant(gaussian(40.0), 10, 1e-6), 231.93959787164) <
          1e-13);
    const auto failure = [](const NoisyMax& noise, double c, std::int64_t classes) {
      return std::exp(pate::log_failure_at_tie({noise, c}, classes));
    };
    CHECK(relative_error(failure(laplace(20.0), 322.36191301917, 10), 3.5085103767998504e-6) <
          1e-9);
    CHECK(relative_error(failure(laplace(20.0), 290.17315477048, 2), 2.0635822173159528e-6) < 1e-9);
    CHECK(relative_error(failure(gaussian(40.0), 231.93959787164, 10), 1.7744904576442265e-4) <
          1e-9);
    CHECK(relative_error(failure(laplace(1.0), 2.0, 4), 0.2773253594932206) < 1e-9);
    CHECK(relative_error(failure(gaussian(1.0), 24.0, 2), 6.781305846029522e-65) < 1e-9);
    CHECK(relative_error(failure(laplace(1.0), 0.0, 10), 0.9) < 1e-9);  // ten equal classes
    CHECK(relative_error(pate::sufficient_constant(laplace(20.0), 10, 1e-6), 352.0415253357) <
          1e-12);
    for (const NoisyMax& noise : {laplace(20.0), gaussian(40.0)}) {
      for (const double tau : {0.4, 1e-6, 1e-200}) {
        const double c = pate::sufficient_constant(noise, 10, tau);
        CHECK(pate::log_failure_at_tie({noise, c}, 10) <= std::log(tau));
        CHECK(std::log(9.0) + pate::log_overtakes({noise, c}, 0) ==
              doctest::Approx(std::log(tau)).epsilon(1e-9));
      }
    }
    CHECK(pate::sufficient_constant(laplace(20.0), 2, 0.6) == 0.0);
  }

  TEST_CASE("failures: no jump where one formula takes over from another") {
    for (const double x : {60.0, 25.0}) {
      for (const NoisyMax& noise : {laplace(1.0), gaussian(1.0)}) {
        const double below = pate::log_failure_at_tie({noise, x * (1 - 1e-9)}, 10);
        const double above = pate::log_failure_at_tie({noise, x * (1 + 1e-9)}, 10);
        CHECK(above < below);
        CHECK(below - above < 1e-5);
      }
    }
  }

  TEST_CASE("the boundary: what one answer loses") {
    const auto none = pate::boundary_loss({laplace(20.0), 0.0});
    CHECK(relative_error(std::exp(none.log_q), 0.487505080057) < 1e-11);
    CHECK(relative_error(none.loss, 0.0499900876453) < 1e-11);
    const auto two = pate::boundary_loss({laplace(20.0), 290.17315477});
    CHECK(relative_error(std::exp(two.log_q), 1.968885309e-6) < 1e-9);
    CHECK(relative_error(two.loss, 13.1380410395) < 1e-11);
    CHECK(relative_error(two.delta_at(0.1), 0.99999586) < 1e-8);
    const auto ten = pate::boundary_loss({laplace(20.0), 322.361913019});
    CHECK(relative_error(std::exp(ten.log_q), 4.32050679258e-7) < 1e-10);
    CHECK(relative_error(ten.loss, 14.6547225104) < 1e-11);
    const auto normal = pate::boundary_loss({gaussian(40.0), 220.557873904});
    CHECK(relative_error(std::exp(normal.log_q), 4.48982831104e-5) < 1e-10);
    CHECK(relative_error(normal.loss, 10.0110661027) < 1e-11);
  }

  TEST_CASE("the boundary: finite for the authors' own parameters") {
    const ImmutableArgmax published{laplace(1e10), 1e100};
    pate::validate(published);
    CHECK(relative_error(*pate::authors_epsilon(published, 9000, 1e-5), 9.1046e-8) < 1e-5);
    CHECK(relative_error(pate::boundary_loss(published).loss, 1e90) < 1e-9);
    CHECK(relative_error(pate::log_failure_at_tie(published, 10), -1e90) < 1e-9);
    CHECK(pate::boundary_loss(published).delta_at(2e-10) == doctest::Approx(1.0));
    CHECK_FALSE(pate::authors_epsilon({gaussian(40.0), 1.0}, 10, 1e-5).has_value());
  }

  TEST_CASE("the authors' noise that depends on the data") {
    const double c = 290.17315477;
    const double scale = 20.0 * std::exp(-1.0);
    const double far = pate::log_overtakes({laplace(scale), c}, 4);
    const double near = pate::log_overtakes({laplace(scale * (1.0 + c)), c}, 2);
    CHECK(relative_error(std::exp(far), 4.538618735e-17) < 1e-9);
    CHECK(relative_error(std::exp(near), 0.4660035545) < 1e-9);
    CHECK(relative_error(near - far, 36.86776184) < 1e-9);
  }

  TEST_CASE("smooth sensitivity: the reference, and the definition over small ensembles") {
    CHECK(relative_error(pate::smooth_sensitivity(100.0, 0.05, 6), 78.6588790902) < 1e-11);
    CHECK(relative_error(pate::smooth_sensitivity(100.0, 0.05, 5), 82.6918060609) < 1e-11);
    CHECK(relative_error(pate::smooth_sensitivity(1e6, 0.2, 6), 367879.809051) < 1e-11);
    CHECK(pate::smooth_sensitivity(1e6, 0.2, 76) == 1.0);
    for (std::int32_t teachers = 1; teachers <= 6; ++teachers) {
      for (std::int32_t a = 0; a <= teachers; ++a) {
        for (std::int32_t b = 0; a + b <= teachers; ++b) {
          const Votes three{a, b, teachers - a - b};
          for (const double c : {0.0, 0.5, 40.0}) {
            for (const double beta : {0.1, 2.0}) {
              const double by_definition = smooth_by_definition(three, c, beta);
              const double ours = pate::smooth_sensitivity(c, beta, pate::votes_to_flip(three));
              REQUIRE(relative_error(ours, by_definition) < 1e-14);
            }
          }
        }
      }
    }
  }

  TEST_CASE("beta: as large as the tail allows") {
    // The root of the tail in 25 digits.
    CHECK(relative_error(pate::largest_beta(0.5, 2, 1e-6), 0.03339959179934256) < 1e-9);
    CHECK(pate::largest_beta(0.5, 2, 1e-6) <= 0.03339959179934256);
    for (const double epsilon2 : {0.01, 0.5, 10.0, 2000.0}) {
      for (const double delta : {1e-3, 1e-9, 1e-200}) {
        const double beta = pate::largest_beta(epsilon2, 10, delta);
        CHECK(beta > 0.0);
        CHECK(beta <= epsilon2 / 10.0);
      }
    }
  }

  TEST_CASE("what is out of range") {
    CHECK_THROWS_AS(pate::validate(ImmutableArgmax{laplace(0.0), 1.0}), pate::parameter_error);
    CHECK_THROWS_AS(pate::validate(ImmutableArgmax{laplace(1.0), -1.0}), pate::parameter_error);
    CHECK_THROWS_AS(pate::validate(ImmutableArgmax{laplace(1.0), pate_test::kNaN}),
                    pate::parameter_error);
    CHECK_THROWS_AS(pate::validate(ImmutableArgmax{laplace(1e10), 1e101}), pate::parameter_error);
    CHECK_THROWS_AS(pate::validate(ImmutableArgmax{laplace(1e-30), 1e100}), pate::parameter_error);
  }
}
