#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "support/curve_votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

CostSpec question_of(std::int64_t teachers, std::int64_t classes) {
  return curve_question(teachers, classes, 10.0);
}

VoteProfile votes_of(const CostSpec& question, double share, int queries) {
  return favouring_votes(question, share, queries, 501);
}

// What a release with these parameters publishes on average.
double published_mean(CostSpec question, const CurveParameters& parameters, double delta,
                      const VoteProfile& votes) {
  CurveSettings settings;
  question.order = parameters.order;
  settings.question = question;
  settings.parameters = parameters;
  settings.delta = delta;
  settings.queries = votes.queries;
  settings.answered = votes.answered;
  settings.threads = 1;
  return CurveMechanism(settings).place(votes).published.mean;
}

}  // namespace

TEST_SUITE_BEGIN("release");

TEST_CASE("default parameters: the order is one of those it says, s and beta too") {
  struct Case {
    std::int64_t teachers, classes, queries;
  };
  for (const Case& one : {Case{60, 4, 400}, Case{90, 2, 2000}, Case{12, 3, 5}}) {
    CAPTURE(one.teachers);
    const CostSpec question = question_of(one.teachers, one.classes);
    const CurveRecipe recipe = default_parameters(question, one.queries, 1e-5, 1);
    const double slope =
        static_cast<double>(one.queries) *
        data_independent_cost(question.aggregator, question.neighbours, 2.0).total() / 2.0;
    const double centre = 1.0 + std::sqrt(-std::log(1e-5) / slope);
    CHECK(recipe.parameters.order >= std::min(centre, 300.0) * 0.9);
    CHECK(recipe.parameters.order <= std::min(centre, 300.0) * 3.3);
    CHECK(recipe.parameters.s >= 2.0);
    CHECK(recipe.parameters.s <= 30.0);
    // Three digits.
    const double beta = recipe.parameters.beta;
    const double noise = question.aggregator.noisy_max.parameter();
    const double unit = std::pow(10.0, std::floor(std::log10(beta)) - 2.0);
    CHECK(std::abs(beta / unit - std::round(beta / unit)) < 1e-6);
    CHECK(beta * noise >= 0.199);
    CHECK(beta * noise <= 1.21);
    // The tables are those of the order.
    REQUIRE(recipe.costs != nullptr);
    CHECK(recipe.costs->question().order == recipe.parameters.order);
  }
}

// Whoever changes the search changes what is released by default: then these change, on purpose.
TEST_CASE("default parameters: those that were found when the search was made") {
  const auto found = [](const CostSpec& question, std::int64_t queries) {
    const CurveParameters p = default_parameters(question, queries, 1e-5, 1).parameters;
    return std::vector<double>{p.order, p.s, p.beta};
  };
  CHECK(found(question_of(60, 4), 400) == std::vector<double>{4.0, 3.0, 0.0833});
  CHECK(found(question_of(90, 2), 2000) == std::vector<double>{3.5, 2.0, 0.0556});
  CHECK(found(question_of(12, 3), 5) == std::vector<double>{3.75, 2.0, 0.104});
  CostSpec laplace = question_of(60, 4);
  laplace.aggregator.selection.reset();
  laplace.aggregator.noisy_max = LaplaceNoisyMax{20.0};
  laplace.cost = CurveCost::tradeoff;
  CHECK(found(laplace, 400) == std::vector<double>{4.5, 4.0, 0.0106});
}

TEST_CASE("parameters from the labels: from top counts that explain how many were answered") {
  const auto found = [](const CostSpec& question, std::int64_t answered) {
    const CurveParameters p = parameters_from_labels(question, 400, answered, 1e-5, 1);
    CHECK(p.order == question.order);
    return std::vector<double>{p.s, p.beta};
  };
  CHECK(found(question_of(60, 4), 150) == std::vector<double>{2.0, 0.0208});
  CHECK(found(question_of(90, 2), 250) == std::vector<double>{3.0, 0.0556});
  CostSpec all = question_of(24, 4);
  all.aggregator.selection.reset();
  CHECK_THROWS_AS((void)parameters_from_labels(all, 40, 40, 1e-5, 1), parameter_error);
}

TEST_CASE("an estimated release is about what the release publishes, mostly above") {
  for (const std::int64_t teachers : {100, 160}) {
    for (const std::int64_t classes : {2, 3}) {
      for (const double share : {0.05, 0.5, 0.9}) {
        CAPTURE(teachers);
        CAPTURE(classes);
        CAPTURE(share);
        const CostSpec question = question_of(teachers, classes);
        const VoteProfile votes = votes_of(question, share, 400);
        const CurveEstimate estimate = estimated_release(question, votes, 1e-5, 1);
        const double mean = published_mean(question, estimate.parameters, 1e-5, votes);
        CHECK(estimate.published.mean >= 0.9 * mean);
        CHECK(estimate.published.mean <= 1.15 * mean);
        CHECK(estimate.published.sd > 0.0);
        CHECK(estimate.published.sd < 0.5 * estimate.published.mean);
      }
    }
  }
}

TEST_CASE("default parameters: runs that may cost too much are refused") {
  CostSpec question = question_of(24, 4);
  question.aggregator.selection.reset();
  question.aggregator.noisy_max = GaussianNoisyMax{0.5};  // 5 a query at order 1.25
  CHECK_THROWS_AS((void)default_parameters(question, 201, 1e-5, 1), validity_error);
  CHECK_THROWS_AS((void)default_parameters(question, 100000, 1e-5, 1), validity_error);
}

TEST_CASE("telling an index with noise costs order / (2 s^2)") {
  for (const double s : {0.8, 3.0, 20.0}) {
    const double variance = DiscreteGaussian(s).variance();
    CHECK(variance == doctest::Approx(s * s).epsilon(1e-6));
    const double expected = 7.0 / (2.0 * variance);
    CHECK(cost_of_index({7.0, s, 0.1}) >= expected);
    CHECK(cost_of_index({7.0, s, 0.1}) <= expected * (1.0 + 1e-8));
  }
}

TEST_SUITE_END();
