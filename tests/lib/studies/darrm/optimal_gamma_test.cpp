#include "pate/studies/darrm/optimal_gamma.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/studies/darrm/linear_program.hpp"
#include "pate/studies/darrm/noise_functions.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

using namespace pate;

namespace {

bool without_solver() {
  return !LinearProgram::is_available();
}

struct Optimum {
  std::int64_t teachers;
  double delta;
  double m;
  double mu;  // 0: uniform weights
  bool monotone;
  double objective;
  std::vector<double> gamma;  // empty: not compared
};

std::vector<double> values(const std::vector<std::pair<std::size_t, double>>& runs) {
  std::vector<double> result;
  for (const auto& [count, value] : runs) result.insert(result.end(), count, value);
  return result;
}

OptimalGamma optimum_of(const Optimum& one) {
  const double delta = one.delta > 0.0 ? -std::expm1(one.m * std::log1p(-one.delta)) : 0.0;
  return optimal_gamma(
      {one.teachers, 0.1, one.delta, one.teachers}, {0.1 * one.m, delta},
      one.mu > 0.0 ? published_weights(one.teachers, one.mu) : uniform_weights(one.teachers),
      one.monotone);
}

}  // namespace

TEST_CASE("reference optima" * doctest::skip(without_solver())) {
  const std::vector<Optimum> table{
      {11, 0.0, 1, 0.75, false, 0.5, {1.0 / 11, 3.0 / 11, 5.0 / 11, 7.0 / 11, 9.0 / 11, 1.0}},
      {11,
       0.0,
       3,
       0.75,
       false,
       0.8487329393644,
       {0.9397026122, 0.5420900869, 1, 1, 0.9773318291, 1}},
      {11,
       1e-5,
       3,
       0.75,
       false,
       0.8488060154714,
       {0.9392405762, 0.5423404272, 1, 1, 0.9776955883, 1}},
      {11,
       1e-5,
       5,
       0.75,
       false,
       0.9264150098931,
       {0.9999691735, 1, 0.9844914222, 0.9963487168, 1, 1}},
      {11, 1e-5, 7, 0.75, false, 0.9313449859619, {1, 1, 1, 1, 1, 1}},
      {11, 1e-5, 9, 0.75, false, 0.9313449859619, {1, 1, 1, 1, 1, 1}},
      {11,
       1e-5,
       3,
       0.95,
       false,
       0.9986942659958,
       {0.434148455, 0.7405222768, 0.9368881392, 1, 1, 1}},
      {11,
       1e-5,
       3,
       0.75,
       true,
       0.8484844581545,
       {0.7076683035, 0.7076683035, 0.9269650219, 1, 1, 1}},
      {11, 1e-5, 3, 0, true, 0.9058647196275, {0.8117294393, 0.8117294393, 0.8117294393, 1, 1, 1}},
      {35,
       0.0,
       5,
       0.75,
       false,
       0.9633574291134,
       {1, 1, .24788689, .62341313, 1, 1, .81946830, 1, 1, .99258292, .99093262, 1, 1, 1, 1, 1,
        .99883305, 1}},
      {35,
       0.0,
       10,
       0.75,
       false,
       0.9967782848032,
       {1, 1, 1, .9123120645, 1, 1, 1, 1, 1, 1, .9997798852, 1, 1, 1, 1, 1, 1, 1}},
      {35,
       0.0,
       13,
       0.75,
       false,
       0.9983833262126,
       {1, 1, 1, 1, .9942589187, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {35, 0.0, 10, 0, true, 0.9956367826448, values({{9, .9912735653}, {9, 1.0}})},
      {101, 0.0, 10, 0.75, false, 0.998787904, {}},
      {101, 0.0, 10, 0, true, 0.964404151,
       values({{12, .8654631339},
               {1, .8682265143},
               {10, .9933128469},
               {1, .9990039},
               {8, .9998380},
               {8, .9999989},
               {11, 1.0}})},
  };
  for (const Optimum& one : table) {
    const OptimalGamma found = optimum_of(one);
    CAPTURE(one.teachers);
    CAPTURE(one.m);
    CAPTURE(one.objective);
    CHECK(found.released.certificate.holds);
    CHECK(std::abs(found.objective - one.objective) < 1e-9);
    CHECK(found.upper >= one.objective - 1e-9);
    CHECK(found.upper - found.objective < 1e-9);
    for (std::size_t i = 0; i < one.gamma.size(); ++i) {
      CHECK(std::abs(found.released.gamma[i] - one.gamma[i]) < 5e-6);  // a tie may cost 1e-10
    }
  }
}

TEST_CASE("some teachers affected, and an even number" * doctest::skip(without_solver())) {
  const auto check = [](const OptimalGamma& found, double objective,
                        const std::vector<double>& gamma) {
    CHECK(std::abs(found.objective - objective) < 1e-9);
    REQUIRE(found.released.gamma.size() == gamma.size());
    for (std::size_t i = 0; i < gamma.size(); ++i) {
      CHECK(std::abs(found.released.gamma[i] - gamma[i]) < 1e-9);
    }
  };
  check(optimal_gamma({11, 0.5, 0.0, 3}, {0.75, 0.0}, uniform_weights(11), true), 0.9020706836083,
        {.7696725149, .7696725149, .9040789522, .9845000599, .9845000599, 1});
  check(optimal_gamma({11, 0.5, 0.0, 1}, {0.25, 0.0}, uniform_weights(11), false), 0.8783299129795,
        {.5077318345, .8392764939, .9475244445, .9828669497, .9944061304, .9981736249});
  check(optimal_gamma({6, 0.4, 0.0, 6}, {0.9, 0.0}, uniform_weights(6), false), 0.8187213284456,
        {1, .8655246496, 1});
  // One teacher that promises nothing: the noise function of one vote.
  const std::vector<double> one_vote = one_vote_gamma(11, {0.3, 0.0});
  double worth = 0.0;
  for (const double value : one_vote) worth += value / 6.0;
  check(optimal_gamma({11, 40.0, 0.0, 1}, {0.3, 0.0}, uniform_weights(11), false), worth, one_vote);
}

TEST_CASE("an optimum over the dominating corners alone is not private" *
          doctest::skip(without_solver())) {
  const PrivateTeachers teachers{11, 0.1, 1e-5, 11};
  const AnswerTarget target{0.1, 1e-5};
  const std::vector<double> weights = uniform_weights(11);
  const WorstCase three(teachers, target, true);  // which promises what is not kept here
  LinearProgram program(weights);
  std::vector<double> gamma(6, 1.0);
  for (int round = 0; round < 20; ++round) {
    for (const CornerCost& one : three.most_costly(gamma, 80, three.bound() * (1.0 + 1e-9))) {
      std::vector<double> row = three.coefficients(one.teachers);
      for (double& value : row) value /= three.bound();
      program.add_row(row);
    }
    gamma = program.solve().x;
  }
  const WorstCase all(teachers, target, false);
  CHECK(three.certify(gamma).worst < three.bound() * (1.0 + 1e-8));
  CHECK(all.certify(gamma).worst - all.bound() == doctest::Approx(1.05e-4).epsilon(0.01));
  // The true optimum lies between the monotone one and this.
  const double found = optimal_gamma(teachers, target, weights, false).objective;
  CHECK(found >= optimal_gamma(teachers, target, weights, true).objective - 1e-9);
  double beyond = 0.0;
  for (std::size_t i = 0; i < 6; ++i) beyond += weights[i] * gamma[i];
  CHECK(found < beyond);
}

TEST_CASE("more teachers than have all their corners looked at" * doctest::skip(without_solver())) {
  const std::vector<double> weights = published_weights(101, 0.75);
  const PrivateTeachers teachers{101, 0.1, 1e-6, 101};
  const AnswerTarget target{1.0, 1e-5};
  const OptimalGamma found = optimal_gamma(teachers, target, weights, false);
  CHECK(found.released.certificate.holds);
  CHECK(found.objective >= optimal_gamma(teachers, target, weights, true).objective);
  // Not better than for pure teachers against the same target, nor by much worse.
  const OptimalGamma pure = optimal_gamma({101, 0.1, 0.0, 101}, target, weights, false);
  CHECK(found.objective <= pure.upper);
  CHECK(found.objective > pure.objective - 1e-3);
  CHECK(found.upper >= found.objective);
  CHECK(found.upper < pure.upper + 1e-3);
}

TEST_CASE("the scale of the weights means nothing" * doctest::skip(without_solver())) {
  const PrivateTeachers teachers{11, 0.1, 0.0, 11};
  const auto scaled = [&](double by) {
    std::vector<double> weights = published_weights(11, 0.75);
    for (double& weight : weights) weight *= by;
    return optimal_gamma(teachers, {0.3, 0.0}, weights, false);
  };
  for (const double by : {1e-300, 1e300}) {
    const OptimalGamma found = scaled(by);
    CHECK(found.objective / by == doctest::Approx(0.8487329393644).epsilon(1e-9));
    CHECK(found.upper / by == doctest::Approx(0.8487329393644).epsilon(1e-9));
  }
}

TEST_CASE("the optimum of a program without a solver says what to install" *
          doctest::skip(!without_solver())) {
  CHECK_THROWS_WITH_AS((void)optimum_of({11, 0.0, 3, 0.75, false, 0.0, {}}),
                       doctest::Contains("coinor-libclp-dev"), validity_error);
}

TEST_CASE("weights that are none") {
  const PrivateTeachers teachers{5, 0.1, 0.0, 5};
  const AnswerTarget target{0.2, 0.0};
  CHECK_THROWS_WITH_AS((void)optimal_gamma(teachers, target, std::vector{1.0, 1.0}, true),
                       doctest::Contains("3 weights"), parameter_error);
  CHECK_THROWS_WITH_AS((void)optimal_gamma(teachers, target, std::vector{1.0, -1.0, 1.0}, true),
                       doctest::Contains("got -1"), parameter_error);
  CHECK_THROWS_WITH_AS((void)optimal_gamma(teachers, target, std::vector{0.0, 0.0, 0.0}, true),
                       doctest::Contains("all be 0"), parameter_error);
  CHECK_THROWS_WITH_AS((void)optimal_gamma(teachers, target, std::vector{1e308, 1e308, 1.0}, true),
                       doctest::Contains("a finite sum"), parameter_error);
}

TEST_CASE("of several optima the fullest is taken" * doctest::skip(without_solver())) {
  // Weights on one size of the majority: all else is a tie.
  for (const std::size_t at : {std::size_t{0}, std::size_t{2}, std::size_t{5}}) {
    for (const bool monotone : {false, true}) {
      CAPTURE(at);
      CAPTURE(monotone);
      std::vector<double> weights(6, 0.0);
      weights[at] = 1.0;
      const PrivateTeachers teachers{11, 0.1, 0.0, 11};
      const AnswerTarget target{0.3, 0.0};
      const OptimalGamma alone = optimal_gamma(teachers, target, weights, monotone);
      CHECK(alone.objective >= alone.upper - 1e-8);
      // Equal weights beside it, a millionth of its: no better in total.
      std::vector<double> both = weights;
      for (double& weight : both) weight += 1e-6;
      const OptimalGamma mixed = optimal_gamma(teachers, target, both, monotone);
      const auto total = [](const OptimalGamma& one) {
        double sum = 0.0;
        for (const double value : one.released.gamma) sum += value;
        return sum;
      };
      CHECK(total(alone) >= total(mixed) - 1e-3);
    }
  }
}
