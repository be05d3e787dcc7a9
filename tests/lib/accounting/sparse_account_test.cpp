// Runs of PTR's sparse form with Gaussian noise: what is answered, what reports say it costs, what
// they promise, and how it adds up.

#include "pate/accounting/sparse_account.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/sparse_answers.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/exact/sparse_outcomes.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/run_events.hpp"
#include "pate/labeling/label_account.hpp"
#include "support/accuracy.hpp"
#include "support/labeling.hpp"
#include "support/sparse_transcripts.hpp"
#include "support/test_bits.hpp"
#include "support/votes.hpp"

namespace {

using pate::Bound;
using pate::CostEntry;
using pate::EpsilonMethod;
using pate::StabilityTest;
using pate_test::covers;
using pate_test::Histogram;
using pate_test::HistogramVotes;

std::vector<Histogram> some_queries() {
  std::vector<Histogram> queries;
  for (int i = 0; i < 12; ++i) queries.push_back({40 - 3 * (i % 5), 3 * (i % 5), i % 2});
  queries.push_back({20, 21, 0});
  return queries;
}

std::vector<std::int64_t> stabilities_in(const std::vector<Histogram>& queries) {
  std::vector<std::int64_t> result;
  for (const Histogram& counts : queries) result.push_back(pate::stability(counts));
  return result;
}

pate::Account account_of(const std::vector<Histogram>& queries, const StabilityTest& test,
                         double delta) {
  const HistogramVotes votes(queries);
  pate::AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  return pate::account(pate::test::run_of(votes, test), settings);
}

const CostEntry& entry(const std::vector<CostEntry>& costs, Bound bound) {
  return *std::ranges::find_if(costs, [&](const CostEntry& cost) {
    return cost.bound == bound && cost.conversion == EpsilonMethod::improved;
  });
}

}  // namespace

