#include "pate/accounting/planning/weighted_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kDelta = 1e-5;

PlannedRun gaussian(double sigma2, std::int64_t queries, std::optional<double> sigma1 = {}) {
  PlannedRun run;
  run.sigma2 = sigma2;
  run.sigma1 = sigma1;
  run.queries = queries;
  return run;
}

PlannedRun laplace(double scale, std::int64_t queries) {
  PlannedRun run;
  run.laplace_scale = scale;
  run.queries = queries;
  return run;
}

double headline_of(const Plan& plan) {
  return plan.costs[plan.headline].epsilon;
}

std::optional<double> epsilon_of(std::span<const CostEntry> costs, EpsilonMethod conversion) {
  for (const CostEntry& cost : costs) {
    if (cost.bound == Bound::data_independent && cost.conversion == conversion) return cost.epsilon;
  }
  return std::nullopt;
}

// 4 to 9 teachers of one to three different weights.
TeacherWeights weights_at_random(Random& random) {
  const std::array units{random.integer(1, 40), random.integer(1, 40), random.integer(1, 40)};
  std::vector<std::string> texts;
  const std::int64_t teachers = random.integer(4, 9);
  const std::int64_t unit = random.integer(1, 400);  // thousandths
  for (std::int64_t t = 0; t < teachers; ++t) {
    const std::int64_t weight = unit * units[static_cast<std::size_t>(random.integer(0, 2))];
    std::string text = std::to_string(weight % 1000);
    text.insert(0, 3 - text.size(), '0');
    texts.push_back(std::to_string(weight / 1000) + '.' + text);
  }
  return parse_weights(texts, "weights");
}

}  // namespace

