// What a run of labels is said to have cost: which numbers are there, in which order, and what is
// told of them.

#include "pate/labeling/label_account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/labeling.hpp"
#include "support/votes.hpp"

using namespace pate;
using pate_test::Histogram;
using pate_test::HistogramVotes;

namespace {

constexpr double kDelta = 1e-5;

// A run as it came out: of each query that was asked whether it was answered.
struct Outcome {
  LabelledQueries queries;
  Account account;
};

Outcome outcome_of(const Run& run, const RunLimits& limits, const std::vector<bool>& answered) {
  Outcome result;
  const auto all = static_cast<std::size_t>(run.rows.size());
  result.queries.labels.assign(all, -1);
  result.queries.sources.assign(all, LabelSource::refused);
  PrivacyFilter filter(run.aggregator, run.neighbours, limits, kDelta,
                       filter_order(run.aggregator, run.neighbours, limits, kDelta));
  for (std::size_t i = 0; i < answered.size(); ++i) {
    filter.count(answered[i]);
    ++result.queries.asked;
    if (!answered[i]) continue;
    result.queries.labels[i] = 0;
    result.queries.sources[i] = LabelSource::teacher;
    ++result.queries.answered;
  }
  result.account = label_account(run, result.queries, filter, limits, kDelta, 1);
  return result;
}

std::vector<std::string> codes_of(const Account& account) {
  std::vector<std::string> codes;
  for (const Notice& notice : account.notices) codes.push_back(notice.code);
  return codes;
}

bool has(const std::vector<std::string>& codes, const char* code) {
  return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

TEST_SUITE("label_account") {
  TEST_CASE("every number is at the delta of the run, that of the filter too") {
    const HistogramVotes votes({{30, 10, 0}, {25, 15, 0}, {40, 0, 0}});
    const RunLimits limits{3, {}, {}};
    const Run run = pate::test::run_of(votes, pate::test::confident(25.0, 10.0, 8.0));
    const Account account = outcome_of(run, limits, {true, false, true}).account;
    REQUIRE(account.costs.size() > 4);
    for (const CostEntry& cost : account.costs) CHECK(cost.delta == kDelta);
  }

  TEST_CASE("the table of a run that stopped has all queries, and what became of them") {
    const HistogramVotes votes({{30, 10}, {20, 20}, {30, 10}, {35, 5}, {40, 0}});
    const RunLimits limits{5, 2, {}};
    const Run run = pate::test::run_of(votes, pate::test::confident(25.0, 10.0, 8.0));
    const Account account = outcome_of(run, limits, {true, false, false, true}).account;
    std::vector<std::vector<std::int64_t>> rows;
    for (const QueryRow& row : account.table) {
      rows.push_back({row.statistic, row.count, row.asked, row.answered});
    }
    std::ranges::sort(rows);
    CHECK(rows == std::vector<std::vector<std::int64_t>>{
                      {20, 1, 1, 0}, {30, 2, 2, 1}, {35, 1, 1, 1}, {40, 1, 0, 0}});
  }

  TEST_CASE("the smaller number is pointed out where it holds for any votes") {
    // Of votes that are close, what depends on them is no smaller.
    const HistogramVotes close({{20, 20}, {21, 19}});
    const HistogramVotes clear({{40, 0}, {40, 0}});
    const RunLimits limits{2, {}, {}};
    for (const auto& [votes, is_told] : {std::pair(&close, true), std::pair(&clear, false)}) {
      const Run run = pate::test::run_of(*votes, pate::test::gnmax(8.0));
      const Account account = outcome_of(run, limits, {true, true}).account;
      CHECK(account.costs[account.headline].data_dependent == !is_told);
      CHECK(has(codes_of(account), "any_votes_smaller") == is_told);
      CHECK(has(codes_of(account), "private_number"));
    }
  }

  TEST_CASE("PTR's sparse form: what was fixed before the run comes first, then the outcome's") {
    const HistogramVotes votes({{30, 10}, {35, 5}, {21, 19}, {40, 0}});
    const RunLimits limits{4, {}, {}};
    const Run run = pate::test::run_of(votes, StabilityTest::sparse(0.5, 1e-7, 2));
    const Outcome outcome = outcome_of(run, limits, {true, true, false, true});
    const std::vector<CostEntry>& costs = outcome.account.costs;
    REQUIRE(costs.size() >= 2);
    CHECK(costs.back().promise == Promise::outcome);
    CHECK(costs.back().reading == GuaranteeKind::realized);
    CHECK(std::ranges::count(costs, Promise::outcome, &CostEntry::promise) == 1);
    CHECK(outcome.account.answered_realized == 3);
    CHECK(outcome.account.queries == 4);
    CHECK_FALSE(has(codes_of(outcome.account), "any_votes_smaller"));
  }
}
