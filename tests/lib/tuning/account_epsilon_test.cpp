// Sums on the nodes of cells against the sums of `account`, query by query.

#include "pate/tuning/account_epsilon.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "pate/accounting/account.hpp"
#include "pate/accounting/cost_sums.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/labeling.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

// Many queries for few statistics, so that there are cells with many of them; some are certain.
QueryCounts random_query_counts(pate_test::Random& random, std::size_t queries,
                                std::int64_t teachers) {
  QueryCounts query_counts;
  query_counts.teachers = teachers;
  query_counts.classes = 10;
  const std::int64_t lowest = random.integer(0, teachers);
  const std::int64_t highest = std::min(teachers, lowest + random.integer(0, 12));
  for (std::size_t i = 0; i < queries; ++i) {
    const double log_q =
        random.uniform(0, 1) < 0.01 ? -kInfinity : -random.log_uniform(0.1, 60) - 0.05;
    query_counts.distinct.push_back(
        {random.integer(lowest, highest), log_q, random.integer(1, 3), 0});
    query_counts.queries += query_counts.distinct.back().count;
  }
  std::sort(query_counts.distinct.begin(), query_counts.distinct.end(),
            [](const DistinctQuery& a, const DistinctQuery& b) {
              return std::tuple(a.statistic, a.log_q) < std::tuple(b.statistic, b.log_q);
            });
  return query_counts;
}

}  // namespace

TEST_CASE("query nodes: the joint cost of a run, at any order and check") {
  pate_test::Random random(91);
  for (int round = 0; round < 25; ++round) {
    const std::int64_t teachers = random.integer(1, 250);
    const QueryCounts query_counts = random_query_counts(
        random, static_cast<std::size_t>(random.log_uniform(1, 4000)), teachers);
    const NoisyMax noisy_max{GaussianNoisyMax{random.log_uniform(2, 80)}};
    const QueryNodes nodes(query_counts, noisy_max, {});
    for (int trial = 0; trial < 12; ++trial) {
      const ThresholdCheck check{random.uniform(0, 1.2 * static_cast<double>(teachers)),
                                 random.log_uniform(2, 300)};
      const double order = 1.0 + random.log_uniform(0.02, 2000);
      const AnswerTable ladder(check, {}, query_counts.distinct.front().statistic,
                               query_counts.distinct.back().statistic, teachers);
      const CostInputs inputs(query_counts, Aggregator{check, noisy_max, false}, {}, 1);
      const double joint =
          run_costs(inputs, Bound::tradeoff, std::span(&order, 1), 1).front().joint;
      CAPTURE(round);
      CAPTURE(order);
      const QueryNodes::AtOrder& at = nodes.kept(order);
      CHECK(std::abs(nodes.rdp(ladder, at, 1e-11) - joint) <= 5e-11 * joint);
      CHECK(std::abs(nodes.rdp(ladder, at, 1e-9) - joint) <= 2e-9 * joint);
      CHECK(nodes.rdp(ladder, at, 0.0) == nodes.rdp(ladder, nodes.at(order), 0.0));
    }
  }
}

// The same of one run that has cells, and at two orders.
TEST_CASE("query nodes: a run of many queries with few statistics, quickly") {
  pate_test::Random random(94);
  const QueryCounts query_counts = random_query_counts(random, 1500, 60);
  const NoisyMax noisy_max{GaussianNoisyMax{12.0}};
  const QueryNodes nodes(query_counts, noisy_max, {});
  const ThresholdCheck check{30.0, 15.0};
  const AnswerTable ladder(check, {}, query_counts.distinct.front().statistic,
                           query_counts.distinct.back().statistic, 60);
  const CostInputs inputs(query_counts, Aggregator{check, noisy_max, false}, {}, 1);
  for (const double order : {3.0, 40.0}) {
    const double joint = run_costs(inputs, Bound::tradeoff, std::span(&order, 1), 1).front().joint;
    const QueryNodes::AtOrder& at = nodes.kept(order);
    CHECK(std::abs(nodes.rdp(ladder, at, 1e-11) - joint) <= 5e-11 * joint);
    CHECK(std::abs(nodes.rdp(ladder, at, 1e-9) - joint) <= 2e-9 * joint);
    CHECK(nodes.rdp(ladder, at, 0.0) == nodes.rdp(ladder, nodes.at(order), 0.0));
  }
}

