#include "pate/labeling/label_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "support/labeling.hpp"
#include "support/test_bits.hpp"

using pate::Account;
using pate::AccountSettings;
using pate::Aggregator;
using pate::Bound;
using pate::CostEntry;
using pate::label_account;
using pate::LabelledQueries;
using pate::LabelSource;
using pate::PrivacyFilter;
using pate::Reading;
using pate::ReportedConversion;
using pate::Run;
using pate::RunLimits;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::run_of;
using pate::test::TestBits;
using pate::test::votes_of;

namespace {

constexpr double kDelta = 1e-5;

struct Labelled {
  LabelledQueries queries;
  PrivacyFilter filter;
  Account account;
};

Labelled label(const Run& run, const RunLimits& limits, std::uint64_t seed) {
  PrivacyFilter filter(run.aggregator, limits, kDelta,
                       filter_order(run.aggregator, limits, kDelta));
  TestBits bits(seed);
  LabelledQueries queries = label_queries(run, filter, {}, bits);
  Account account = label_account(run, queries, filter, limits, kDelta, 1);
  return {std::move(queries), filter, std::move(account)};
}

const CostEntry& find(const Account& account, Bound bound, Reading reading,
                      ReportedConversion conversion = ReportedConversion::improved) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.reading == reading && cost.conversion == conversion)
      return cost;
  }
  FAIL("no such cost");
  return account.costs.front();
}

// The analysis of the same queries by `account`, at all orders or at one.
Account analysed(Run run, std::optional<double> order) {
  AccountSettings settings;
  settings.delta = kDelta;
  settings.published = false;
  if (order) settings.orders = std::vector<double>{*order};
  return account(run, settings);
}

std::vector<std::uint8_t> decisions_of(const LabelledQueries& queries) {
  std::vector<std::uint8_t> decisions;
  for (const LabelSource source : queries.sources) {
    decisions.push_back(source == LabelSource::teacher ? 1 : 0);
  }
  return decisions;
}

// 60 queries of 50 teachers on which consensus varies.
std::unique_ptr<pate::VoteSource> some_votes() {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::int64_t top = 20 + i / 2;
    const std::int64_t second = (50 - top) * 2 / 3;
    counts.insert(counts.end(), {top, second, 50 - top - second});
  }
  return votes_of(60, 3, counts);
}

}  // namespace

TEST_SUITE_BEGIN("labeling");

TEST_CASE("a run that was not stopped: what analyze says of it") {
  const auto votes = some_votes();
  Run run = run_of(*votes, confident(35.0, 8.0, 6.0));
  const Labelled labelled = label(run, {60, {}, {}}, 1);
  REQUIRE(labelled.queries.answered > 10);
  REQUIRE(labelled.queries.refused() > 10);
  const Account free = analysed(run, {});
  for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
    CHECK(find(labelled.account, Bound::tradeoff, Reading::joint, conversion).epsilon ==
          find(free, Bound::tradeoff, Reading::joint, conversion).epsilon);
    CHECK(
        find(labelled.account, Bound::data_independent, Reading::worst_case, conversion).epsilon ==
        find(free, Bound::data_independent, Reading::worst_case, conversion).epsilon);
  }
  CHECK(
      find(labelled.account, Bound::data_independent, Reading::worst_case, ReportedConversion::gdp)
          .epsilon ==
      find(free, Bound::data_independent, Reading::worst_case, ReportedConversion::gdp).epsilon);
  run.decisions = decisions_of(labelled.queries);
  const Account fixed = analysed(run, labelled.filter.order());
  const CostEntry& realized = find(labelled.account, Bound::tradeoff, Reading::realized);
  CHECK(realized.epsilon == find(fixed, Bound::tradeoff, Reading::realized).epsilon);
  CHECK(realized.order == labelled.filter.order());
  CHECK_FALSE(realized.releasable);
  const CostEntry& counted = find(labelled.account, Bound::data_independent, Reading::realized);
  CHECK(counted.epsilon == labelled.filter.epsilon());
  CHECK(counted.releasable);
  CHECK(counted.epsilon > realized.epsilon);
  CHECK(labelled.account.answered_realized == labelled.queries.answered);
  CHECK(labelled.account.headline == 0);
  CHECK(labelled.account.costs[0].reading == Reading::joint);
  for (const CostEntry& cost : labelled.account.costs) {
    double sum = 0.0;
    for (const auto& part : cost.parts) sum += part.second;
    CHECK(sum == doctest::Approx(cost.epsilon).epsilon(1e-12));
  }
}

