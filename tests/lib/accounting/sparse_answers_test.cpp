#include "pate/accounting/sparse_answers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/run_events.hpp"
#include "pate/labeling/label_account.hpp"
#include "support/accuracy.hpp"
#include "support/labeling.hpp"
#include "support/sparse_transcripts.hpp"
#include "support/test_bits.hpp"
#include "support/votes.hpp"

namespace {

using pate::CostEntry;
using pate::EpsilonMethod;
using pate::Mechanism;
using pate::StabilityTest;
using pate_test::covers;
using pate_test::Histogram;
using pate_test::HistogramVotes;
using pate_test::SparseTranscripts;

// A query on two neighbours.
struct Pair {
  std::int64_t own, other;
  bool same;  // plurality

  friend auto operator<=>(const Pair&, const Pair&) = default;
};

std::size_t class_of(const Histogram& counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

std::set<Pair> all_pairs(std::int32_t teachers, std::size_t classes) {
  std::set<Pair> result;
  for (const Histogram& counts : pate_test::all_histograms(teachers, classes)) {
    for (std::size_t from = 0; from < counts.size(); ++from) {
      for (std::size_t to = 0; to < counts.size(); ++to) {
        if (counts[from] == 0) continue;
        Histogram other = counts;
        --other[from];
        ++other[to];
        result.insert(
            {pate::stability(counts), pate::stability(other), class_of(counts) == class_of(other)});
      }
    }
  }
  return result;
}

pate::Account account_of(const std::vector<Histogram>& queries, const Mechanism& aggregator,
                         double delta) {
  const HistogramVotes votes(queries);
  pate::AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  return pate::account(pate::test::run_of(votes, aggregator), settings);
}

const CostEntry& entry(const std::vector<CostEntry>& costs, EpsilonMethod by) {
  return *std::ranges::find(costs, by, &CostEntry::conversion);
}

}  // namespace

TEST_SUITE("ptr sparse") {
  TEST_CASE("the threshold leaves q = 0 its delta, and no less") {
    for (const double epsilon : {1e-3, 0.1, 0.5, 2.0, 50.0}) {
      for (const double delta : {0.1, 1e-3, 1e-9, 1e-80}) {
        const auto test = pate::StabilityTest::sparse(epsilon, delta, 1);
        const double log_p = pate::log_answered(test, 0);
        CHECK(log_p <= std::log(delta));
        CHECK(log_p == doctest::Approx(std::log(delta)).epsilon(1e-11));
        CHECK(covers(*test.pure_epsilon(), epsilon * (1 - 1e-15)));
      }
    }
    // Pr[Lap(4) - Lap(2) >= 9]: a reference value.
    const StabilityTest nine(pate::TestNoise::sparse, 9.0, 4.0, 0.1, 1);
    CHECK(std::exp(pate::log_answered(nine, 0)) == doctest::Approx(0.0684146502849).epsilon(1e-11));
    CHECK(std::exp(pate::log_answered(nine, 9)) == doctest::Approx(0.5));
    CHECK(std::exp(pate::log_refused(nine, 18)) == doctest::Approx(0.0684146502849).epsilon(1e-11));
    for (const std::int64_t q : {0, 3, 9, 20, 200}) {
      CHECK(std::exp(pate::log_answered(nine, q)) + std::exp(pate::log_refused(nine, q)) ==
            doctest::Approx(1.0));
    }
  }

  TEST_CASE("the RDP of a round is that of randomised response") {
    for (const double epsilon : {1e-5, 0.1, 1.0, 5.0, 800.0}) {
      for (const double order : {1.01, 2.0, 10.0, 500.0, 1e6}) {
        const double cost = pate::pure_dp_cost(epsilon, order);
        CHECK(cost <= epsilon * (1 + 1e-9));
        if (epsilon < 1e-3) {
          CHECK(cost <= 0.5 * order * epsilon * epsilon * (1 + 1e-9));
          continue;
        }
        const long double a = order;
        const long double e = epsilon;
        const long double up = (a - 1) * e - std::log1p(std::exp(-e));
        const long double down = -a * e - std::log1p(std::exp(-e));
        const long double log_moment = up + std::log1p(std::exp(down - up));
        CHECK(covers(cost, static_cast<double>(log_moment / (a - 1)) * (1 - 1e-13)));
      }
    }
  }

  TEST_CASE("costs: as many rounds as refusals end the run, no more than queries") {
    const std::vector<Histogram> queries(40, Histogram{8, 1, 1});
    const auto sparse = pate::StabilityTest::sparse(0.25, 1e-8, 6);
    const auto account = account_of(queries, sparse, 1e-6);
    CHECK(covers(account.query_delta, 6e-8));
    const CostEntry& pure = entry(account.costs, EpsilonMethod::pure);
    CHECK(covers(pure.epsilon, 1.5));
    CHECK(covers(pure.delta, 6e-8));
    const CostEntry& kov = entry(account.costs, EpsilonMethod::kov);
    CHECK(covers(kov.epsilon, pate::composed_pure_dp_epsilon(0.25, 6, 94e-8) * (1 - 1e-12)));
    double least = pate::kInfinity;
    for (const CostEntry& cost : account.costs) {
      if (cost.bound == pate::Bound::tradeoff) continue;
      CHECK(cost.epsilon >= kov.epsilon * (1 - 1e-9));
      CHECK(cost.releasable);
      CHECK_FALSE(cost.data_dependent);
      least = std::min(least, cost.epsilon);
    }
    CHECK(least == std::min(pure.epsilon, kov.epsilon));
    // All of these votes are as good as certain to be refused.
    CHECK(account.costs[account.headline].bound == pate::Bound::tradeoff);
    CHECK(account.costs[account.headline].epsilon < 0.1 * least);
    const auto few = account_of({queries.begin(), queries.begin() + 2}, sparse, 1e-6);
    CHECK(covers(entry(few.costs, EpsilonMethod::pure).epsilon, 0.5));
    CHECK(covers(few.query_delta, 2e-8));
    CHECK_THROWS_WITH_AS(
        (void)account_of(queries, sparse, 6e-8),
        doctest::Contains("which leaves nothing of delta 6e-08 for their composition: a smaller "
                          "delta of a query (ptr-delta) does, or a larger one of the run"),
        pate::parameter_error);
  }

  TEST_CASE("(epsilon, delta) of three queries over all neighbours of five teachers") {
    const std::set<Pair> pairs = all_pairs(5, 3);
    for (const std::int64_t refusals : {1, 2, 3}) {
      const auto sparse = pate::StabilityTest::sparse(2.0, 0.03, refusals);
      SparseTranscripts transcripts(sparse);
      const auto account = account_of(std::vector<Histogram>(3, Histogram{5, 0, 0}), sparse, 0.2);
      double nearest = 0.0;  // to the delta of the pure cost
      for (const Pair& first : pairs) {
        for (const Pair& second : pairs) {
          for (const Pair& third : pairs) {
            const std::array<Pair, 3> queries{first, second, third};
            const auto own = transcripts.of({first.own, second.own, third.own});
            const auto other = transcripts.of({first.other, second.other, third.other});
            for (const CostEntry& cost : account.costs) {
              double lost = 0.0;
              for (const auto& [bits, p] : own) {
                bool tells = false;  // an answer that the neighbour never gives
                for (std::size_t k = 0; k < bits.size(); ++k) {
                  tells = tells || (bits[k] == '+' && !queries.at(k).same);
                }
                const double q = tells ? 0.0 : other.at(bits);
                lost += std::max(p - std::exp(cost.epsilon) * q, 0.0);
              }
              REQUIRE(lost <= cost.delta * (1 + 1e-6));
              if (cost.conversion == EpsilonMethod::pure) {
                nearest = std::max(nearest, lost / cost.delta);
              }
            }
          }
        }
      }
      // Queries whose plurality is another on the neighbour, and nothing else.
      CHECK(nearest > 0.95);
    }
  }

  TEST_CASE("a threshold that lasts: probing tells of it, and the delta still holds") {
    // Queries that are answered while the threshold is low, then one of another plurality: the
    // probability that it is answered, given that it is asked in the first round, is above delta;
    // that it is asked there and answered is not.
    const auto sparse = pate::StabilityTest::sparse(1.0, 0.02, 4);
    const std::vector<std::int64_t> probing{3, 3, 3, 3, 3};
    std::vector<std::int64_t> then = probing;
    then.push_back(0);
    const double asked = SparseTranscripts(sparse).round_probability(probing, false);
    const double both = SparseTranscripts(sparse).round_probability(then, false);
    CHECK(both / asked > 0.02);
    CHECK(both <= 0.02);
    // In all rounds together, at most delta each.
    std::vector<std::int64_t> all;
    for (int i = 0; i < 4; ++i) all.insert(all.end(), then.begin(), then.end());
    const auto answers = pate::sparse_answers(sparse, all);
    double told = 0.0;
    for (std::size_t i = 5; i < all.size(); i += 6) told += answers.answered[i];
    CHECK(told <= 4 * 0.02);
  }

  TEST_CASE("answers: against integrals over all ways to answer and refuse") {
    for (const double epsilon : {0.04, 0.37, 2.0, 9.0}) {
      for (const std::int64_t refusals : {1, 2, 4}) {
        const auto sparse = pate::StabilityTest::sparse(epsilon, 0.01, refusals);
        const auto threshold = static_cast<std::int64_t>(sparse.threshold());
        const std::vector<std::int64_t> stabilities{
            threshold, threshold + 3, 0, threshold, 2 * threshold, 1, threshold + 1};
        std::vector<double> answered(stabilities.size());
        double mean = 0.0;
        double square = 0.0;
        double refused = 0.0;
        for (const auto& [bits, p] : SparseTranscripts(sparse).of(stabilities)) {
          const auto count = static_cast<double>(std::ranges::count(bits, '+'));
          mean += p * count;
          square += p * count * count;
          refused += p * static_cast<double>(std::ranges::count(bits, '-'));
          for (std::size_t k = 0; k < bits.size(); ++k) answered[k] += bits[k] == '+' ? p : 0.0;
        }
        const auto found = pate::sparse_answers(sparse, stabilities);
        for (std::size_t k = 0; k < answered.size(); ++k) {
          CHECK(std::abs(found.answered[k] - answered[k]) < 1e-6);
        }
        CHECK(std::abs(found.expected - mean) < 1e-5);
        CHECK(std::abs(found.refusals - refused) < 1e-5);
        CHECK(std::abs(found.sd * found.sd - (square - mean * mean)) < 1e-4);
      }
    }
    const auto none = pate::sparse_answers(pate::StabilityTest::sparse(1.0, 1e-6, 3), {});
    CHECK(none.expected == 0.0);
    CHECK(none.sd == 0.0);
  }

  TEST_CASE("labels: the plurality or none, until so many refusals, as often as expected") {
    std::vector<Histogram> queries;
    for (int i = 0; i < 12; ++i) queries.push_back({30 - 2 * (i % 5), 2 * (i % 5), i % 2});
    queries.push_back({15, 16, 0});
    const HistogramVotes votes(queries);
    const auto sparse = pate::StabilityTest::sparse(1.5, 0.01, 3);
    const pate::Run run = pate::test::run_of(votes, sparse);
    const auto account = account_of(queries, sparse, 0.5);
    std::vector<std::int64_t> stabilities;
    for (const Histogram& counts : queries) stabilities.push_back(pate::stability(counts));
    const auto expected = pate::sparse_answers(sparse, stabilities);
    CHECK(account.answered_expected == doctest::Approx(expected.expected));
    // Of costs on these votes there is no trajectory.
    CHECK(account.trajectory.empty());
    pate::AccountSettings any_votes;
    any_votes.delta = 0.5;
    any_votes.reading = pate::GuaranteeKind::worst_case;
    const auto trajectory = pate::account(run, any_votes).trajectory;
    REQUIRE_FALSE(trajectory.empty());
    CHECK(trajectory.back().answered == doctest::Approx(expected.expected));
    CHECK(trajectory.front().answered == doctest::Approx(expected.answered.front()));
    pate::test::TestBits bits(11);
    constexpr int kRuns = 6000;
    std::vector<double> answered(queries.size());
    double sum = 0.0;
    double square = 0.0;
    for (int r = 0; r < kRuns; ++r) {
      pate::PrivacyFilter filter(sparse, {}, {13, {}, {}}, 0.5, 4.0);
      const auto labelled = pate::label_queries(run, filter, {}, bits, 2);
      REQUIRE(labelled.refused() <= 3);
      REQUIRE((labelled.refused() == 3 || labelled.asked == 13));
      REQUIRE(labelled.stopped.has_value() == (labelled.asked < 13));
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (labelled.labels[i] == -1) continue;
        REQUIRE(static_cast<std::size_t>(labelled.labels[i]) == class_of(queries[i]));
        answered[i] += 1.0;
      }
      const auto count = static_cast<double>(labelled.answered);
      sum += count;
      square += count * count;
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const double p = expected.answered[i];
      CHECK(std::abs(answered[i] - kRuns * p) < 5 * std::sqrt(kRuns * p * (1 - p)) + 1);
    }
    CHECK(std::abs(sum / kRuns - expected.expected) < 5 * expected.sd / std::sqrt(kRuns));
    const double variance = square / kRuns - sum / kRuns * sum / kRuns;
    CHECK(variance == doctest::Approx(expected.sd * expected.sd).epsilon(0.1));
  }

