#include "pate/accounting/planning/weights_for_budgets.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/weighted_run.hpp"
#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr PlanSettings kSettings{1e-5, {}, {}};

PlannedRun noisy(double sigma2, std::int64_t queries, std::optional<double> sigma1 = {}) {
  PlannedRun run;
  run.sigma2 = sigma2;
  run.sigma1 = sigma1;
  run.queries = queries;
  return run;
}

// What a teacher of such a weight pays: all noises divided by it.
double any_votes(PlannedRun run, double weight) {
  for (std::optional<double>* noise : {&run.sigma2, &run.sigma1, &run.laplace_scale}) {
    if (*noise) **noise /= weight;
  }
  return smallest_fixed(plan(run, kSettings).costs, Bound::data_independent).value();
}

TeacherGroups groups_of(std::size_t groups, std::size_t teachers) {
  TeacherGroups result;
  for (std::size_t g = 0; g < groups; ++g) result.names.push_back("g" + std::to_string(g));
  for (std::size_t t = 0; t < teachers; ++t) result.of_teacher.push_back(t % groups);
  return result;
}

}  // namespace

TEST_SUITE("weights_for_budgets") {
  TEST_CASE("weights whose costs are known are found") {
    // mpmath, 40 digits: what 300 answers with noise 40 / w cost at delta 1e-5, w = 0.5, 1 and 2.5.
    const std::array costs{1.1574912247151875, 2.5017399787320424, 7.2258792790102812};
    std::vector<double> budgets;
    for (const double cost : costs) budgets.push_back(cost * (1.0 + 1e-6));
    const BudgetedWeights found =
        weights_for_budgets(noisy(40.0, 300), groups_of(3, 5), budgets, kSettings);
    CHECK(found.lines == std::vector<std::string>{"0.5", "1", "2.5", "0.5", "1"});
    for (std::size_t g = 0; g < 3; ++g) {
      CHECK(found.groups[g].weight == std::array{0.5, 1.0, 2.5}[g]);
      CHECK(found.groups[g].teachers == std::array<std::int64_t, 3>{2, 2, 1}[g]);
      CHECK(covers(found.groups[g].epsilon, costs[g]));
    }
    CHECK(has_weights(found.found.plan));
    // Rounding goes down: a little less of a budget is a smaller weight, by a unit.
    for (double& budget : budgets) budget *= 1.0 - 4e-6;
    const BudgetedWeights less =
        weights_for_budgets(noisy(40.0, 300), groups_of(3, 5), budgets, kSettings);
    CHECK(less.lines == std::vector<std::string>{"0.4999", "0.9999", "2.4999", "0.4999", "0.9999"});
  }

  TEST_CASE("every budget is kept, and weights a thousandth larger keep none") {
    Random random(20260311);
    for (int i = 0; i < 12; ++i) {
      PlannedRun run = noisy(random.log_uniform(1.0, 200.0), random.integer(1, 2000));
      if (i % 3 == 1) run.sigma1 = random.log_uniform(1.0, 400.0);
      if (i % 3 == 2) {
        run.laplace_scale = *run.sigma2;
        run.sigma2.reset();
      }
      std::vector<double> budgets;
      for (int g = 0; g < 3; ++g) budgets.push_back(random.log_uniform(0.2, 20.0));
      const BudgetedWeights found = weights_for_budgets(run, groups_of(3, 7), budgets, kSettings);
      // As whoever reads the lines has it.
      const TeacherWeights weights = parse_weights(found.lines, "lines");
      const WeightedPlan again = plan_weighted(run, weights, kSettings);
      for (std::size_t g = 0; g < 3; ++g) {
        const GroupWeight& its = found.groups[g];
        const double weight = weights.weight_of(weights.units[g]);
        CHECK(its.weight == weight);
        CHECK(its.weight == std::stod(found.lines[g]));
        CHECK(its.budget == budgets[g]);
        CHECK(its.epsilon <= budgets[g]);
        CHECK(relative_error(its.epsilon, any_votes(run, weight)) < 1e-12);
        CHECK(any_votes(run, weight * 1.0011) > budgets[g]);
      }
      REQUIRE(again.weights.size() == found.found.weights.size());
      for (std::size_t w = 0; w < again.weights.size(); ++w) {
        CHECK(again.weights[w].any_votes == found.found.weights[w].any_votes);
      }
    }
  }

  TEST_CASE("with a threshold there are no more units than it can have") {
    const std::vector<double> budgets{0.5, 40.0};
    const BudgetedWeights found =
        weights_for_budgets(noisy(40.0, 10, 40.0), groups_of(2, 2000), budgets, kSettings);
    const TeacherWeights weights = parse_weights(found.lines, "lines");
    CHECK(weights.total() <= kMaxThresholdUnits);
    for (const GroupWeight& its : found.groups) CHECK(its.epsilon <= its.budget);
    CHECK_THROWS_WITH_AS(
        (void)weights_for_budgets(noisy(1.0, 1000, 1e3), groups_of(2, 100'000),
                                  std::array{0.01, 1e5}, kSettings),
        doctest::Contains("nothing is left of the weight of the group 'g0', rounded down"),
        validity_error);
  }

  TEST_CASE("what has no weights") {
    const auto refused = [](const PlannedRun& run, std::vector<double> budgets,
                            const PlanSettings& settings, const char* message) {
      CHECK_THROWS_WITH_AS((void)weights_for_budgets(run, groups_of(2, 4), budgets, settings),
                           doctest::Contains(message), parameter_error);
    };
    const PlannedRun run = noisy(20.0, 10);
    refused(run, {1.0}, kSettings, "each of 2 groups needs a budget above 0 and finite, got 1");
    refused(run, {1.0, 0.0}, kSettings, "each of 2 groups needs a budget above 0 and finite");
    refused(run, {1.0, kNaN}, kSettings, "each of 2 groups needs a budget above 0 and finite");
    refused(run, {1.0, kInfinity}, kSettings, "each of 2 groups needs a budget above 0 and");
    refused(run, {1.0, 2.0}, {1e-5, EpsilonMethod::gdp, {}}, "whatever the conversion");
    PlannedRun tested;
    tested.ptr_laplace = 0.5;
    tested.ptr_delta = 1e-9;
    tested.queries = 10;
    refused(tested, {1.0, 2.0}, kSettings, "go by whole votes");
    PlannedRun several = run;
    several.neighbours.teachers = 2;
    refused(several, {1.0, 2.0}, kSettings, "known for one teacher that votes otherwise");
    CHECK_THROWS_WITH_AS((void)weights_for_budgets(noisy(1e-9, 10), groups_of(2, 4),
                                                   std::array{1.0, 1.0}, kSettings),
                         doctest::Contains("no weight of the group 'g0' keeps epsilon 1 at delta "
                                           "1e-05: with the smallest there is, 1e-06, it is still"),
                         validity_error);
    CHECK_THROWS_WITH_AS((void)solve(run, kSettings, PlanParameter::teacher_weights, 1.0),
                         "weights of teachers are looked for with a budget for each group",
                         parameter_error);
  }
}
