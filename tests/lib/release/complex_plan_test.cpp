#include "pate/release/curve/complex_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/curve/complex_recipe.hpp"
#include "pate/release/declared/certificate.hpp"
#include "support/curve_votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

CostSpec question_of(std::int64_t teachers, std::int64_t classes) {
  return curve_question(teachers, classes, 2.0);
}

VoteProfile votes_of(const CostSpec& question, double share, int queries) {
  return favouring_votes(question, share, queries, 77);
}

ComplexPlanSettings settings_at(double delta) {
  ComplexPlanSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  return settings;
}

}  // namespace

TEST_SUITE("curve") {
  TEST_CASE("complex plan: floor, ceiling and what is certified hold together") {
    const CostSpec question = question_of(20, 3);
    const VoteProfile votes = votes_of(question, 0.8, 30);
    const ComplexPlan plan = complex_plan(votes, settings_at(1e-5));
    CHECK(plan.curve.floor() == plan.parameters.floor);
    CHECK(plan.epsilon_at.size() == 21);
    CHECK(std::ranges::is_sorted(plan.epsilon_at));
    const PublishedMoments published = plan.published();
    CHECK(published.mean > plan.epsilon_before());
    CHECK(published.mean < plan.curve.ceiling());
    // What any votes certify is on the curve.
    CHECK(plan.epsilon_at.back() < plan.curve.ceiling());
    CHECK(published.sd > 0.0);
    // A later place costs no less.
    CHECK(plan.curve.published(plan.index + 5).mean >= published.mean);
  }

  TEST_CASE("complex plan: given what the recipe found it is the same, with any threads") {
    const CostSpec question = question_of(12, 2);
    const VoteProfile votes = votes_of(question, 0.7, 10);
    const ComplexPlan found = complex_plan(votes, settings_at(1e-4));
    ComplexPlanSettings given = settings_at(1e-4);
    given.origin = ParameterOrigin::given;
    given.parameters = found.parameters;
    given.threads = 3;
    const ComplexPlan same = complex_plan(votes, given);
    CHECK(same.index == found.index);
    CHECK(same.curve.ceiling() == found.curve.ceiling());
    CHECK(same.epsilon_at == found.epsilon_at);
  }

  TEST_CASE("complex recipe: nothing but public numbers, the same with any threads") {
    const CostSpec question = question_of(25, 4);
    const ComplexParameters one = default_complex_parameters(question, 40, 1e-5, {}, 1);
    const ComplexParameters three = default_complex_parameters(question, 40, 1e-5, {}, 3);
    CHECK(one.orders_for == three.orders_for);
    CHECK(one.floor == three.floor);
    CHECK(one.s == three.s);
    CHECK(one.beta == three.beta);
    CHECK_NOTHROW(validate(one));
    // More queries cost more.
    CHECK(default_complex_parameters(question, 400, 1e-5, {}, 1).orders_for > one.orders_for);
  }

  TEST_CASE("complex plan: a flat curve at its ceiling covers all votes") {
    const CostSpec question = question_of(15, 3);
    const VoteProfile worst = votes_of(question, 0.0, 20);
    ComplexPlanSettings settings = settings_at(1e-5);
    settings.origin = ParameterOrigin::given;
    settings.parameters = {3.0, 0.0, 4.0, 0.1};
    const ComplexPlan plan = complex_plan(worst, settings);
    const ComplexOrders& orders = plan.curve.orders();
    const ComplexCosts costs =
        CurveTableSource().complex_costs(question, orders, {&worst, 1}, 1, {}).front();
    const double flat = flat_epsilon(orders, DiscreteGaussian(4.0), 1e-5, costs.units.back(), 15);
    CHECK(flat > plan.epsilon_at.back());
    const std::vector<double> at{flat * (1.0 + 1e-9) + 1e-9};
    const std::vector<double> below{flat * 0.999};
    CHECK(ComplexCurve(orders, DiscreteGaussian(4.0), 1e-5, 0, at, 0).index(costs) == 0);
    CHECK_THROWS_AS(
        (void)ComplexCurve(orders, DiscreteGaussian(4.0), 1e-5, 0, below, 0).index(costs),
        validity_error);
  }

  TEST_CASE("complex plan: what it does not count is refused") {
    const CostSpec question = question_of(12, 3);
    const VoteProfile votes = votes_of(question, 0.7, 10);
    ComplexPlanSettings earlier = settings_at(1e-5);
    earlier.earlier.push_back({0.02, 4.0, 0.0, false, ReleaseMethod::curve});
    CHECK_THROWS_WITH_AS((void)complex_plan(votes, earlier), doctest::Contains("Renyi"),
                         parameter_error);
    ComplexPlanSettings realized = settings_at(1e-5);
    realized.cost = ReleasedCost::realized;
    CHECK_THROWS_WITH_AS((void)complex_plan(votes, realized), doctest::Contains("Renyi"),
                         parameter_error);
    CHECK_THROWS_AS((void)complex_plan(votes, settings_at(0.0)), parameter_error);
    ComplexPlanSettings given = settings_at(1e-5);
    given.origin = ParameterOrigin::given;
    for (const ComplexParameters& wrong :
         {ComplexParameters{0.0, 1.0, 4.0, 0.1}, ComplexParameters{1.0, -1.0, 4.0, 0.1},
          ComplexParameters{1.0, 1.0, 0.0, 0.1}, ComplexParameters{1.0, 1.0, 4.0, 0.0},
          ComplexParameters{std::nan(""), 1.0, 4.0, 0.1},
          ComplexParameters{1.0, std::nan(""), 4.0, 0.1}}) {
      given.parameters = wrong;
      CHECK_THROWS_AS((void)complex_plan(votes, given), parameter_error);
    }
    VoteProfile laplace = votes;
    laplace.aggregator.noisy_max = LaplaceNoisyMax{0.1};
    CHECK_THROWS_AS((void)complex_plan(laplace, settings_at(1e-5)), parameter_error);
  }

  TEST_CASE("complex plan: of many teachers where it is asked for, by two keys") {
    CHECK(default_certificate(question_of(400, 3)) == Certificate::complex);
    const CostSpec many = question_of(401, 3);
    CHECK(default_certificate(many) == Certificate::renyi);
    CHECK(has_complex_moments(many));
    CHECK_FALSE(has_complex_moments(question_of(2001, 3)));
    const VoteProfile votes = votes_of(many, 0.8, 3);
    ComplexPlanSettings settings = settings_at(1e-5);
    settings.origin = ParameterOrigin::given;
    settings.parameters = {0.3, 0.05, 4.0, 0.02};
    const ComplexPlan plan = complex_plan(votes, settings);
    CHECK(plan.published().mean > plan.epsilon_before());
  }

  TEST_CASE("complex costs: of several runs in one pass as of each by itself") {
    const CostSpec question = question_of(14, 4);
    const ComplexOrders orders = curve_orders(question, 2.0, 1e-5);
    const std::vector<VoteProfile> runs{votes_of(question, 0.3, 9), votes_of(question, 0.9, 20)};
    const CurveTableSource source;
    const auto together = source.complex_costs(question, orders, runs, 1, {});
    REQUIRE(together.size() == 2);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto alone = source.complex_costs(question, orders, {&runs[r], 1}, 2, {});
      CHECK(together[r].units == alone.front().units);
    }
    CHECK(source.complex_costs(question, orders, {}, 1, {}).empty());
  }
}