  TEST_CASE("utility: right answers among those that are expected, before the run ends") {
    const std::vector<Histogram> queries{{20, 2, 0}, {3, 18, 1}, {12, 9, 1}, {1, 1, 20}};
    const HistogramVotes votes(queries);
    const auto sparse = pate::StabilityTest::sparse(2.0, 0.01, 2);
    pate::Run run = pate::test::run_of(votes, sparse);
    pate::AccountSettings settings;
    settings.delta = 0.1;
    std::vector<std::int64_t> stabilities;
    for (const Histogram& counts : queries) stabilities.push_back(pate::stability(counts));
    const auto answers = pate::sparse_answers(sparse, stabilities);
    for (std::int32_t code = 0; code < 16; ++code) {
      // Which of the labels are the plurality.
      run.labels.emplace();
      double right = 0.0;
      double plurality = 0.0;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const bool agrees = (code >> i) % 2 == 1;
        const auto top = static_cast<std::int32_t>(class_of(queries[i]));
        run.labels->push_back(agrees ? top : (top + 1) % 3);
        right += agrees ? answers.answered[i] : 0.0;
        plurality += agrees ? 0.25 : 0.0;
      }
      const auto its = pate::account(run, settings);
      REQUIRE(its.utility.has_value());
      CHECK(its.utility->expected_accuracy ==
            doctest::Approx(right / answers.expected).epsilon(1e-12));
      CHECK(its.utility->plurality_accuracy == plurality);
    }
  }

  TEST_CASE("a run: what it cost was fixed before it") {
    const std::vector<Histogram> queries(30, Histogram{40, 1, 1});
    const HistogramVotes votes(queries);
    const auto sparse = pate::StabilityTest::sparse(2.0, 1e-6, 5);
    const pate::Run run = pate::test::run_of(votes, sparse);
    const pate::RunLimits limits{30, {}, 6.5};
    pate::PrivacyFilter filter(sparse, {}, limits, 1e-4, 40.0);
    pate::test::TestBits bits(5);
    const auto labelled = pate::label_queries(run, filter, {}, bits, 2);
    const auto account = pate::label_account(run, labelled, filter, limits, 1e-4, 1);
    CHECK(covers(account.query_delta, 5e-6));
    CHECK(filter.epsilon() <= 6.5);
    const CostEntry& headline = account.costs[account.headline];
    CHECK(headline.reading == pate::GuaranteeKind::worst_case);
    CHECK_FALSE(headline.data_dependent);
    CHECK(headline.epsilon <= 6.5);
    CHECK(*account.answered_realized == labelled.answered);
    CHECK(account.steps.sparse_rounds.begin()->second == 5);
    for (const CostEntry& cost : account.costs) CHECK(cost.delta <= 1e-4);
  }

  TEST_CASE("what is counted are rounds that have begun, as many as may be") {
    const auto sparse = pate::StabilityTest::sparse(2.0, 1e-6, 5);
    pate::PrivacyFilter filter(sparse, {}, {30, {}, {}}, 1e-4, 40.0);
    CHECK(filter.epsilon() == 0.0);
    // At this order Renyi DP says less than the sum of what rounds cost.
    for (int i = 0; i < 3; ++i) {
      filter.count(true);
      CHECK(covers(filter.epsilon(), 2.0));
    }
    for (const double rounds : {1.0, 2.0, 3.0, 4.0, 5.0}) {
      CHECK_FALSE(filter.enough_refusals());
      filter.count(false);
      CHECK(covers(filter.epsilon(), 2.0 * rounds));
    }
    CHECK(filter.enough_refusals());
    // The first query, refused: there is no other round yet.
    pate::PrivacyFilter refused(sparse, {}, {30, {}, {}}, 1e-4, 40.0);
    refused.count(false);
    CHECK(covers(refused.epsilon(), 2.0));
    // Of many rounds Renyi DP says more.
    const auto many = pate::StabilityTest::sparse(0.1, 1e-8, 500);
    pate::PrivacyFilter counted(many, {}, {600, {}, {}}, 1e-4, 4.0);
    for (int i = 0; i < 500; ++i) counted.count(false);
    const double rdp = pate::steps_of(many, {}, 500, 500).rdp(4.0).total();
    const double left = pate::left_delta(many, {}, {600, {}, {}}, 1e-4);
    CHECK(counted.epsilon() == pate::epsilon_from_rdp(pate::Conversion::improved, rdp, 4.0, left));
    CHECK(counted.epsilon() < 0.5 * 50.0);
  }

  TEST_CASE("decisions: no answer after the refusals that end a run") {
    const HistogramVotes votes(std::vector<Histogram>(4, Histogram{9, 1}));
    pate::Run run = pate::test::run_of(votes, pate::StabilityTest::sparse(1.0, 0.01, 2));
    pate::AccountSettings settings;
    settings.delta = 0.1;
    run.decisions = std::vector<std::uint8_t>{0, 1, 0, 0};
    CHECK(*pate::account(run, settings).answered_realized == 1);
    run.decisions = std::vector<std::uint8_t>{0, 0, 1, 0};
    CHECK_THROWS_WITH_AS(
        (void)pate::account(run, settings),
        "decisions: row 2 was answered after 2 refusals, and max-refusals 2 ends the run there",
        pate::input_error);
  }

  TEST_CASE("what it is not: other tests") {
    const auto sparse = pate::StabilityTest::sparse(1.0, 0.01, 2);
    CHECK_THROWS_WITH_AS((void)pate::StabilityTest::sparse(1.0, 0.01, 0),
                         "max-refusals must be >= 1 and <= 9007199254740992, got 0",
                         pate::parameter_error);
    CHECK_THROWS_WITH_AS((void)pate::StabilityTest::sparse(0.0, 0.01, 1),
                         "ptr-sparse must be > 0 and finite, got 0", pate::parameter_error);
    CHECK_THROWS_WITH_AS((void)pate::StabilityTest::sparse(std::nan(""), 0.01, 1),
                         "ptr-sparse must be > 0 and finite, got nan", pate::parameter_error);
    CHECK_THROWS_WITH_AS((void)pate::StabilityTest::sparse(1.0, 0.0, 1),
                         "ptr-delta must be between 1e-100 and 0.1, got 0", pate::parameter_error);
    CHECK_THROWS_WITH_AS(
        StabilityTest(pate::TestNoise::sparse, sparse.threshold() * (1 - 1e-9), sparse.scale(),
                      sparse.delta(), 2),
        doctest::Contains(
            "the threshold of a stability test must leave q = 0 a delta of 0.01, got 16.78373520"),
        pate::parameter_error);
    CHECK_THROWS_WITH_AS(
        StabilityTest(pate::TestNoise::sparse, sparse.threshold(), sparse.scale(), sparse.delta()),
        "max-refusals must be >= 1 and <= 9007199254740992, got 0", pate::parameter_error);
  }

  TEST_CASE("plans: as many refusals as a target allows; sums") {
    pate::PlannedRun run;
    run.queries = 1000;
    run.ptr_sparse = 0.2;
    run.ptr_delta = 1e-8;
    run.max_refusals = 20;
    const pate::Plan plan = pate::plan(run, {1e-5, {}, {}});
    CHECK(covers(plan.costs[plan.headline].epsilon,
                 pate::composed_pure_dp_epsilon(0.2, 20, 1e-5 - 2e-7) * (1 - 1e-12)));
    const auto most = pate::solve(run, {1e-5, {}, {}}, pate::PlanParameter::max_refusals, 3.0);
    CHECK(most.costs[most.headline].epsilon <= 3.0);
    run.max_refusals = *most.run.max_refusals + 1;
    const pate::Plan more = pate::plan(run, {1e-5, {}, {}});
    CHECK(more.costs[more.headline].epsilon > 3.0);
    run.ptr_sigma = 3.0;
    CHECK_THROWS_WITH_AS(
        pate::validate(run),
        "PTR needs ptr-delta and one of ptr-laplace, ptr-sigma, ptr-sparse and ptr-sparse-sigma, "
        "the last two with max-refusals, and no other noise; max-answers changes no cost of it",
        pate::parameter_error);

    pate::PlannedRun gnmax;
    gnmax.queries = 10;
    gnmax.sigma2 = 20.0;
    const auto sum = pate::account_record(
        {pate::planned_run(pate::plan(gnmax, {1e-5, {}, {}})), pate::planned_run(plan)}, {});
    CHECK(covers(sum.query_delta, 2e-7));
    const CostEntry& rdp = sum.costs[sum.headline];
    CHECK(rdp.epsilon > plan.costs[plan.headline].epsilon);
    CHECK(rdp.delta == 1e-5);
  }
}