TEST_SUITE("sparse form with Gaussian noise") {
  TEST_CASE("answers: against integrals over all ways to answer and refuse") {
    for (const double sigma : {0.4, 3.0, 11.0}) {
      for (const std::int64_t refusals : {1, 3}) {
        const auto test = StabilityTest::sparse_gaussian(sigma, 0.01, refusals, 6);
        const auto threshold = static_cast<std::int64_t>(test.threshold());
        const std::vector<std::int64_t> stabilities{threshold, threshold + 3, 0, 2 * threshold,
                                                    1,         threshold + 1};
        std::vector<double> answered(stabilities.size());
        double mean = 0.0;
        for (const auto& [bits, p] : pate_test::SparseTranscripts(test).of(stabilities)) {
          mean += p * static_cast<double>(std::ranges::count(bits, '+'));
          for (std::size_t k = 0; k < bits.size(); ++k) answered[k] += bits[k] == '+' ? p : 0.0;
        }
        const auto found = pate::sparse_answers(test, stabilities);
        for (std::size_t k = 0; k < answered.size(); ++k) {
          CHECK(std::abs(found.answered[k] - answered[k]) < 1e-6);
        }
        CHECK(std::abs(found.expected - mean) < 1e-5);
      }
    }
  }

  TEST_CASE("labels: as often as expected, until so many refusals") {
    const std::vector<Histogram> queries = some_queries();
    const HistogramVotes votes(queries);
    const auto test = StabilityTest::sparse_gaussian(4.0, 0.01, 3, 13);
    const pate::Run run = pate::test::run_of(votes, test);
    const auto expected = pate::sparse_answers(test, stabilities_in(queries));
    pate::test::TestBits bits(12);
    constexpr int kRuns = 4000;
    std::vector<double> answered(queries.size());
    for (int r = 0; r < kRuns; ++r) {
      pate::PrivacyFilter filter(test, {}, {13, {}, {}}, 0.5, 4.0);
      const auto labelled = pate::label_queries(run, filter, {}, bits, 2);
      REQUIRE((labelled.refused() == 3 || labelled.asked == 13));
      for (std::size_t i = 0; i < queries.size(); ++i) {
        answered[i] += labelled.labels[i] == -1 ? 0.0 : 1.0;
      }
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const double p = expected.answered[i];
      CHECK(std::abs(answered[i] - kRuns * p) < 5 * std::sqrt(kRuns * p * (1 - p)) + 1);
    }
  }

  TEST_CASE("costs: of these votes below those of any, each with what it promises") {
    const std::vector<Histogram> queries = some_queries();
    const auto test = StabilityTest::sparse_gaussian(4.0, 1e-7, 4, 13);
    const auto account = account_of(queries, test, 1e-4);
    CHECK(covers(account.query_delta, 4e-7));
    const CostEntry& own = entry(account.costs, Bound::tradeoff);
    const CostEntry& any = entry(account.costs, Bound::data_independent);
    CHECK(own.epsilon < 0.8 * any.epsilon);
    CHECK(own.data_dependent);
    CHECK_FALSE(own.releasable);
    CHECK(own.reading == pate::GuaranteeKind::joint);
    CHECK(own.promise == pate::Promise::fixed);
    CHECK(any.releasable);
    CHECK(&account.costs[account.headline] == &own);
    // No entry of another composition: rounds are neither pure nor Gaussian mechanisms.
    for (const CostEntry& cost : account.costs) {
      CHECK((cost.conversion == EpsilonMethod::improved ||
             cost.conversion == EpsilonMethod::classic));
    }
    const pate::SparseOutcomes outcomes(test, stabilities_in(queries));
    CHECK(covers(own.epsilon,
                 pate::epsilon_from_rdp(pate::Conversion::improved, outcomes.rdp(*own.order),
                                        *own.order, 1e-4 - account.query_delta)));
    REQUIRE(account.tradeoff);
    for (std::size_t j = 0; j < account.orders.size(); ++j) {
      CHECK(account.tradeoff->joint[j] == outcomes.rdp(account.orders[j]));
      CHECK(account.tradeoff->joint[j] <= account.steps.rdp(account.orders[j]).total());
    }
    CHECK(account.trajectory.empty());
    // With Laplace noise the same; what is for any votes is composed in more ways there.
    const auto sparse = StabilityTest::sparse(1.0, 1e-7, 4);
    const auto laplace = account_of(queries, sparse, 1e-4);
    REQUIRE(laplace.tradeoff);
    const pate::SparseOutcomes its(sparse, stabilities_in(queries));
    for (std::size_t j = 0; j < laplace.orders.size(); ++j) {
      CHECK(laplace.tradeoff->joint[j] == its.rdp(laplace.orders[j]));
      CHECK(laplace.tradeoff->joint[j] <= laplace.steps.rdp(laplace.orders[j]).total());
    }
    CHECK(laplace.costs[laplace.headline].data_dependent);
    CHECK(laplace.trajectory.empty());
  }

  TEST_CASE("costs: of more queries than are looked at a notice tells") {
    constexpr auto kQueries = static_cast<std::int64_t>(pate::SparseOutcomes::kMostQueries) + 1;
    const auto test = StabilityTest::sparse_gaussian(0.7, 1e-8, 1, kQueries);
    const std::vector<Histogram> ties(static_cast<std::size_t>(kQueries), {20, 20, 0});
    const auto has_notice = [](const pate::Notice& notice) {
      return notice.code == "sparse_queries" &&
             notice.message.starts_with("only the first 800 queries are looked at one by one") &&
             notice.message.find("(\1queries 0:800)") != std::string::npos;
    };
    CHECK(std::ranges::count_if(account_of(ties, test, 1e-4).notices, has_notice) == 1);
    const auto fewer = StabilityTest::sparse_gaussian(0.7, 1e-8, 1, 13);
    CHECK(std::ranges::count(account_of(some_queries(), fewer, 1e-4).notices,
                             std::string("sparse_queries"), &pate::Notice::code) == 0);
  }

  TEST_CASE("sums: the cost on these votes stays, and what is public does not tell it") {
    const auto test = StabilityTest::sparse_gaussian(4.0, 1e-7, 4, 13);
    const auto account = account_of(some_queries(), test, 1e-4);
    pate::Event one = pate::analysed_run(account);
    one.open.id = "one";
    pate::Event two = one;
    two.open.id = "two";
    const auto alone = pate::account_record({one}, {.delta = 1e-4, .threads = 1});
    // Between the orders that are written down a chord lies above the cost.
    const double own = entry(account.costs, Bound::tradeoff).epsilon;
    CHECK(alone.costs[alone.headline].epsilon >= own * (1 - 1e-9));
    CHECK(alone.costs[alone.headline].epsilon <= own * 1.01);
    const auto both = pate::account_record({one, two}, {.delta = 1e-4, .threads = 1});
    CHECK(both.costs[both.headline].epsilon > alone.costs[alone.headline].epsilon);
    CHECK(both.costs[both.headline].epsilon < 2.0 * alone.costs[alone.headline].epsilon);
    CHECK(covers(both.query_delta, 8e-7));
    const auto open =
        pate::account_record(pate::public_record({one}), {.delta = 1e-4, .threads = 1});
    CHECK(covers(open.costs[open.headline].epsilon,
                 entry(account.costs, Bound::data_independent).epsilon * (1 - 1e-9)));
  }

  TEST_CASE("limits: rounds are counted by what they cost for any votes") {
    const std::vector<Histogram> queries(30, Histogram{60, 1, 1});
    const HistogramVotes votes(queries);
    const auto test = StabilityTest::sparse_gaussian(10.0, 1e-7, 5, 30);
    const pate::Run run = pate::test::run_of(votes, test);
    const pate::RunLimits limits{30, {}, 3.0};
    const double order = pate::filter_order(test, {}, limits, 1e-4);
    pate::PrivacyFilter filter(test, {}, limits, 1e-4, order);
    pate::test::TestBits bits(5);
    const auto labelled = pate::label_queries(run, filter, {}, bits, 2);
    CHECK(filter.epsilon() <= 3.0);
    const auto account = pate::label_account(run, labelled, filter, limits, 1e-4, 1);
    const CostEntry& headline = account.costs[account.headline];
    CHECK(headline.reading == pate::GuaranteeKind::worst_case);
    CHECK(headline.epsilon <= 3.0);
    CHECK(account.steps.gaussian_sparse_rounds.begin()->second == 5);
  }

  TEST_CASE("plans: the least noise and the most refusals that a target allows") {
    pate::PlannedRun run;
    run.queries = 100;
    run.ptr_sparse_sigma = 20.0;
    run.ptr_delta = 1e-8;
    run.max_refusals = 5;
    const pate::PlanSettings settings{1e-5, {}, std::vector<double>{4.0, 8.0, 16.0, 32.0}};
    const auto noise = pate::solve(run, settings, pate::PlanParameter::ptr_sparse_sigma, 2.0);
    CHECK(noise.costs[noise.headline].epsilon <= 2.0);
    run.ptr_sparse_sigma = *noise.run.ptr_sparse_sigma * (1 - 1e-6);
    CHECK(pate::plan(run, settings).costs[0].epsilon > 2.0);
    run.ptr_sparse_sigma = 20.0;
    const auto most = pate::solve(run, settings, pate::PlanParameter::max_refusals, 3.0);
    run.max_refusals = *most.run.max_refusals + 1;
    CHECK(pate::plan(run, settings).costs[0].epsilon > 3.0);
    // As many queries as a plan may have.
    run.queries = pate::kMaxPlannedQueries;
    CHECK(std::isfinite(pate::plan(run, settings).costs[0].epsilon));
    run.ptr_sparse = 1.0;
    CHECK_THROWS_WITH_AS(
        pate::validate(run),
        "PTR needs ptr-delta and one of ptr-laplace, ptr-sigma, ptr-sparse and ptr-sparse-sigma, "
        "the last two with max-refusals, and no other noise; max-answers changes no cost of it",
        pate::parameter_error);
    run.ptr_sparse.reset();
    run.max_refusals.reset();
    CHECK_THROWS_WITH_AS(
        pate::validate(run),
        "PTR needs ptr-delta and one of ptr-laplace, ptr-sigma, ptr-sparse and ptr-sparse-sigma, "
        "the last two with max-refusals, and no other noise; max-answers changes no cost of it",
        pate::parameter_error);
  }

  TEST_CASE("what it is not: a run of more queries than its mechanism may ask") {
    const auto test = StabilityTest::sparse_gaussian(4.0, 1e-7, 4, 12);
    CHECK_THROWS_WITH_AS((void)account_of(some_queries(), test, 1e-4),
                         "queries must be at most 12, where this run ends, got 13",
                         pate::parameter_error);
    CHECK_THROWS_WITH_AS((void)pate::steps_of(test, {}, 13, 13),
                         "queries must be at most 12, where this run ends, got 13",
                         pate::parameter_error);
  }
}