TEST_SUITE("weighted_plan") {
  TEST_CASE("what teachers of each weight pay, beside references") {
    const TeacherWeights weights =
        parse_weights(std::array<std::string, 4>{"1", "2.5", "0.5", "1"}, "weights");
    PlannedRun confident = gaussian(40.0, 1000, 150.0);
    confident.max_answers = 300;
    struct Case {
      PlannedRun run;
      std::array<double, 3> epsilon;  // at weights 0.5, 1 and 2.5
    };
    // mpmath, 40 digits: the profile of the Gaussian mechanism with mu = w sqrt(k / sigma1^2 + 2 a
    // / sigma2^2).
    for (const Case& given :
         {Case{gaussian(40.0, 300), {1.1574912247151875, 2.5017399787320424, 7.2258792790102812}},
          Case{confident, {1.2311540077473878, 2.6647957120599628, 7.7289387396579842}}}) {
      const WeightedPlan found = plan_weighted(given.run, weights, {kDelta, {}, {}});
      REQUIRE(found.weights.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(found.weights[i].weight == std::array{0.5, 1.0, 2.5}[i]);
        CHECK(found.weights[i].teachers == std::array<std::int64_t, 3>{1, 2, 1}[i]);
        CHECK(covers(found.weights[i].any_votes, given.epsilon[i]));
        CHECK(!found.weights[i].tradeoff);
      }
      CHECK(headline_of(found.plan) == found.weights[2].any_votes);
      // It is told in votes of the heaviest teacher, one of which moves.
      CHECK(found.plan.run.neighbours.is_one_replaced());
      const NoisyMax told = found.plan.run.noisy_max().value();
      CHECK(relative_error(told.parameter(), given.run.noisy_max()->parameter() / 2.5) < 1e-14);
      CHECK(found.plan.steps.maxima.begin()->first == told);
      CHECK(has_weights(found.plan));
      CHECK(guarantee_of(found.plan).assumes.back().starts_with("the weights of the teachers'"));
    }
    // The optimal composition of steps of pure epsilon 2 w / scale, by the same.
    for (const auto& given : {std::pair<std::int64_t, double>{1, 0.35931251620514485},
                              {2, 0.77493155447679319},
                              {5, 2.1101544222423823}}) {
      const WeightedPlan found = plan_weighted(laplace(50.0, 30), {{given.first, 1}, 0.5},
                                               {kDelta, EpsilonMethod::kov, {}});
      CHECK(covers(headline_of(found.plan), given.second));
      CHECK(found.weights.back().any_votes < given.second);  // the RDP of LNMax knows better
    }
  }

  TEST_CASE("all votes of weight 1 are no weights: the costs of the plan") {
    for (const PlannedRun& run :
         {gaussian(20.0, 100), gaussian(20.0, 100, 60.0), laplace(9.0, 5)}) {
      const Plan plain = plan(run, {kDelta, {}, {}});
      const WeightedPlan found = plan_weighted(run, {{1, 1, 1}, 1.0}, {kDelta, {}, {}});
      REQUIRE(found.plan.costs.size() == plain.costs.size());
      for (std::size_t i = 0; i < plain.costs.size(); ++i) {
        CHECK(found.plan.costs[i].epsilon >= plain.costs[i].epsilon);
        CHECK(relative_error(found.plan.costs[i].epsilon, plain.costs[i].epsilon) < 1e-13);
      }
      CHECK(!has_weights(plain));
    }
  }

  TEST_CASE("plan and analysis agree in every digit, of each weight and of each conversion") {
    Random random(20261127);
    for (int i = 0; i < 60; ++i) {
      const TeacherWeights weights = weights_at_random(random);
      const auto teachers = static_cast<std::int64_t>(weights.units.size());
      const std::int64_t queries = random.integer(1, 6);
      std::vector<std::int64_t> ids(static_cast<std::size_t>(queries * teachers));
      for (std::int64_t& id : ids) id = random.integer(0, 2);
      const PredictionVotes votes(pate::test::integer_table({queries, teachers}, ids),
                                  PredictionLayout::queries_by_teachers, 3);
      const double noise = random.log_uniform(0.5, 100.0);
      PlannedRun planned = i % 3 == 0 ? laplace(noise, queries) : gaussian(noise, queries);
      Aggregator aggregator{.selection = {}, .noisy_max = planned.noisy_max().value()};
      if (i % 3 == 1) {
        planned.sigma1 = random.log_uniform(0.5, 100.0);
        aggregator.selection = ThresholdCheck{random.uniform(0.0, 5.0), *planned.sigma1};
      }
      AccountSettings settings;
      settings.delta = kDelta;
      settings.threads = 1;
      if (i % 5 == 0) settings.orders = std::vector<double>{2.0, 7.5, 20.0};
      const WeightedAccount analysed = account_weighted({.votes = votes,
                                                         .rows = RowSelection::all(queries),
                                                         .aggregator = aggregator,
                                                         .neighbours = {},
                                                         .decisions = {},
                                                         .labels = {}},
                                                        votes, weights, settings);
      const WeightedPlan found = plan_weighted(planned, weights, {kDelta, {}, settings.orders});
      REQUIRE(found.weights.size() == analysed.weights.size());
      for (std::size_t j = 0; j < found.weights.size(); ++j) {
        CHECK(found.weights[j].weight == analysed.weights[j].weight);
        CHECK(found.weights[j].teachers == analysed.weights[j].teachers);
        CHECK(found.weights[j].any_votes == analysed.weights[j].any_votes);
      }
      int compared = 0;
      for (const CostEntry& cost : analysed.account.costs) {
        if (cost.bound != Bound::data_independent) continue;
        CHECK(epsilon_of(found.plan.costs, cost.conversion) == cost.epsilon);
        ++compared;
      }
      CHECK(compared >= 4);
      CHECK(found.plan.steps == analysed.account.steps);  // what is added to other runs
    }
  }

  TEST_CASE("what a calibration found keeps the target for the heaviest, and less noise does not") {
    Random random(7);
    for (int i = 0; i < 20; ++i) {
      const TeacherWeights weights = weights_at_random(random);
      const double target = random.log_uniform(0.1, 10.0);
      const PlanSettings settings{kDelta, {}, {}};
      const bool has_check = i % 2 == 0;
      PlannedRun run = gaussian(0.0, 50);
      run.sigma2.reset();
      if (has_check)
        run.sigma1 = 60.0 * static_cast<double>(weights.heaviest()) * weights.unit / target;
      const WeightedPlan found =
          solve_weighted(run, weights, settings, PlanParameter::sigma2, target);
      CHECK(headline_of(found.plan) <= target);
      CHECK(headline_of(found.plan) >= target * (1.0 - 1e-9));
      // Told in votes of weight 1: the option that gives this plan.
      run.sigma2 = found.plan.solved.value().value;
      CHECK(headline_of(plan_weighted(run, weights, settings).plan) == headline_of(found.plan));
      run.sigma2 = *run.sigma2 * (1.0 - 1e-9);
      CHECK(headline_of(plan_weighted(run, weights, settings).plan) > target);
    }
  }

  TEST_CASE("of other parameters, too") {
    const TeacherWeights weights{{2, 5}, 0.5};
    const PlanSettings settings{kDelta, {}, {}};
    const WeightedPlan scale = solve_weighted(
        [] {
          PlannedRun run;
          run.queries = 20;
          return run;
        }(),
        weights, settings, PlanParameter::laplace_scale, 3.0);
    CHECK(headline_of(scale.plan) <= 3.0);
    CHECK(
        headline_of(plan_weighted(laplace(scale.plan.solved->value, 20), weights, settings).plan) ==
        headline_of(scale.plan));
    CHECK(headline_of(
              plan_weighted(laplace(scale.plan.solved->value * (1 - 1e-9), 20), weights, settings)
                  .plan) > 3.0);

    const WeightedPlan check =
        solve_weighted(gaussian(90.0, 100), weights, settings, PlanParameter::sigma1, 3.0);
    CHECK(headline_of(check.plan) <= 3.0);
    CHECK(headline_of(plan_weighted(gaussian(90.0, 100, check.plan.solved->value * (1 - 1e-9)),
                                    weights, settings)
                          .plan) > 3.0);

    const WeightedPlan most =
        solve_weighted(gaussian(40.0, 1), weights, settings, PlanParameter::queries, 3.0);
    const auto queries = static_cast<std::int64_t>(most.plan.solved->value);
    CHECK(most.plan.run.queries == queries);
    CHECK(headline_of(most.plan) <= 3.0);
    CHECK(headline_of(plan_weighted(gaussian(40.0, queries + 1), weights, settings).plan) > 3.0);

    PlannedRun answered = gaussian(40.0, 2000, 300.0);
    const WeightedPlan answers =
        solve_weighted(answered, weights, settings, PlanParameter::max_answers, 5.0);
    CHECK(headline_of(answers.plan) <= 5.0);
    answered.max_answers = static_cast<std::int64_t>(answers.plan.solved->value) + 1;
    CHECK(headline_of(plan_weighted(answered, weights, settings).plan) > 5.0);
    // Limits of a parameter are said.
    const WeightedPlan free =
        solve_weighted(answered, weights, settings, PlanParameter::max_answers, 1e4);
    CHECK(free.plan.notices.back().code == "solved_at_limit");
    CHECK_THROWS_AS(
        (void)solve_weighted(gaussian(1.0, 100), weights, settings, PlanParameter::sigma1, 1e-3),
        validity_error);
  }

  TEST_CASE("what weights do not go with") {
    const TeacherWeights weights{{1, 2}, 1.0};
    const PlanSettings settings{kDelta, {}, {}};
    const auto refused = [&](const PlannedRun& run, const char* message,
                             const TeacherWeights& its) {
      CHECK_THROWS_WITH_AS((void)plan_weighted(run, its, settings), doctest::Contains(message),
                           parameter_error);
      CHECK_THROWS_AS((void)solve_weighted(run, its, settings, PlanParameter::queries, 3.0),
                      parameter_error);
    };
    PlannedRun tested;
    tested.ptr_laplace = 0.5;
    tested.ptr_delta = 1e-9;
    PlannedRun one = laplace(5.0, 10);
    one.one_noise = true;
    for (const PlannedRun& its : {tested, one}) refused(its, "go by whole votes", weights);
    PlannedRun sampled = gaussian(5.0, 10);
    sampled.neighbours = {Adjacency::add_remove, 1};
    refused(sampled, "weights is known for one teacher that votes otherwise", weights);
    sampled.sampling = Sampling{0.5};
    refused(sampled, "the cost of teachers with weights excludes samples", weights);
    refused(gaussian(5.0, 10, 9.0),
            "with a threshold the weights may be at most 10000000 of their common unit, 1, "
            "together, got 10000003",
            {{10'000'000, 3}, 1.0});
    CHECK_THROWS_AS((void)plan_weighted(gaussian(-5.0, 10), weights, settings), parameter_error);
    CHECK_THROWS_AS((void)plan_weighted(gaussian(5.0, 0), weights, settings), parameter_error);
    CHECK_THROWS_AS((void)solve_weighted(gaussian(5.0, 10), weights, settings,
                                         PlanParameter::max_refusals, 3.0),
                    parameter_error);
  }
}