TEST_CASE("a run that its limits stopped is accounted at the order fixed before") {
  const auto votes = some_votes();
  for (const RunLimits& limits : {RunLimits{60, 5, {}}, RunLimits{60, {}, 1.2}}) {
    Run run = run_of(*votes, confident(30.0, 20.0, 20.0));
    const Labelled labelled = label(run, limits, 2);
    REQUIRE(labelled.queries.asked < 60);
    REQUIRE(labelled.queries.asked > 3);
    run.rows = pate::RowSelection::first(labelled.queries.asked);
    const Account fixed = analysed(run, labelled.filter.order());
    const CostEntry& joint = find(labelled.account, Bound::tradeoff, Reading::joint);
    CHECK(joint.epsilon == find(fixed, Bound::tradeoff, Reading::joint).epsilon);
    CHECK(joint.order == labelled.filter.order());
    CHECK(joint.order_end == pate::OrderEnd::none);
    // Certain before the run: all queries, answered as far as max_answers allows.
    const auto steps = most_steps(run.aggregator, limits);
    CHECK(steps.threshold_checks.at(20.0) == 60);
    CHECK(steps.maxima.at({pate::GaussianNoisyMax{20.0}}) == limits.max_answers.value_or(60));
    const CostEntry& certain = find(labelled.account, Bound::data_independent, Reading::worst_case);
    CHECK(certain.epsilon >= labelled.filter.epsilon());
    if (limits.max_epsilon) {
      CHECK(certain.epsilon == *limits.max_epsilon);
      CHECK(certain.order == labelled.filter.order());
      CHECK(certain.parts[0].second + certain.parts[1].second == doctest::Approx(1.2));
    }
    CHECK(labelled.account.queries == labelled.queries.asked);
    CHECK(labelled.account.notices.front().code.starts_with("stopped_max_"));
  }
}

TEST_CASE("a run with limits has one order whether they stopped it or not") {
  const auto votes = some_votes();
  Run run = run_of(*votes, confident(35.0, 8.0, 6.0));
  for (const RunLimits& limits : {RunLimits{60, 59, {}}, RunLimits{60, {}, 50.0}}) {
    const Labelled labelled = label(run, limits, 2);
    REQUIRE(labelled.queries.asked == 60);
    REQUIRE_FALSE(labelled.queries.stopped);
    const CostEntry& joint = find(labelled.account, Bound::tradeoff, Reading::joint);
    CHECK(joint.order == labelled.filter.order());
    CHECK(joint.epsilon ==
          find(analysed(run, labelled.filter.order()), Bound::tradeoff, Reading::joint).epsilon);
    CHECK(labelled.account.orders == std::vector<double>{labelled.filter.order()});
    CHECK(labelled.account.tradeoff->joint.size() == 1);
  }
  // Without limits the end is certain; the curves have the order of the filter besides the others.
  const Labelled labelled = label(run, {60, {}, {}}, 2);
  const std::vector<double>& orders = labelled.account.orders;
  CHECK(std::is_sorted(orders.begin(), orders.end()));
  CHECK(std::count(orders.begin(), orders.end(), labelled.filter.order()) == 1);
  CHECK(labelled.account.tradeoff->joint.size() == orders.size());
  CHECK(labelled.account.tradeoff->noisy_max_realized.size() == orders.size());
}

TEST_CASE("without a selection the end is certain, and so is the cost at the best order") {
  const auto votes = some_votes();
  Run run = run_of(*votes, gnmax(6.0));
  const Labelled labelled = label(run, {60, 20, {}}, 3);
  CHECK(labelled.queries.asked == 20);
  run.rows = pate::RowSelection::first(20);
  CHECK(find(labelled.account, Bound::tradeoff, Reading::joint).epsilon ==
        find(analysed(run, {}), Bound::tradeoff, Reading::joint).epsilon);
  CHECK(find(labelled.account, Bound::tradeoff, Reading::realized).epsilon ==
        find(analysed(run, labelled.filter.order()), Bound::tradeoff, Reading::joint).epsilon);
}

// Two queries of one row may be answered differently: what counts is how often.
TEST_CASE("a row that is asked twice is charged for each answer") {
  const auto votes = votes_of(1, 2, {30, 20});
  Run run = run_of(*votes, confident(30.0, 8.0, 6.0));
  run.rows = pate::RowSelection::list(std::vector<std::int64_t>(40, 0));
  const Labelled labelled = label(run, {40, {}, {}}, 4);
  const std::int64_t answered = labelled.queries.answered;
  REQUIRE(answered > 5);
  REQUIRE(answered < 35);
  // The same from 40 rows of the same votes.
  std::vector<std::int64_t> counts;
  for (int i = 0; i < 40; ++i) counts.insert(counts.end(), {30, 20});
  const auto many = votes_of(40, 2, counts);
  Run apart = run_of(*many, run.aggregator);
  apart.decisions = decisions_of(labelled.queries);
  CHECK(find(labelled.account, Bound::tradeoff, Reading::realized).epsilon ==
        find(analysed(apart, labelled.filter.order()), Bound::tradeoff, Reading::realized).epsilon);
}

TEST_CASE("a run that asks nothing spends nothing") {
  const auto votes = some_votes();
  const Labelled labelled = label(run_of(*votes, gnmax(6.0)), {60, {}, 0.0}, 5);
  CHECK(labelled.queries.asked == 0);
  CHECK(labelled.account.costs[0].epsilon == 0.0);
  CHECK(find(labelled.account, Bound::data_independent, Reading::realized).epsilon == 0.0);
}

TEST_SUITE_END();
