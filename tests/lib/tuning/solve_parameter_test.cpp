#include "pate/tuning/solve_parameter.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "pate/tuning/evaluate_grid.hpp"
#include "pate/tuning/tune.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

pate_test::HistogramVotes drawn_votes(pate_test::Random& random, std::int64_t queries,
                                      std::int32_t teachers) {
  std::vector<pate_test::Histogram> all;
  for (std::int64_t i = 0; i < queries; ++i) {
    pate_test::Histogram counts(3, 0);
    counts[static_cast<std::size_t>(random.integer(0, 2))] =
        static_cast<std::int32_t>(random.integer(0, teachers));
    std::int32_t left = teachers;
    for (const std::int32_t count : counts) left -= count;
    for (; left > 0; --left) ++counts[static_cast<std::size_t>(random.integer(0, 2))];
    all.push_back(counts);
  }
  return pate_test::HistogramVotes(std::move(all));
}

double headline(const TuningVotes& votes, const Aggregator& aggregator, std::int64_t queries,
                double delta) {
  AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  const Account its = account(run_of(votes, aggregator, {}, queries), settings);
  return its.costs[its.headline].epsilon;
}

GridSettings judged_at(double delta) {
  EpsilonKind kind{{Bound::tradeoff, GuaranteeKind::joint}, Conversion::optimal, delta, {}};
  kind.as_headline = true;
  return {kind, {}, false, 1};
}

Aggregator random_aggregator(pate_test::Random& random, std::int32_t teachers) {
  Aggregator result;
  const double noise = random.log_uniform(0.1, 5.0) * teachers;
  const auto kind = random.integer(0, 3);
  if (kind == 0) {
    result.noisy_max = LaplaceNoisyMax{noise};
    return result;
  }
  result.noisy_max = GaussianNoisyMax{noise};
  if (kind > 1) {
    result.selection = ThresholdCheck{random.uniform(0.2, 1.2) * teachers,
                                      random.log_uniform(0.1, 5.0) * teachers};
  }
  return result;
}

}  // namespace

