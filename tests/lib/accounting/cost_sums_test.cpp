#include "pate/accounting/cost_sums.hpp"
#include "pate/divergence/bounds/query_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/bound_at_orders.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/accuracy.hpp"
#include "support/crowded_queries.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::sample;
using pate::test::shared_votes;

namespace {

Aggregator gaussian(double sigma2, bool with_selection) {
  Aggregator result;
  result.noisy_max = GaussianNoisyMax{sigma2};
  if (with_selection) result.selection = ThresholdCheck{155.0, 4.0 * sigma2};
  return result;
}

// Query by query, without tables; the costs have their margin.
RunCost one_by_one(const QueryCounts& query_counts, const Aggregator& aggregator, Bound bound,
                   double order) {
  RunCost result{order};
  const NoisyStep step = aggregator.step({});
  std::optional<AnswerTable> ladder;
  std::optional<JointCost> joint;
  if (aggregator.selection) {
    ladder.emplace(*aggregator.selection, Neighbours{}, query_counts.distinct.front().statistic,
                   query_counts.distinct.back().statistic, query_counts.teachers);
    joint.emplace(*ladder, order, data_independent_cost(aggregator, {}, order).noisy_max);
  }
  for (const DistinctQuery& query : query_counts.distinct) {
    const auto count = static_cast<double>(query.count);
    const double p = ladder ? std::exp(ladder->log_answered(query.statistic)) : 1.0;
    const double cost = bound == Bound::published
                            ? published_cost(step, query.log_q, order)
                            : tradeoff_cost(step, query.log_q, order).larger();
    result.noisy_max_expected += count * p * cost;
    result.noisy_max_realized += static_cast<double>(query.answered) * cost;
    result.spent_variance += count * p * (1.0 - p) * cost * cost;
    if (ladder) {
      result.selection += count * (bound == Bound::published
                                       ? published_selection_cost(*ladder, query.statistic, order)
                                       : joint->selection_cost(query.statistic));
    }
    if (bound == Bound::published) continue;
    const BothDirections log_excess = query.log_q == -kInfinity
                                          ? BothDirections{-kInfinity, -kInfinity}
                                          : tradeoff_log_excess(step, query.log_q, order);
    result.joint += count * (joint ? joint->cost(query.statistic, log_excess) : cost);
  }
  return result;
}

// Not below the true cost, which has no margin, and at most 1e-9 above.
void check_sum(double got, double with_margin, double order) {
  CHECK_MESSAGE(got >= with_margin * (1.0 - kCostMargin), show({{"order", order}}));
  CHECK_MESSAGE(got <= with_margin * (1.0 + 5e-10), show({{"order", order}}));
}

void check_run(const QueryCounts& query_counts, const Aggregator& aggregator, Bound bound) {
  const std::vector<double> orders{1.001, 1.5, 3.0, 8.0, 20.0, 60.0, 300.0};
  const CostInputs inputs(query_counts, aggregator, {}, 2);
  CheckpointCosts checkpoints{bound == Bound::published ? GuaranteeKind::realized
                                                        : GuaranteeKind::joint};
  const auto costs = run_costs(inputs, bound, orders, 1, &checkpoints);
  const auto again = run_costs(inputs, bound, orders, 3);
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const RunCost expected = one_by_one(query_counts, aggregator, bound, orders[j]);
    check_sum(costs[j].noisy_max_expected, expected.noisy_max_expected, orders[j]);
    check_sum(costs[j].noisy_max_realized, expected.noisy_max_realized, orders[j]);
    check_sum(costs[j].joint, expected.joint, orders[j]);
    CHECK(relative_error(costs[j].spent_variance, expected.spent_variance) < 1e-9);
    CHECK(relative_error(checkpoints.rdp[j].back(), costs[j].rdp(checkpoints.reading)) < 1e-12);
    CHECK(checkpoints.rdp[j].front() < checkpoints.rdp[j].back());
    CHECK(costs[j].noisy_max_expected == again[j].noisy_max_expected);
    CHECK(costs[j].joint == again[j].joint);
    CHECK(costs[j].spent_variance == again[j].spent_variance);
  }
}