TEST_CASE("account epsilon: with shared nodes as without, but for what is proved of each query") {
  pate_test::Random random(92);
  for (int round = 0; round < 12; ++round) {
    const std::int64_t teachers = random.integer(20, 250);
    const QueryCounts query_counts = random_query_counts(
        random, static_cast<std::size_t>(random.log_uniform(1, 3000)), teachers);
    const NoisyMax noisy_max{GaussianNoisyMax{random.log_uniform(4, 80)}};
    const QueryNodes nodes(query_counts, noisy_max, {});
    EpsilonKind kind;
    kind.cost = {Bound::tradeoff, GuaranteeKind::joint};
    kind.delta = 1e-5;
    if (round % 4 == 3) kind.orders = {{1.5, 3, 4, 7, 12, 30, 200}};
    for (int trial = 0; trial < 6; ++trial) {
      const ThresholdCheck check{random.uniform(0, 1.2 * static_cast<double>(teachers)),
                                 random.log_uniform(3, 300)};
      const AccountEpsilon alone =
          account_epsilon(query_counts, Aggregator{check, noisy_max, false}, {}, kind, 0.0, 1);
      for (const double nearness : {1.0, 1.3}) {
        const double hint = 1.0 + (alone.order - 1.0) * nearness;
        const AccountEpsilon shared = account_epsilon(nodes, check, kind, hint);
        CAPTURE(alone.order);
        CAPTURE(shared.order);
        // Both are sums of bounds that may be 1e-7 above, relative.
        CHECK(shared.epsilon >= alone.epsilon * (1.0 - 1e-7));
        CHECK(shared.epsilon <= alone.epsilon * (1.0 + 1e-7));
      }
    }
  }
}

TEST_CASE("account epsilon: where next to no noise is, the best orders are below the grid's") {
  pate_test::Random random(93);
  int below = 0;
  for (int round = 0; round < 24; ++round) {
    // Ties: any votes cost as much.
    const std::vector<pate_test::Histogram> ties(static_cast<std::size_t>(random.integer(1, 3)),
                                                 {10, 10});
    const pate_test::HistogramVotes votes(ties);
    Aggregator aggregator = pate::test::gnmax(random.log_uniform(2e-4, 0.5));
    if (round % 2 == 1) aggregator.selection = ThresholdCheck{10.0, random.log_uniform(0.01, 2.0)};
    const Run run = pate::test::run_of(votes, aggregator);
    AccountSettings settings;
    settings.delta = random.log_uniform(1e-8, 1e-2);
    settings.models.erase(Bound::published);
    settings.reading = GuaranteeKind::joint;
    settings.conversion = EpsilonMethod::optimal;
    settings.threads = 1;
    const Account its = account(run, settings);
    const CostEntry& expected = its.costs[its.headline];
    REQUIRE(expected.bound == Bound::tradeoff);
    const EpsilonKind kind{
        {Bound::tradeoff, GuaranteeKind::joint}, Conversion::optimal, settings.delta, {}};
    const AccountEpsilon found =
        account_epsilon(count_queries(run, 1), aggregator, {}, kind, 0.0, 1);
    CAPTURE(round);
    CHECK(found.epsilon == doctest::Approx(expected.epsilon).epsilon(1e-7));
    REQUIRE(expected.order);
    if (*expected.order < 1.0099) ++below;
    CHECK(std::log(found.order - 1.0) ==
          doctest::Approx(std::log(*expected.order - 1.0)).epsilon(0.02));
  }
  CHECK(below >= 6);
}