TEST_SUITE("tuning") {
  TEST_CASE("points are judged by the headline of an account, whichever cost that is") {
    pate_test::Random random(51);
    int public_ones = 0;
    for (int round = 0; round < 40; ++round) {
      const auto teachers = static_cast<std::int32_t>(random.integer(2, 60));
      const auto votes = drawn_votes(random, random.integer(1, 60), teachers);
      const TuningVotes tuned{votes, RowSelection::all(votes.queries()), nullptr, {}};
      const double delta = random.log_uniform(1e-9, 1e-2);
      const Aggregator aggregator = random_aggregator(random, teachers);
      TuningGrid grid{{aggregator.noisy_max.parameter()}, {}, {}};
      grid.laplace = !aggregator.is_gaussian();
      if (aggregator.selection) {
        grid.sigma1 = {aggregator.selection->sigma1};
        grid.threshold = {aggregator.selection->threshold};
      }
      TuneSettings settings;
      settings.grid = judged_at(delta);
      const TunedPoint p = tune(tuned, grid, settings, {}, {}).points.at(0);
      const double expected = headline(tuned, aggregator, votes.queries(), delta);
      CAPTURE(round);
      CHECK(p.point.epsilon >= expected * (1.0 - 1e-9));
      CHECK(p.point.epsilon <= expected * (1.0 + 2e-9) + 1e-12);
      // The grid may know no orders below 1.01, where tiny costs have their best.
      CHECK(p.grid_epsilon >= expected * (1.0 - 1e-9));
      if (p.point.order > 1.02) {
        CHECK(p.grid_epsilon <= expected * (1.0 + kGridAccuracy) + 1e-12);
      }
      public_ones += p.point.epsilon == p.point.any_votes ? 1 : 0;
    }
    CHECK(public_ones >= 5);
    CHECK(public_ones <= 35);
  }

  TEST_CASE("solved for queries and for sigma2: the budget is kept, and just so") {
    pate_test::Random random(52);
    int solved = 0;
    for (int round = 0; round < 12; ++round) {
      const auto teachers = static_cast<std::int32_t>(random.integer(10, 60));
      const auto votes = drawn_votes(random, 40, teachers);
      const TuningVotes tuned{votes, RowSelection::all(40), nullptr, {}};
      const double delta = 1e-5;
      Aggregator aggregator = random_aggregator(random, teachers);
      const GridSettings settings = judged_at(delta);
      const double budget = headline(tuned, aggregator, 40, delta) * random.uniform(0.3, 1.1);
      CAPTURE(round);
      const auto one = headline(tuned, aggregator, 1, delta);
      if (one > budget) {
        CHECK_THROWS_WITH_AS(
            (void)solve_parameter(tuned, aggregator, {}, settings, budget, SolvedFor::queries),
            fmt::format("not even one query keeps epsilon {}: the first costs {}", budget, one)
                .c_str(),
            validity_error);
      } else {
        const SolvedParameter found =
            solve_parameter(tuned, aggregator, {}, settings, budget, SolvedFor::queries);
        const auto queries = static_cast<std::int64_t>(found.value);
        CHECK(headline(tuned, aggregator, queries, delta) <= budget * (1.0 + 2e-9));
        CHECK(found.at_end == (queries == 40));
        if (!found.at_end) {
          CHECK(headline(tuned, aggregator, queries + 1, delta) > budget * (1.0 - 2e-9));
        }
        ++solved;
      }
      if (!aggregator.is_gaussian()) continue;
      // The noise that is there keeps a budget above what it costs.
      const double enough = headline(tuned, aggregator, 40, delta) * 1.001;
      const SolvedParameter found =
          solve_parameter(tuned, aggregator, {}, settings, enough, SolvedFor::sigma2);
      CHECK(found.epsilon <= enough);
      CHECK(found.value <= aggregator.noisy_max.parameter() * 1.3);
      aggregator.noisy_max = GaussianNoisyMax{found.value};
      CHECK(headline(tuned, aggregator, 40, delta) == doctest::Approx(found.epsilon).epsilon(2e-9));
      if (found.at_end) continue;
      aggregator.noisy_max = GaussianNoisyMax{found.value * (1.0 - 3e-6)};
      CHECK(headline(tuned, aggregator, 40, delta) > enough * (1.0 - 2e-9));
    }
    CHECK(solved >= 4);
  }

  TEST_CASE("what cannot be solved for is refused") {
    pate_test::Random random(53);
    const auto votes = drawn_votes(random, 5, 10);
    const TuningVotes none{votes, RowSelection::range(0, 0), nullptr, {}};
    const Aggregator aggregator{std::nullopt, {GaussianNoisyMax{3.0}}, false};
    CHECK_THROWS_WITH_AS(
        (void)solve_parameter(none, aggregator, {}, judged_at(1e-5), 1.0, SolvedFor::queries),
        "solving for a parameter needs votes: there are no queries", parameter_error);
    const TuningVotes tuned{votes, RowSelection::all(5), nullptr, {}};
    for (const double budget : {-1.0, std::nan("")}) {
      CHECK_THROWS_WITH_AS(
          (void)solve_parameter(tuned, aggregator, {}, judged_at(1e-5), budget, SolvedFor::sigma2),
          fmt::format("the budget must be >= 0, got {}", budget).c_str(), parameter_error);
    }
  }

  TEST_CASE("a budget that nothing keeps: what it is, and what is nearest to it") {
    pate_test::Random random(54);
    for (int round = 0; round < 6; ++round) {
      const auto teachers = static_cast<std::int32_t>(random.integer(10, 60));
      const auto votes = drawn_votes(random, 5, teachers);
      const TuningVotes tuned{votes, RowSelection::all(5), nullptr, {}};
      const Aggregator aggregator = random_aggregator(random, teachers);
      const GridSettings settings = judged_at(1e-5);
      CAPTURE(round);
      const double one = headline(tuned, aggregator, 1, 1e-5);
      const double budget = one * random.uniform(0.1, 0.9);
      CHECK_THROWS_WITH_AS(
          (void)solve_parameter(tuned, aggregator, {}, settings, budget, SolvedFor::queries),
          doctest::Contains(
              fmt::format("not even one query keeps epsilon {}: the first costs ", budget).c_str()),
          validity_error);
      // A check that costs more than the budget leaves no noise of the maximum that keeps it.
      if (!aggregator.selection) continue;
      const double least =
          0.9 * headline(tuned, {aggregator.selection, {GaussianNoisyMax{1e3 * teachers}}, false},
                         5, 1e-5);
      CHECK_THROWS_WITH_AS(
          (void)solve_parameter(tuned, aggregator, {}, settings, least, SolvedFor::sigma2),
          doctest::Contains(fmt::format("no sigma2 from {} to {} keeps epsilon {}: with the "
                                        "largest epsilon is still ",
                                        teachers / 1e3, teachers * 1e3, least)
                                .c_str()),
          validity_error);
    }
  }

  TEST_CASE("solved at given orders, by a conversion that was chosen: just what an account says") {
    pate_test::Random random(55);
    const std::vector<double> orders{1.5, 3.0, 8.0, 20.0};
    for (int round = 0; round < 6; ++round) {
      const auto votes = drawn_votes(random, 12, 20);
      const TuningVotes tuned{votes, RowSelection::all(12), nullptr, {}};
      const auto conversion = round % 2 == 0 ? Conversion::improved : Conversion::classic;
      const GridSettings settings{
          {{Bound::tradeoff, GuaranteeKind::joint}, conversion, 1e-4, orders}, {}, false, 1};
      const auto epsilon_of = [&](double sigma2, std::int64_t queries) {
        AccountSettings its;
        its.delta = 1e-4;
        its.orders = orders;
        its.threads = 1;
        const Aggregator aggregator{std::nullopt, {GaussianNoisyMax{sigma2}}, false};
        for (const CostEntry& cost : account(run_of(tuned, aggregator, {}, queries), its).costs) {
          const bool is_classic = cost.conversion == EpsilonMethod::classic;
          if (cost.bound == Bound::tradeoff && cost.reading == GuaranteeKind::joint &&
              is_classic == (conversion == Conversion::classic) &&
              (is_classic || cost.conversion == EpsilonMethod::improved)) {
            return cost.epsilon;
          }
        }
        FAIL("there is no such cost");
        return 0.0;
      };
      const double sigma2 = random.log_uniform(3.0, 40.0);
      const Aggregator aggregator{std::nullopt, {GaussianNoisyMax{sigma2}}, false};
      CAPTURE(round);
      // As many queries as keep what some of them cost.
      const std::int64_t some = random.integer(1, 12);
      const double budget = epsilon_of(sigma2, some) * (1.0 + 1e-6);
      const SolvedParameter queries =
          solve_parameter(tuned, aggregator, {}, settings, budget, SolvedFor::queries);
      CHECK(queries.value >= static_cast<double>(some));
      const auto kept = static_cast<std::int64_t>(queries.value);
      CHECK(queries.epsilon == doctest::Approx(epsilon_of(sigma2, kept)).epsilon(1e-9));
      CHECK(queries.epsilon <= budget);
      CHECK(queries.at_end == (kept == 12));
      if (kept < 12) CHECK(epsilon_of(sigma2, kept + 1) > budget * (1.0 - 1e-8));
      const double wanted = epsilon_of(sigma2, 12);
      const SolvedParameter noise = solve_parameter(tuned, aggregator, {}, settings,
                                                    wanted * (1.0 + 1e-6), SolvedFor::sigma2);
      CHECK(noise.epsilon <= wanted * (1.0 + 1e-6));
      CHECK(noise.epsilon == doctest::Approx(epsilon_of(noise.value, 12)).epsilon(1e-9));
      CHECK(noise.at_end == (noise.value == 20.0 / 1000.0));
      if (!noise.at_end) {
        CHECK(epsilon_of(noise.value * (1.0 - 3e-6), 12) > wanted * (1.0 + 1e-6) * (1.0 - 1e-8));
      }
      // As precise where the noise is a fraction of a vote.
      const double loud = epsilon_of(random.uniform(0.15, 0.2), 12);
      const SolvedParameter little =
          solve_parameter(tuned, aggregator, {}, settings, loud, SolvedFor::sigma2);
      CHECK(little.epsilon <= loud);
      CHECK(little.value < 0.21);
      CHECK(little.at_end == (little.value == 20.0 / 1000.0));
      if (!little.at_end) CHECK(epsilon_of(little.value * (1.0 - 3e-6), 12) > loud * (1.0 - 1e-8));
      // Noise that any votes could pay more than 1,000 with is not looked at.
      const SolvedParameter least =
          solve_parameter(tuned, aggregator, {}, settings, 1e9, SolvedFor::sigma2);
      CHECK(least.value > 0.1);
      CHECK(least.value < 0.2);
    }
  }
}
