#include "pate/accounting/weighted_account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/hockey_stick.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/npy_writer.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kDelta = 1e-3;

std::unique_ptr<PredictionVotes> predictions_of(const std::vector<std::int64_t>& ids,
                                                std::int64_t teachers, std::int64_t classes) {
  return std::make_unique<PredictionVotes>(
      pate::test::integer_table({static_cast<std::int64_t>(ids.size()) / teachers, teachers}, ids),
      PredictionLayout::queries_by_teachers, classes);
}

Run run_of(const PredictionVotes& votes, NoisyMax noise) {
  return {.votes = votes,
          .rows = RowSelection::all(votes.queries()),
          .aggregator = Aggregator{.selection = {}, .noisy_max = noise},
          .decisions = {},
          .labels = {}};
}

AccountSettings settings_of(double delta = kDelta) {
  AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  return settings;
}

Counts weighted(const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& weights,
                std::size_t classes) {
  Counts counts(classes, 0);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    counts[static_cast<std::size_t>(ids[t])] += static_cast<std::int32_t>(weights[t]);
  }
  return counts;
}

}  // namespace

TEST_SUITE("weighted_account") {
  TEST_CASE("no teacher loses more than it is said to: all ensembles and all votes that move") {
    constexpr std::size_t kClasses = 3;
    for (const std::vector<std::int64_t>& weights :
         {std::vector<std::int64_t>{1, 2, 1}, {3, 1, 2}, {2, 2, 5}}) {
      for (const double sigma : {0.7, 2.0, 6.0}) {
        double furthest = 0.0;
        for (std::int64_t code = 0; code < 27; ++code) {
          const std::vector<std::int64_t> ids{code % 3, code / 3 % 3, code / 9};
          const auto votes = predictions_of(ids, 3, kClasses);
          const auto found = account_weighted(run_of(*votes, NoisyMax{GaussianNoisyMax{sigma}}),
                                              *votes, {weights, 1.0}, settings_of());
          const Probabilities p = gaussian_outcomes(weighted(ids, weights, kClasses), sigma);
          for (std::size_t t = 0; t < 3; ++t) {
            const auto cost = std::ranges::find(found.weights, static_cast<double>(weights[t]),
                                                &WeightCost::weight);
            REQUIRE(cost != found.weights.end());
            for (std::int64_t to = 0; to < 3; ++to) {
              auto neighbour = ids;
              neighbour[t] = to;
              const Probabilities n =
                  gaussian_outcomes(weighted(neighbour, weights, kClasses), sigma);
              for (const double epsilon : {cost->any_votes, cost->tradeoff.value()}) {
                CHECK(hockey_stick(p, n, epsilon) <= kDelta);
                CHECK(hockey_stick(n, p, epsilon) <= kDelta);
              }
              furthest = std::max(furthest, hockey_stick(p, n, 0.3 * *cost->tradeoff));
            }
          }
        }
        CHECK(furthest > kDelta);  // the comparisons say something
      }
    }
  }

  TEST_CASE("equal weights are none: the account of the predictions themselves") {
    const std::vector<std::int64_t> ids{0, 0, 0, 1, 0, 2, 2, 2, 1, 1, 0, 0};
    const auto votes = predictions_of(ids, 4, 3);
    for (const NoisyMax& noise :
         {NoisyMax{GaussianNoisyMax{2.0}}, NoisyMax{LaplaceNoisyMax{3.0}}}) {
      const Account plain = account(run_of(*votes, noise), settings_of());
      const auto found =
          account_weighted(run_of(*votes, noise), *votes, {{1, 1, 1, 1}, 1.0}, settings_of());
      REQUIRE(found.account.costs.size() == plain.costs.size());
      for (std::size_t i = 0; i < plain.costs.size(); ++i) {
        CHECK(found.account.costs[i].epsilon >= plain.costs[i].epsilon);
        CHECK(relative_error(found.account.costs[i].epsilon, plain.costs[i].epsilon) < 1e-9);
      }
      CHECK(found.account.teachers == 4);
      REQUIRE(found.weights.size() == 1);
      // Weights of 2 with twice the noise are the same.
      const NoisyMax twice = noise_of(noise.noise.index(), 2.0 * noise.parameter());
      const auto other =
          account_weighted(run_of(*votes, twice), *votes, {{1, 1, 1, 1}, 2.0}, settings_of());
      CHECK(relative_error(*other.weights[0].tradeoff, *found.weights[0].tradeoff) < 1e-9);
      CHECK(other.weights[0].weight == 2.0);
    }
  }

  TEST_CASE("a heavier teacher pays more, whatever the votes by its weight") {
    const std::vector<std::int64_t> ids{0, 0, 0, 1, 0, 2, 2, 2, 1, 1, 0, 0};
    const auto votes = predictions_of(ids, 4, 3);
    const auto found = account_weighted(run_of(*votes, NoisyMax{GaussianNoisyMax{5.0}}), *votes,
                                        {{1, 2, 4, 1}, 0.5}, settings_of());
    REQUIRE(found.weights.size() == 3);
    CHECK(found.weights[0].teachers == 2);
    CHECK(found.weights[2].weight == 2.0);
    for (std::size_t i = 1; i < 3; ++i) {
      CHECK(found.weights[i].any_votes > found.weights[i - 1].any_votes);
      CHECK(*found.weights[i].tradeoff > *found.weights[i - 1].tradeoff);
    }
    // Three queries by GNMax with sigma 5 / 2.
    CHECK(relative_error(*found.account.steps.squared_mu(), 3.0 * 2.0 / 6.25) < 1e-12);
  }

  TEST_CASE("what weights do not go with") {
    const auto votes = predictions_of({0, 1, 1}, 3, 2);
    const Run run = run_of(*votes, NoisyMax{GaussianNoisyMax{2.0}});
    const TeacherWeights weights{{1, 2, 1}, 1.0};
    AccountSettings settings = settings_of();
    settings.exact = true;
    CHECK_THROWS_AS((void)account_weighted(run, *votes, weights, settings), parameter_error);
    settings = settings_of();
    settings.tilted = true;
    CHECK_THROWS_AS((void)account_weighted(run, *votes, weights, settings), parameter_error);
    settings = settings_of();
    settings.complex = true;
    CHECK_THROWS_AS((void)account_weighted(run, *votes, weights, settings), parameter_error);
    Run checked = run_of(*votes, NoisyMax{GaussianNoisyMax{2.0}});
    checked.aggregator = Aggregator{ThresholdCheck{2.0, 1.0}, {GaussianNoisyMax{2.0}}, false};
    CHECK_THROWS_AS((void)account_weighted(checked, *votes, weights, settings_of()),
                    parameter_error);
    CHECK_THROWS_AS((void)account_weighted(run_of(*votes, NoisyMax{OneLaplaceNoise{2.0}}), *votes,
                                           weights, settings_of()),
                    parameter_error);
    CHECK_THROWS_AS((void)account_weighted(run, *votes, {{1, 2}, 1.0}, settings_of()),
                    parameter_error);
    // Whose votes change must not be forgotten: what is for others has no cost by weight.
    for (const Neighbours& others :
         {Neighbours{Adjacency::replace, 2}, Neighbours{Adjacency::add_remove, 1}}) {
      const Run of_others = run_of(*votes, NoisyMax{GaussianNoisyMax{2.0}, others});
      CHECK_THROWS_AS((void)account_weighted(of_others, *votes, weights, settings_of()),
                      parameter_error);
    }
  }
}
