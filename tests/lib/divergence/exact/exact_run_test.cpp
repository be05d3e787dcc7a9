#include "pate/divergence/exact/exact_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr std::int64_t kTeachers = 60;

std::vector<ExactQuery> random_queries(const ExactMechanism& mechanism, Random& random,
                                       std::size_t size) {
  std::vector<ExactQuery> queries;
  for (std::size_t i = 0; i < size; ++i) {
    const Counts counts = random_histogram(random, kTeachers, 4);
    queries.push_back({mechanism.group(counts, {}), random.integer(1, 9)});
  }
  std::ranges::sort(queries, {}, &ExactQuery::votes);
  return queries;
}

}  // namespace

TEST_SUITE_BEGIN("exact");

TEST_CASE("a run costs what its queries cost one by one, at any number of orders") {
  Random random(651);
  const std::vector<double> all{1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 40.0};
  for (const bool checked : {false, true}) {
    Aggregator aggregator{std::nullopt, {GaussianNoisyMax{9.0}}, false};
    if (checked) aggregator.selection = ThresholdCheck{35.0, 20.0};
    const ExactMechanism mechanism(aggregator, {}, kTeachers);
    for (std::size_t number = 1; number <= all.size(); ++number) {
      const std::span orders = std::span(all).first(number);
      const std::vector<ExactQuery> queries = random_queries(mechanism, random, 5);
      std::vector<BothDirections> sums(number);
      std::vector<std::vector<BothDirections>> groups;
      for (const ExactQuery& query : queries) {
        auto& its = groups.emplace_back();
        for (std::size_t k = 0; k < number; ++k) {
          std::vector<BothDirections> costs;
          ExactCost(mechanism, query.votes).by_group(orders[k], costs);
          its.insert(its.end(), costs.begin(), costs.end());
          BothDirections largest;
          for (const BothDirections& cost : costs) {
            largest = {std::max(largest.forward, cost.forward),
                       std::max(largest.reverse, cost.reverse)};
          }
          sums[k].forward += static_cast<double>(query.count) * largest.forward;
          sums[k].reverse += static_cast<double>(query.count) * largest.reverse;
        }
      }
      // Without memory everything is computed anew for every use.
      for (const std::size_t memory : {std::size_t{0}, std::size_t{300'000'000}}) {
        CAPTURE(checked);
        CAPTURE(number);
        CAPTURE(memory);
        ExactRun run(mechanism, queries, 2, memory);
        const auto by_group = run.by_group(orders);
        REQUIRE(by_group.size() == queries.size());
        for (std::size_t i = 0; i < queries.size(); ++i) {
          REQUIRE(by_group[i].size() == groups[i].size());
          for (std::size_t j = 0; j < groups[i].size(); ++j) {
            CHECK(relative_error(by_group[i][j].forward, groups[i][j].forward) < 1e-11);
            CHECK(relative_error(by_group[i][j].reverse, groups[i][j].reverse) < 1e-11);
          }
        }
        const auto rdp = run.rdp(orders);
        REQUIRE(rdp.size() == number);
        for (std::size_t k = 0; k < number; ++k) {
          CHECK(relative_error(rdp[k].forward, sums[k].forward) < 1e-11);
          CHECK(relative_error(rdp[k].reverse, sums[k].reverse) < 1e-11);
        }
      }
    }
    ExactRun empty(mechanism, {}, 2);
    CHECK(empty.by_group(all).empty());
    CHECK(empty.rdp({}).empty());
    for (const BothDirections& cost : empty.rdp(all)) CHECK(cost.larger() == 0.0);
  }
}

// Moving a vote to a runner-up far behind: the rare outcome costs nothing in one direction, beside
// a tie, and something in the other.
TEST_CASE("a query that matters in one direction alone is exact in it") {
  constexpr double kOrder = 22.86;
  const ExactMechanism mechanism({std::nullopt, {GaussianNoisyMax{1.0}}, false}, {}, 120);
  const std::vector<ExactQuery> queries{{mechanism.group(Counts{60, 60}, {}), 1},
                                        {mechanism.group(Counts{105, 15}, {}), 1}};
  const BothDirections tie = ExactCost(mechanism, queries[0].votes).largest(kOrder);
  const BothDirections rare = ExactCost(mechanism, queries[1].votes).largest(kOrder);
  REQUIRE(rare.forward < 1e-16 * tie.forward);
  REQUIRE(rare.reverse > 0.011 * tie.reverse);
  const std::vector<double> orders{kOrder};
  const BothDirections sum = ExactRun(mechanism, queries, 1).rdp(orders)[0];
  CHECK(relative_error(sum.forward, tie.forward + rare.forward) < 1e-12);
  CHECK(relative_error(sum.reverse, tie.reverse + rare.reverse) < 1e-12);
}

TEST_SUITE_END();