// Every reported cost of these votes that depends on them, against the sum over its distinct
// queries of bounds without a margin.
void check_reported(const std::string& path, const Aggregator& aggregator) {
  const CountVotes votes(pate::test::open_npy(path));
  const Run run{votes, RowSelection::all(votes.queries()), aggregator, {}, nullptr, {}, {}};
  AccountSettings settings;
  settings.delta = 1e-5;
  const Account account = pate::account(run, settings);
  const QueryCounts query_counts = count_queries(run, 2);
  int found = 0;
  for (const CostEntry& entry : account.costs) {
    if (entry.bound != Bound::tradeoff && entry.bound != Bound::published) continue;
    REQUIRE(entry.order.has_value());
    ++found;
    double rdp = 0.0;
    for (const auto& [part, cost] : entry.parts) rdp += part == "delta" ? 0.0 : cost;
    double bounds =
        one_by_one(query_counts, aggregator, entry.bound, *entry.order).rdp(entry.reading);
    bounds *= 1.0 - kCostMargin;
    CHECK_MESSAGE(rdp >= bounds, path << " " << label(entry));
    CHECK_MESSAGE(rdp <= bounds * (1.0 + 1e-9), path << " " << label(entry));
    CHECK(entry.epsilon ==
          epsilon_from_rdp(rdp_conversion(entry.conversion), rdp, *entry.order, settings.delta));
  }
  CHECK(found >= 5);
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("sums over sets are the sums over their queries") {
    Random random(413);
    for (const double sigma2 : {0.4, 3.0, 40.0, 2000.0}) {
      const QueryCounts query_counts =
          crowded_queries(random, 250, 3, 1e-3, 0.04 * 250.0 * 250.0 / sigma2 + 1.0);
      for (const Bound bound : {Bound::published, Bound::tradeoff}) {
        check_run(query_counts, gaussian(sigma2, true), bound);
        check_run(query_counts, gaussian(sigma2, false), bound);
      }
    }
  }

  TEST_CASE("sums over sets where costs reach their cap") {
    Random random(414);
    // Beyond some q in the midst of a cell nothing is gained over the data-independent cost.
    for (int i = 0; i < 4; ++i) {
      const double sigma2 = random.log_uniform(2.0, 100.0);
      const QueryCounts query_counts = crowded_queries(random, 800, 1, 0.05, 2.0);
      for (const Bound bound : {Bound::published, Bound::tradeoff}) {
        check_run(query_counts, gaussian(sigma2, true), bound);
      }
    }
  }

  TEST_CASE("sums over sets whose cells must be halved") {
    Random random(415);
    // Many queries to a cell in which another neighbour becomes the worst one, or the cap is met.
    Aggregator aggregator = gaussian(40.0, true);
    aggregator.selection = ThresholdCheck{130.0, 150.0};
    check_run(crowded_queries(random, 1500, 1, 7.4, 9.5), aggregator, Bound::tradeoff);
    for (const double sigma2 : {3.0, 40.0}) {
      const QueryCounts query_counts = crowded_queries(random, 9000, 1, 0.3, 12.0);
      check_run(query_counts, gaussian(sigma2, false), Bound::published);
    }
  }

  TEST_CASE("direct sums are those of the bounds, query by query") {
    Random random(416);
    for (const double sigma2 : {0.4, 3.0, 40.0, 2000.0}) {
      // q from nearly certain to tiny, many of them close together and some far apart.
      QueryCounts query_counts =
          crowded_queries(random, 60, 3, 1e-3, 0.1 * 250.0 * 250.0 / sigma2 + 1.0);
      for (int i = 0; i < 3; ++i)
        query_counts.distinct[static_cast<std::size_t>(i)].log_q = -kInfinity;
      for (const bool with_selection : {true, false}) {
        const Aggregator aggregator = gaussian(sigma2, with_selection);
        const CostInputs inputs(query_counts, aggregator, {}, 1);
        for (const double order : {1.001, 1.0 + random.log_uniform(1e-2, 1e2), 300.0}) {
          for (const Bound bound : {Bound::published, Bound::tradeoff}) {
            const RunCost got = direct_cost(inputs, bound, order, 1);
            const RunCost again = direct_cost(inputs, bound, order, 3);
            const RunCost expected = one_by_one(query_counts, aggregator, bound, order);
            for (const auto part :
                 {&RunCost::selection, &RunCost::noisy_max_expected, &RunCost::noisy_max_realized,
                  &RunCost::joint, &RunCost::spent_variance}) {
              CHECK_MESSAGE(relative_error(got.*part, expected.*part) < 1e-11,
                            show({{"order", order}, {"sigma2", sigma2}}));
              CHECK(got.*part == again.*part);
            }
          }
        }
      }
    }
  }

  TEST_CASE("the headline is summed directly") {
    Random random(417);
    const QueryCounts query_counts = crowded_queries(random, 3000, 3, 0.5, 12.0);
    for (const bool with_selection : {true, false}) {
      const Aggregator aggregator = gaussian(40.0, with_selection);
      Partials partials;
      partials.query_counts = query_counts;
      partials.has_decisions = true;
      AccountSettings settings;
      settings.delta = 1e-5;
      const CostInputs inputs(query_counts, aggregator, {}, 2);
      for (const GuaranteeKind reading :
           {GuaranteeKind::joint, GuaranteeKind::expected, GuaranteeKind::realized}) {
        settings.reading = reading;
        const Account account = pate::account(partials, aggregator, {}, settings);
        int found = 0;
        for (const CostEntry& entry : account.costs) {
          if (!entry.data_dependent) continue;
          ++found;
          REQUIRE(entry.order.has_value());
          const double rdp = direct_cost(inputs, entry.bound, *entry.order, 2).rdp(entry.reading);
          const double epsilon =
              epsilon_from_rdp(rdp_conversion(entry.conversion), rdp, *entry.order, settings.delta);
          if (&entry == &account.costs[account.headline]) CHECK(entry.epsilon == epsilon);
          CHECK(relative_error(entry.epsilon, epsilon) < 1e-10);
        }
        CHECK(found >= 9);
        CHECK(account.costs[account.headline].reading == reading);
      }
    }
  }

  TEST_CASE("votes of the sample cost never more than 1e-9 above the sum of the bounds") {
    for (const double sigma2 : {8.0, 40.0}) {
      check_reported(sample("digits_100_counts.npy"), gaussian(sigma2, false));
      Aggregator confident = gaussian(sigma2, false);
      confident.selection = ThresholdCheck{60.0, 2.0 * sigma2};
      check_reported(sample("digits_100_counts.npy"), confident);
    }
  }

  TEST_CASE("votes of S18 cost never more than 1e-9 above the sum of the bounds (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    for (const char* name : {"mnist", "svhn", "adult"}) {
      const std::string path = shared_votes("s18_" + std::string(name) + "_250_counts.npy");
      check_reported(path, gaussian(40.0, false));
      check_reported(path, gaussian(40.0, true));
    }
  }
}
