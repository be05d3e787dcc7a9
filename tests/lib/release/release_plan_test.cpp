#include "pate/release/smooth/release_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "support/curve_votes.hpp"
#include "support/labeling.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

ReleaseSettings settings_of(const std::optional<ReleaseParameters>& parameters) {
  ReleaseSettings settings;
  settings.delta = 1e-4;
  settings.confidence = 0.95;
  settings.threads = 1;
  settings.parameters = parameters;
  return settings;
}

// Of a run without a threshold, in two histograms.
VoteProfile large_votes(std::int32_t teachers, double sigma) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{sigma};
  const std::int32_t more = teachers - teachers / 10;
  const std::int32_t less = teachers - teachers / 4;
  return profile_of(aggregator,
                    {{{more, teachers - more}, 0, true}, {{less, teachers - less}, 0, true}});
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE(
      "what a release publishes on average is that of its plan, on a coarse grid a bit more") {
    const VoteProfile votes = favouring_votes(curve_question(12, 3, 3.0), 0.8, 5, 3);
    const ReleaseSettings given = settings_of(ReleaseParameters{4.0, 0.05, 6.0});
    const ReleasePlan plan = release_plan(votes, given);
    const ReleasedEpsilon fine = mean_released_epsilon(votes, given);
    CHECK(fine.mean == plan.numbers.mean_released);
    CHECK(fine.sd == plan.numbers.noise_sd);
    CHECK(fine.order == 4.0);
    CHECK(fine.beta == 0.05);
    CHECK(fine.noise == 6.0);
    const ReleasedEpsilon coarse = mean_released_epsilon(votes, given, true);
    CHECK(coarse.mean >= fine.mean);
    CHECK(coarse.mean <= 1.15 * fine.mean);
    CHECK(coarse.sd >= fine.sd);
    CHECK(coarse.sd <= 1.2 * fine.sd);
    // Parameters that suit these votes do not do worse than those.
    const ReleasedEpsilon chosen = mean_released_epsilon(votes, settings_of({}), true);
    CHECK(chosen.mean <= 1.02 * coarse.mean);
    CHECK(chosen.beta < largest_beta(chosen.order));
  }

  TEST_CASE("no queries cost nothing, and no vote changes that") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{4.0};
    VoteProfile none = profile_of(aggregator, {{{5, 2}, 0, true}}).without_queries();
    none.queries = none.answered = 0;
    for (const ReleasedBound bound : {ReleasedBound::tradeoff, ReleasedBound::exact}) {
      CostChoice choice;
      choice.bound = bound;
      const CostAtOrder cost = cost_at_order(none, 4.0, choice);
      CHECK(cost.rdp == 0.0);
      CHECK(cost.largest_rdp == 0.0);
      CHECK(smooth_sensitivity(cost.local, 0.1).value == 0.0);
    }
  }

  TEST_CASE(
      "votes are collected as their distinct histograms, with q; of one class they are none") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{4.0};
    aggregator.selection = ThresholdCheck{4.0, 2.0};
    const HistogramVotes votes({{5, 2, 0}, {2, 0, 5}, {3, 3, 1}});
    Run run = pate::test::run_of(votes, aggregator);
    run.decisions = std::vector<std::uint8_t>{1, 0, 1};
    const VoteProfile found = collect_votes(run);
    CHECK(found.queries == 3);
    CHECK(found.answered == 2);
    REQUIRE(found.distinct.size() == 2);
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < found.distinct.size(); ++i) {
      const std::vector<std::int32_t> counts = found.histogram(i);
      double q = 0.0;
      for (const std::size_t j : {1U, 2U}) {
        q += 0.5 * std::erfc(static_cast<double>(counts[0] - counts[j]) / (2.0 * 4.0));
      }
      CHECK(found.distinct[i].log_q == doctest::Approx(std::log(std::min(q, 2.0 / 3.0))));
      CHECK(found.distinct[i].count == (counts[0] == 5 ? 2 : 1));
      CHECK(found.distinct[i].answered == 1);
      seen += found.distinct[i].count;
    }
    CHECK(seen == 3);
    const HistogramVotes one_class(std::vector<Histogram>{Histogram{7}});
    CHECK_THROWS_WITH_AS((void)collect_votes(pate::test::run_of(one_class, aggregator)),
                         "a release needs votes over at least two classes, got one",
                         parameter_error);
  }

  TEST_CASE("of very many queries that are alike, parameters are those of one, so many times") {
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{4.0};
    VoteProfile alike = profile_of(aggregator, {{{7, 1}, 0, true}});
    const VoteProfile::Query query = alike.distinct.front();
    constexpr int kQueries = 520;  // more than are looked at
    VoteProfile once = alike;
    once.queries = once.answered = once.distinct.front().count = once.distinct.front().answered =
        kQueries;
    alike = once.without_queries();
    for (int i = 0; i < kQueries; ++i) alike.add(query, std::vector<std::int32_t>{7, 1});
    CostChoice choice;
    choice.threads = 1;
    const ReleaseParameters of_once = best_parameters(once, {1e-5, 2.0}, choice);
    const ReleaseParameters of_alike = best_parameters(alike, {1e-5, 2.0}, choice);
    CHECK(of_alike.order == doctest::Approx(of_once.order).epsilon(1e-6));
    CHECK(of_alike.beta == doctest::Approx(of_once.beta).epsilon(1e-3));
    CHECK(of_alike.sigma == doctest::Approx(of_once.sigma).epsilon(1e-3));
  }

  TEST_CASE("of many teachers the distances that are left out do not change the sensitivity") {
    for (const double beta : {0.02, 0.1}) {
      const VoteProfile votes = large_votes(640, 40.0);
      const ReleaseParameters parameters{3.0, beta, 8.0};
      const ReleaseSettings settings = settings_of(parameters);
      const ReleasePlan plan = release_plan(votes, settings);
      CostChoice all;
      all.most_votes = votes.teachers;
      all.threads = 1;
      const ReleaseNumbers numbers = release_numbers(cost_at_order(votes, parameters.order, all),
                                                     parameters, {settings.delta, plan.k});
      CHECK(plan.numbers.smooth_sensitivity == numbers.smooth_sensitivity);
      CHECK(plan.numbers.noise_sd == numbers.noise_sd);
      CHECK(plan.numbers.mean_released == doctest::Approx(numbers.mean_released).epsilon(1e-6));
      CHECK_FALSE(plan.numbers.at_end);
    }
  }

  TEST_CASE("what is said of a release: half of all numbers too low, votes that chose, readings") {
    const VoteProfile votes = favouring_votes(curve_question(8, 2, 3.0), 0.8, 4, 3);
    ReleaseSettings settings = settings_of(ReleaseParameters{4.0, 0.05, 6.0});
    const auto statement = [&] {
      const ReleasePlan plan = release_plan(votes, settings);
      return public_release(votes, settings, plan, 0.5).statement;
    };
    const auto says = [](const std::string& text, std::string_view part) {
      return text.find(part) != std::string::npos;
    };
    const std::string usual = statement();
    CHECK(says(usual, "delta is 0.0001 for the run and 0.05 for the noise in E"));
    CHECK(says(usual, "E holds whichever queries are answered (joint)"));
    CHECK(says(usual, "were fixed in advance"));
    CHECK_FALSE(says(usual, kEarlierChosen));
    settings.confidence = 0.5;
    CHECK(says(statement(), "E is an unbiased estimate and not a bound"));
    settings.earlier = {{0.05, 6.0, 1.0, true, ReleaseMethod::gnss}};
    CHECK(says(statement(), kEarlierChosen));
    settings.cost = ReleasedCost::realized;
    CHECK(says(statement(), "as they were answered (realized)"));
    settings.chosen_before = true;
    CHECK(says(statement(), "Caution: order, beta and sigma were chosen from these votes"));
  }
}
