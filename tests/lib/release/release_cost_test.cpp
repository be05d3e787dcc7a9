#include "pate/release/smooth/release_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/release/public_release.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// The divergence of N(f + k s S, (s S)^2) from N(f' + k s S', (s S')^2) at f - f' = `change` S'.
long double divergence(double order, double sigma, double k, long double x, long double change) {
  const auto lambda = static_cast<long double>(order);
  const auto s = static_cast<long double>(sigma);
  const long double y = lambda - (lambda - 1.0L) * x * x;
  const long double means = change + static_cast<long double>(k) * s * (x - 1.0L);
  return lambda * means * means / (2.0L * s * s * y) - std::log(x) -
         std::log(y) / (2.0L * (lambda - 1.0L));
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("release costs against the oracle") {
    for (const OracleRow& row : oracle("release_cost")) {
      const double cost = release_cost(row.number("lambda"), row.number("beta"),
                                       row.number("sigma_ss"), row.number("k"));
      CHECK_MESSAGE(covers(cost, row.number("cost")), row.text(), show({{"got", cost}}));
    }
  }

  TEST_CASE("no pair of sensitivities that neighbours can have costs more, and one costs as much") {
    Random random(421);
    for (int i = 0; i < 2000; ++i) {
      const double order = 1.0 + random.log_uniform(0.05, 100.0);
      const double beta = random.uniform(0.001, 0.97) * largest_beta(order);
      const double sigma = random.log_uniform(0.1, 200.0);
      const double k = random.integer(0, 2) == 0 ? 0.0 : random.log_uniform(0.01, 8.0);
      const double cost = release_cost(order, beta, sigma, k);
      long double largest = 0.0L;
      for (int j = -60; j <= 60; ++j) {
        const long double x = std::exp(static_cast<long double>(beta) * j / 60.0L);
        for (const long double share : {-1.0L, -0.5L, 0.0L, 0.7L, 1.0L}) {
          largest = std::max(largest, divergence(order, sigma, k, x, share * std::min(x, 1.0L)));
        }
      }
      CHECK_MESSAGE(covers(cost, static_cast<double>(largest)),
                    show({{"order", order}, {"beta", beta}, {"sigma", sigma}, {"k", k}}));
    }
  }

  TEST_CASE("the release cost is infinite from the largest beta on") {
    for (const double order : {1.01, 2.0, 14.0, 300.0}) {
      const double most = largest_beta(order);
      CHECK(std::isfinite(release_cost(order, most * 0.999999, 5.0, 2.0)));
      CHECK(release_cost(order, most * 1.000001, 5.0, 2.0) == kInfinity);
      CHECK(release_cost(order, 1e-9, 5.0, 0.0) >= order / 50.0);
      CHECK(release_cost(order, 1e-9, 5.0, 0.0) <= order / 50.0 * (1.0 + 1e-6));
    }
  }

  TEST_CASE("the numbers of a release are those of its cost, its noise and its sensitivity") {
    CostAtOrder cost;
    cost.order = 8.0;
    cost.rdp = 0.7;
    cost.local.at = {0.01, 0.03, 0.2};
    cost.local.complete = true;
    const ReleaseParameters parameters{8.0, 0.05, 6.0};
    const ReleaseNumbers numbers = release_numbers(cost, parameters, {1e-6, 3.0});
    const double sensitivity = std::max({0.01, 0.03 * std::exp(-0.05), 0.2 * std::exp(-0.1)});
    CHECK(numbers.smooth_sensitivity == doctest::Approx(sensitivity).epsilon(1e-8));
    CHECK(numbers.noise_sd == doctest::Approx(6.0 * sensitivity).epsilon(1e-8));
    CHECK(numbers.epsilon_before == epsilon_from_rdp(Conversion::improved, 0.7, 8.0, 1e-6));
    CHECK(numbers.release_cost == doctest::Approx(release_cost(8.0, 0.05, 6.0, 3.0)).epsilon(1e-7));
    CHECK(numbers.mean_released ==
          doctest::Approx(numbers.epsilon_before + numbers.release_cost + 3.0 * numbers.noise_sd));
    CHECK(numbers.objective(3.0) == numbers.mean_released);
    CHECK(numbers.objective(0.0) == numbers.mean_released + 2.0 * numbers.noise_sd);
    CHECK_FALSE(numbers.at_end);
  }

  TEST_CASE("a smooth sensitivity is the largest of all distances, the votes themselves too") {
    CHECK(smooth_sensitivity({{0.2, 0.2, 0.2}, 0.0, true}, 0.5).value == 0.2);
    CHECK(smooth_sensitivity({{0.1, 0.2, 0.2}, 0.0, true}, 0.5).value ==
          doctest::Approx(0.2 * std::exp(-0.5)));
    const SmoothSensitivity beyond = smooth_sensitivity({{0.1, 0.1}, 9.0, false}, 0.5);
    CHECK(beyond.value == doctest::Approx(9.0 * std::exp(-1.0)));
    CHECK(beyond.at_end);
  }

  TEST_CASE("what a released number stands for is never negative") {
    ReleasePlan plan;
    plan.delta = 0.5;
    plan.parameters = {2.0, 0.1, 1.0};
    CHECK(plan.epsilon(0.0) == 0.0);
    plan.numbers.release_cost = 0.5;
    plan.earlier_cost = 0.25;
    CHECK(plan.epsilon(3.0) ==
          doctest::Approx(epsilon_from_rdp(Conversion::improved, 3.75, 2.0, 0.5)).epsilon(1e-13));
  }

  TEST_CASE("no other beta and sigma have a smaller objective") {
    for (const double order : {1.5, 6.0, 25.0}) {
      for (const double k : {0.0, 0.4, 3.0}) {
        for (const double growth : {0.02, 0.2}) {
          CAPTURE(order);
          CAPTURE(k);
          CAPTURE(growth);
          CostAtOrder cost;
          cost.order = order;
          cost.rdp = 0.4;
          for (int d = 0; d <= 60; ++d) {
            cost.local.at.push_back(std::min(1e-3 * std::exp(growth * d), 0.05));
          }
          cost.local.complete = true;
          const ReleaseGoal goal{1e-5, k};
          const double found = release_numbers(cost, best_noise(cost, goal), goal).objective(k);
          double best = kInfinity;
          for (double share = 0.01; share < 0.999; share += 0.01) {
            for (double sigma = 0.5; sigma < 1e3; sigma *= 1.05) {
              const ReleaseParameters other{order, share * largest_beta(order), sigma};
              best = std::min(best, release_numbers(cost, other, goal).objective(k));
            }
          }
          CHECK(found <= 1.001 * best);
        }
      }
    }
  }

  TEST_CASE("what a release assumes: of its parameters, and of queries where costs are joint") {
    PublicRelease published;
    published.aggregator.noisy_max = GaussianNoisyMax{40.0};
    published.epsilon = 1.0;
    published.delta = 1e-5;
    const auto assumes = [&](const char* text) {
      return std::ranges::any_of(guarantee_of(published).assumes, [&](const std::string& one) {
        return one.find(text) != std::string::npos;
      });
    };
    for (const ReleasedCost reading : {ReleasedCost::joint, ReleasedCost::realized}) {
      published.reading = reading;
      published.parameters = ParameterOrigin::fixed;
      CHECK(assumes("were fixed without these votes"));
      CHECK(assumes("did not depend on answers of this run") == (reading == ReleasedCost::joint));
      published.parameters = ParameterOrigin::public_inputs;
      CHECK(assumes("the number of queries was fixed"));
      CHECK_FALSE(assumes("were fixed without these votes"));
      published.parameters = ParameterOrigin::chosen;
      CHECK_FALSE(guarantee_of(published).holds);
    }
    CHECK_FALSE(guarantee_of(std::optional<PublicRelease>()).holds);
  }

  // Of more than some hundred different queries a part stands for all.
  TEST_CASE("of very many queries too no other order has a much smaller objective") {
    Aggregator aggregator;
    aggregator.selection = ThresholdCheck{60.0, 150.0};
    aggregator.noisy_max = GaussianNoisyMax{9.0};
    Random random(423);
    std::vector<ProfiledQuery> queries;
    for (int i = 0; i < 1100; ++i) {
      const Histogram counts = random_histogram(random, 100, 4);
      queries.push_back({counts, *std::ranges::max_element(counts), true});
    }
    const VoteProfile votes = profile_of(aggregator, queries);
    CostChoice choice;
    choice.cost = ReleasedCost::realized;
    choice.resolution = GridResolution::rough();
    choice.most_votes = 100;
    choice.threads = 1;
    const ReleaseGoal goal{1e-5, 2.0};
    const CostAtOrder at = cost_at_order(votes, best_parameters(votes, goal, choice).order, choice);
    const double found = release_numbers(at, best_noise(at, goal), goal).objective(goal.k);
    for (const double order : {1.5, 2.0, 3.0, 4.5, 7.0, 12.0, 25.0}) {
      const CostAtOrder cost = cost_at_order(votes, order, choice);
      CHECK(found <= 1.02 * release_numbers(cost, best_noise(cost, goal), goal).objective(2.0));
    }
  }

  TEST_CASE("no other order has a much smaller objective") {
    Aggregator aggregator;
    aggregator.selection = ThresholdCheck{70.0, 50.0};
    aggregator.noisy_max = GaussianNoisyMax{12.0};
    Random random(422);
    for (const double share : {0.6, 0.95}) {
      std::vector<ProfiledQuery> queries;
      for (int i = 0; i < 60; ++i) {
        const auto top = static_cast<std::int32_t>(100 * share) +
                         static_cast<std::int32_t>(random.integer(-3, 5));
        queries.push_back({{top, (100 - top) / 2, 100 - top - (100 - top) / 2}, top, true});
      }
      const VoteProfile votes = profile_of(aggregator, queries);
      CostChoice choice;
      choice.resolution = GridResolution::rough();
      choice.most_votes = 100;
      choice.threads = 1;
      // At the order that is found the noise is the best one for the sensitivity as it is.
      ReleaseSettings settings;
      settings.delta = 1e-5;
      settings.confidence = 0.99;
      settings.threads = 1;
      const ReleasePlan plan = release_plan(votes, settings);
      CostChoice as_it_is = choice;
      as_it_is.resolution = {};
      const CostAtOrder exactly = cost_at_order(votes, plan.parameters.order, as_it_is);
      const ReleaseGoal of_plan{1e-5, plan.k};
      CHECK(release_numbers(exactly, plan.parameters, of_plan).objective(plan.k) <=
            release_numbers(exactly, best_noise(exactly, of_plan), of_plan).objective(plan.k));
      const ReleaseGoal goal{1e-5, 2.0};
      const auto objective = [&](const ReleaseParameters& parameters) {
        return release_numbers(cost_at_order(votes, parameters.order, choice), parameters, goal)
            .objective(goal.k);
      };
      const double found = objective(best_parameters(votes, goal, choice));
      for (const double order : {1.5, 2.5, 4.0, 6.0, 9.0, 14.0, 22.0, 40.0}) {
        const CostAtOrder cost = cost_at_order(votes, order, choice);
        CHECK(found <= 1.02 * release_numbers(cost, best_noise(cost, goal), goal).objective(2.0));
      }
    }
  }
}
