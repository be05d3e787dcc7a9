#include "pate/accounting/weighted_account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
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
          .neighbours = {},
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

  TEST_CASE("exact costs of every teacher: all ensembles of two queries, all votes that move") {
    const std::vector<double> orders{1.5, 3.0, 8.0, 30.0};
    AccountSettings settings = settings_of();
    settings.models.insert(Bound::exact);
    settings.orders = orders;
    for (const std::vector<std::int64_t>& weights :
         {std::vector<std::int64_t>{1, 2, 1}, {3, 1, 2}, {2, 2, 5}}) {
      for (const bool gaussian : {true, false}) {
        const NoisyMax noise =
            gaussian ? NoisyMax{GaussianNoisyMax{4.0}} : NoisyMax{LaplaceNoisyMax{3.0}};
        const auto outcomes = [&](const std::vector<std::int64_t>& ids) {
          const Counts counts = weighted(ids, weights, 3);
          return gaussian ? gaussian_outcomes(counts, 4.0) : laplace_outcomes(counts, 3.0);
        };
        for (std::int64_t code = 0; code < 27; ++code) {
          std::vector<std::vector<std::int64_t>> queries{{code % 3, code / 3 % 3, code / 9},
                                                         {0, code % 3, 0}};
          std::vector<std::int64_t> all = queries[0];
          all.insert(all.end(), queries[1].begin(), queries[1].end());
          const auto votes = predictions_of(all, 3, 3);
          const auto found =
              account_weighted(run_of(*votes, noise), *votes, {weights, 1.0}, settings);
          const PerTeacher& costs = found.account.per_teacher.value();
          double most = 0.0;
          for (std::size_t t = 0; t < 3; ++t) {
            double expected[2] = {1e300, 1e300};
            for (const double order : orders) {
              double sums[2] = {0.0, 0.0};
              for (const auto& ids : queries) {
                const Probabilities p = outcomes(ids);
                double largest[2] = {0.0, 0.0};
                for (std::int64_t to = 0; to < 3; ++to) {
                  auto neighbour = ids;
                  neighbour[t] = to;
                  const Probabilities n = outcomes(neighbour);
                  largest[0] = std::max(largest[0], renyi_divergence(p, n, order));
                  largest[1] = std::max(largest[1], renyi_divergence(n, p, order));
                }
                for (int d = 0; d < 2; ++d) sums[d] += largest[d];
              }
              for (int d = 0; d < 2; ++d) {
                expected[d] = std::min(
                    expected[d], epsilon_from_rdp(Conversion::optimal, sums[d], order, kDelta));
              }
            }
            const double its = std::max({expected[0], expected[1], 0.0});
            most = std::max(most, its);
            CHECK(costs.epsilon[t] >= its * (1.0 - 1e-10));
            CHECK(relative_error(costs.epsilon[t], its) < 2e-9);
            // Of its weight, and of the run, the largest.
            const auto cost = std::ranges::find(found.weights, static_cast<double>(weights[t]),
                                                &WeightCost::weight);
            CHECK(cost->exact.value() <= cost->tradeoff.value() * (1.0 + 1e-9));
          }
          const auto entry = std::ranges::find_if(found.account.costs, [](const CostEntry& its) {
            return its.bound == Bound::exact_per_teacher &&
                   its.conversion == EpsilonMethod::optimal;
          });
          REQUIRE(entry != found.account.costs.end());
          CHECK(relative_error(entry->epsilon, most) < 2e-9);
          CHECK(std::ranges::none_of(
              found.account.costs, [](const CostEntry& its) { return its.bound == Bound::exact; }));
        }
      }
    }
  }

  TEST_CASE("exact profiles of teachers with weights: no neighbour is further away") {
    constexpr std::size_t kClasses = 3;
    AccountSettings settings = settings_of();
    settings.models.insert(Bound::exact);
    for (const std::vector<std::int64_t>& weights :
         {std::vector<std::int64_t>{1, 2, 1}, {2, 2, 5}}) {
      for (std::int64_t code = 0; code < 27; code += 2) {
        const std::vector<std::int64_t> ids{code % 3, code / 3 % 3, code / 9};
        const auto votes = predictions_of(ids, 3, kClasses);
        const auto found = account_weighted(run_of(*votes, NoisyMax{GaussianNoisyMax{2.0}}), *votes,
                                            {weights, 1.0}, settings);
        const PerTeacher& costs = found.account.per_teacher.value();
        const Probabilities p = gaussian_outcomes(weighted(ids, weights, kClasses), 2.0);
        for (std::size_t t = 0; t < 3; ++t) {
          double largest = 0.0;
          const double epsilon = costs.profile.value()[t];
          CHECK(epsilon <= costs.epsilon[t]);
          for (std::int64_t to = 0; to < 3; ++to) {
            auto neighbour = ids;
            neighbour[t] = to;
            const Probabilities n = gaussian_outcomes(weighted(neighbour, weights, kClasses), 2.0);
            largest = std::max({largest, hockey_stick(p, n, epsilon), hockey_stick(n, p, epsilon)});
          }
          CHECK(largest <= kDelta * (1.0 + 1e-9));
          // And one is nearly as far: on the coarse grid of teachers to a percent or so.
          if (epsilon > 0.0) CHECK(largest > 0.5 * kDelta);
        }
      }
    }
  }

  TEST_CASE("with a threshold: no teacher loses more, whatever its vote becomes") {
    constexpr double kThreshold = 3.0;
    constexpr double kSigma1 = 1.5;
    constexpr double kSigma2 = 2.0;
    const auto outcomes = [&](const Counts& counts) {
      Probabilities p = gaussian_outcomes(counts, kSigma2);
      const long double z =
          (*std::ranges::max_element(counts) - static_cast<long double>(kThreshold)) /
          (static_cast<long double>(kSigma1) * std::sqrt(2.0L));
      for (long double& x : p) x *= 0.5L * std::erfc(-z);
      p.push_back(0.5L * std::erfc(z));
      return p;
    };
    AccountSettings settings = settings_of();
    settings.models.insert({Bound::exact, Bound::complex});
    double furthest = 0.0;
    for (const std::vector<std::int64_t>& weights :
         {std::vector<std::int64_t>{1, 2, 1}, {3, 1, 2}, {2, 2, 5}}) {
      for (std::int64_t code = 0; code < 27; ++code) {
        const std::vector<std::int64_t> ids{code % 3, code / 3 % 3, code / 9};
        const auto votes = predictions_of(ids, 3, 3);
        Run run = run_of(*votes, NoisyMax{GaussianNoisyMax{kSigma2}});
        run.aggregator =
            Aggregator{ThresholdCheck{kThreshold, kSigma1}, {GaussianNoisyMax{kSigma2}}, false};
        const auto found = account_weighted(run, *votes, {weights, 1.0}, settings);
        const PerTeacher& costs = found.account.per_teacher.value();
        const auto certified =
            std::ranges::find(found.account.costs, Bound::complex, &CostEntry::bound);
        REQUIRE(certified != found.account.costs.end());
        const auto improved =
            std::ranges::find(found.account.costs, EpsilonMethod::improved, &CostEntry::conversion);
        CHECK(certified->epsilon <= improved->epsilon * (1.0 + 1e-6) + 1e-8);
        const Probabilities p = outcomes(weighted(ids, weights, 3));
        for (std::size_t t = 0; t < 3; ++t) {
          const auto cost = std::ranges::find(found.weights, static_cast<double>(weights[t]),
                                              &WeightCost::weight);
          double largest = 0.0;
          const double profile = costs.profile.value()[t];
          for (std::int64_t to = 0; to < 3; ++to) {
            auto neighbour = ids;
            neighbour[t] = to;
            const Probabilities n = outcomes(weighted(neighbour, weights, 3));
            for (const double epsilon : {cost->any_votes, cost->tradeoff.value(), costs.epsilon[t],
                                         profile, certified->epsilon}) {
              CHECK(hockey_stick(p, n, epsilon) <= kDelta * (1.0 + 1e-9));
              CHECK(hockey_stick(n, p, epsilon) <= kDelta * (1.0 + 1e-9));
            }
            largest = std::max({largest, hockey_stick(p, n, profile), hockey_stick(n, p, profile)});
            furthest = std::max(furthest, hockey_stick(p, n, 0.3 * *cost->tradeoff));
          }
          if (profile > 0.0) CHECK(largest > 0.5 * kDelta);
        }
      }
    }
    CHECK(furthest > kDelta);  // the comparisons say something
  }

  TEST_CASE("exact costs with equal weights are those of the predictions") {
    const std::vector<std::int64_t> ids{0, 0, 0, 1, 0, 2, 2, 2, 1, 1, 0, 0};
    const auto votes = predictions_of(ids, 4, 3);
    AccountSettings settings = settings_of();
    settings.models.insert(Bound::exact);
    const Run run = run_of(*votes, NoisyMax{GaussianNoisyMax{2.0}});
    const Account plain = account(run, settings);
    const auto found = account_weighted(run, *votes, {{1, 1, 1, 1}, 3.0}, settings);
    const Run thrice = run_of(*votes, NoisyMax{GaussianNoisyMax{6.0}});
    const auto other = account_weighted(thrice, *votes, {{1, 1, 1, 1}, 3.0}, settings);
    for (std::size_t t = 0; t < 4; ++t) {
      CHECK(found.account.per_teacher->epsilon[t] > plain.per_teacher->epsilon[t]);
      CHECK(relative_error(other.account.per_teacher->epsilon[t], plain.per_teacher->epsilon[t]) <
            1e-9);
      CHECK(relative_error((*other.account.per_teacher->profile)[t],
                           (*plain.per_teacher->profile)[t]) < 1e-6);
    }
    std::vector<std::int64_t> many(70, 0);
    std::vector<std::int64_t> weights(70);
    for (std::size_t t = 0; t < 70; ++t) weights[t] = static_cast<std::int64_t>(t) + 1;
    const auto wide = predictions_of(many, 70, 2);
    CHECK_THROWS_WITH_AS((void)account_weighted(run_of(*wide, NoisyMax{GaussianNoisyMax{99.0}}),
                                                *wide, {weights, 1.0}, settings),
                         "exact costs take as long for every weight as for all teachers of one: at "
                         "most 64 different weights, got 70; round them, or take the bound "
                         "tradeoff",
                         parameter_error);
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
    Run checked = run_of(*votes, NoisyMax{GaussianNoisyMax{2.0}});
    checked.aggregator = Aggregator{ThresholdCheck{2.0, 1.0}, {GaussianNoisyMax{2.0}}, false};
    CHECK_THROWS_WITH_AS(
        (void)account_weighted(checked, *votes, {{10'000'000, 2, 1}, 1.0}, settings_of()),
        "with a threshold the weights may be at most 10000000 of their common unit, 1, together, "
        "got 10000003: round them, or leave out the threshold",
        parameter_error);
    CHECK_THROWS_WITH_AS((void)account_weighted(run, *votes, {{1, 2}, 1.0}, settings_of()),
                         "every teacher needs a weight: there are 3 teachers and 2 weights",
                         parameter_error);
  }
}
