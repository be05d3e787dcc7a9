#include "pate/mechanisms/mechanism.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using pate_test::relative_error;

namespace {

const Mechanism kLaplacePtr = StabilityTest::with_laplace(0.5, 1e-6);
const Mechanism kGaussianPtr = StabilityTest::with_gaussian(4.0, 1e-6);
const Mechanism kSparsePtr = StabilityTest::sparse(0.5, 1e-6, 3);

NoisyMax noisy_max(NoisyMax::Noise noise) {
  NoisyMax result;
  result.noise = noise;
  return result;
}

Aggregator confident(double threshold, double sigma1, double sigma2) {
  return {ThresholdCheck{threshold, sigma1}, noisy_max(GaussianNoisyMax{sigma2}), false};
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("a mechanism is an aggregator or PTR, and says which") {
    CHECK(kLaplacePtr.aggregator() == nullptr);
    CHECK(kLaplacePtr.sparse() == nullptr);
    CHECK(kSparsePtr.sparse() == kSparsePtr.ptr());
    CHECK(kSparsePtr.ptr() != nullptr);
    CHECK(kSparsePtr.refuses());
    CHECK_FALSE(kSparsePtr.interactive());
    CHECK_FALSE(kSparsePtr.is_gaussian());
    const Mechanism plain = Aggregator{std::nullopt, noisy_max(GaussianNoisyMax{4.0}), false};
    CHECK(plain.ptr() == nullptr);
    CHECK(plain.sparse() == nullptr);
    CHECK(&plain.noisy() == plain.aggregator());
    CHECK_FALSE(plain.refuses());
    CHECK_THROWS_WITH_AS(static_cast<void>(kGaussianPtr.noisy()),
                         "this cost goes with a noisy maximum, not with PTR, which has none",
                         parameter_error);
    CHECK_THROWS_AS(Mechanism(confident(10.0, 0.0, 4.0)), parameter_error);
  }

  TEST_CASE("queries are answered as their rule says, and always without one") {
    const Mechanism plain = Aggregator{std::nullopt, noisy_max(GaussianNoisyMax{4.0}), false};
    CHECK(probability_answered(plain, 0) == 1.0);
    CHECK(AnswerProbabilities(plain).of(7).refused == 0.0);
    CHECK(relative_error(probability_answered(confident(10.0, 5.0, 4.0), 10), 0.5) < 1e-14);
    for (const Mechanism& test : {kLaplacePtr, kGaussianPtr}) {
      // A stability of nothing is answered with delta.
      CHECK(probability_answered(test, 0) <= 1e-6);
      CHECK(probability_answered(test, 0) > 0.999e-6);
    }
    AnswerProbabilities probabilities(kLaplacePtr);
    for (const std::int64_t q : {0, 0, 20, 40}) {
      const AnswerProbabilities::Both both = probabilities.of(q);
      CHECK(both.answered == probability_answered(kLaplacePtr, q));
      CHECK(std::abs(both.answered + both.refused - 1.0) < 1e-14);
    }
  }

  TEST_CASE("the Gaussian sensitivity of PTR is that of its test") {
    CHECK(squared_gaussian_sensitivity(kGaussianPtr, {}) == 1.0 / 16.0);
    CHECK_THROWS_AS(static_cast<void>(squared_gaussian_sensitivity(kLaplacePtr, {})),
                    parameter_error);
    CHECK_THROWS_AS(static_cast<void>(squared_gaussian_sensitivity(kSparsePtr, {})),
                    parameter_error);
  }

  TEST_CASE("the Gaussian sensitivity grows with the teachers of a person") {
    const auto squared = [](const Neighbours& neighbours) {
      return squared_gaussian_sensitivity(
          Aggregator{std::nullopt, noisy_max(GaussianNoisyMax{4.0}), false}, neighbours);
    };
    CHECK(relative_error(squared({Adjacency::replace, 1}), 2.0 / 16.0) < 1e-14);
    CHECK(relative_error(squared({Adjacency::replace, 3}), 9.0 * 2.0 / 16.0) < 1e-14);
    CHECK(relative_error(squared({Adjacency::add_remove, 3}), 9.0 / 16.0) < 1e-14);
  }

  TEST_CASE("pure epsilons: of Laplace noise alone") {
    CHECK(relative_error(*pure_epsilon(kLaplacePtr, {}), 0.5) < 1e-14);
    CHECK(relative_error(*pure_epsilon(kSparsePtr, {}), 0.5) < 1e-14);
    CHECK_FALSE(pure_epsilon(kGaussianPtr, {}));
    CHECK_FALSE(pure_epsilon(confident(10.0, 5.0, 4.0), {}));
    const auto of_laplace = [](const Neighbours& neighbours) {
      return *pure_epsilon(Aggregator{std::nullopt, noisy_max(LaplaceNoisyMax{4.0}), false},
                           neighbours);
    };
    CHECK(relative_error(of_laplace({Adjacency::replace, 1}), 0.5) < 1e-14);
    CHECK(relative_error(of_laplace({Adjacency::replace, 3}), 1.5) < 1e-14);
    CHECK(relative_error(of_laplace({Adjacency::add_remove, 3}), 0.75) < 1e-14);
  }
}
