#include "pate/labeling/label_run.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>
#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/labeling/label_account.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "support/chi_square.hpp"
#include "support/labeling.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

using pate::Account;
using pate::AccountSettings;
using pate::Aggregator;
using pate::Bound;
using pate::CostEntry;
using pate::EpsilonMethod;
using pate::GuaranteeKind;
using pate::label_account;
using pate::label_queries;
using pate::LabelledQueries;
using pate::LabelSource;
using pate::PrivacyFilter;
using pate::Run;
using pate::RunLimits;
using pate::StopReason;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::interactive;
using pate::test::lnmax;
using pate::test::run_of;
using pate::test::scores_of;
using pate::test::TestBits;
using pate::test::votes_of;

namespace {

LabelledQueries label(const Run& run, std::uint64_t seed, RunLimits limits = {},
                      std::optional<double> reinforce_above = {}, unsigned threads = 1) {
  limits.queries = run.rows.size();
  PrivacyFilter filter(run.aggregator, run.neighbours, limits, 1e-5, 4.0);
  TestBits bits(seed);
  LabelledQueries labelled = label_queries(run, filter, reinforce_above, bits, threads);
  CHECK(filter.asked() == labelled.asked);
  CHECK(filter.answered() == labelled.answered);
  CHECK(labelled.labels.size() == static_cast<std::size_t>(run.rows.size()));
  CHECK(labelled.sources.size() == labelled.labels.size());
  return labelled;
}

// p of each query's outcomes {refused, 1..m} over many runs, as Pr[outcome] says.
std::vector<double> fits(const Run& run, std::uint64_t seed, int runs) {
  const auto queries = static_cast<std::size_t>(run.rows.size());
  const auto classes = static_cast<std::size_t>(run.votes.classes());
  std::vector<std::vector<std::int64_t>> observed(queries,
                                                  std::vector<std::int64_t>(classes + 1, 0));
  for (int r = 0; r < runs; ++r) {
    const LabelledQueries labelled = label(run, seed + static_cast<std::uint64_t>(r));
    for (std::size_t i = 0; i < queries; ++i) {
      ++observed[i][static_cast<std::size_t>(labelled.labels[i] + 1)];
    }
  }
  pate::QueryReader reader(run);
  reader.read(0, run.rows.size());
  std::vector<double> result;
  for (std::size_t i = 0; i < queries; ++i) {
    const auto query = static_cast<std::int64_t>(i);
    const auto selection = run.aggregator.answer_rule();
    const std::int64_t v = reader.statistic(query);
    const double answered = selection ? std::exp(log_answered(*selection, v)) : 1.0;
    std::vector<double> expected;
    if (selection) expected.push_back(std::exp(log_refused(*selection, v)));
    for (std::size_t j = 0; j < classes; ++j) {
      expected.push_back(answered * outcome_probability(run.aggregator.noisy().noisy_max,
                                                        reader.histogram(query), j));
    }
    if (!selection) {
      CHECK(observed[i][0] == 0);
      observed[i].erase(observed[i].begin());
    }
    result.push_back(pate::test::chi_square_p(observed[i], expected));
  }
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("labeling");

// At the threshold (6), below, above; ties; unanimous.
const std::vector<std::int64_t> kCounts{6, 2, 2, 4, 4, 2, 5, 5, 0, 8, 1, 1, 10, 0, 0};
// The lead over the student: at the threshold, above, below.
const std::vector<double> kScores{0.5, 0.3, 0.2, 0.1, 0.1, 0.8, 0.5, 0.5,
                                  0.0, 0.9, 0.1, 0.0, 0.0, 0.5, 0.5};

TEST_CASE("labels and refusals are as frequent as analysed, for every aggregator") {
  const auto votes = votes_of(5, 3, kCounts);
  const auto student = scores_of(5, 3, kScores);
  std::uint64_t seed = 1000;
  for (const Aggregator& aggregator :
       {gnmax(3.0), lnmax(2.0), confident(6.0, 2.0, 3.0), confident(5.5, 4.0, 1.5)}) {
    for (const double p : fits(run_of(*votes, aggregator), seed += 100000, 8000)) {
      CHECK(pate::test::is_plausible(p));
    }
  }
  for (const double p :
       fits(run_of(*votes, interactive(3.0, 2.0, 3.0), student.get()), 900000, 8000)) {
    CHECK(pate::test::is_plausible(p));
  }
}

// As one group where they are many (kClassesMostlyEmpty), and never listed.
TEST_CASE("of very many classes labels are as frequent as analysed") {
  constexpr std::size_t kWords = pate::kClassesMostlyEmpty;
  std::vector<std::int64_t> counts(kWords, 0);
  counts[0] = 6;
  counts[200] = 9;
  counts[kWords - 1] = 5;
  const auto votes = votes_of(1, static_cast<std::int64_t>(kWords), counts);
  for (const Aggregator& aggregator : {gnmax(2.0), lnmax(1.0), confident(9.0, 2.0, 2.0)}) {
    std::vector<std::int64_t> observed(5, 0);
    std::vector<std::int64_t> halves(2, 0);
    for (std::uint64_t r = 0; r < 6000; ++r) {
      const std::int32_t its = label(run_of(*votes, aggregator), 70000 + r).labels.front();
      const bool is_voted = its >= 0 && counts[static_cast<std::size_t>(its)] > 0;
      if (is_voted) ++observed[its == 0 ? 0 : its == 200 ? 1 : 2];
      if (its >= 0 && !is_voted) {
        ++observed[3];
        ++halves[its < 1000 ? 0 : 1];
      }
      if (its < 0) ++observed[4];
    }
    const std::vector<std::int32_t> histogram(counts.begin(), counts.end());
    const double answered =
        aggregator.selection ? std::exp(log_answered(*aggregator.selection, 9)) : 1.0;
    std::vector<double> expected;
    double rest = answered;
    for (const std::size_t j : {std::size_t{0}, std::size_t{200}, kWords - 1}) {
      expected.push_back(answered * outcome_probability(aggregator.noisy_max, histogram, j));
      rest -= expected.back();
    }
    expected.push_back(rest);
    if (aggregator.selection) {
      expected.push_back(1.0 - answered);
    } else {
      CHECK(observed.back() == 0);
      observed.pop_back();
    }
    CHECK(observed[3] > 100);
    CHECK(pate::test::is_plausible(pate::test::chi_square_p(observed, expected)));
    const double low = 998.0 / static_cast<double>(kWords - 3);
    CHECK(pate::test::is_plausible(
        pate::test::chi_square_p(halves, std::vector<double>{low, 1.0 - low})));
  }
}

TEST_CASE("for given bits labels do not depend on the threads, wherever the run ends") {
  constexpr std::int64_t kMany = 500000;  // more than are looked at at a time
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < kMany; ++i) {
    counts.insert(counts.end(), kCounts.begin() + 3 * (i % 5), kCounts.begin() + 3 * (i % 5 + 1));
  }
  const auto votes = votes_of(kMany, 3, counts);
  const Run run = run_of(*votes, confident(6.0, 2.0, 3.0));
  for (const RunLimits& limits : {RunLimits{}, RunLimits{0, 210000, {}}, RunLimits{0, 1, {}}}) {
    const LabelledQueries alone = label(run, 77, limits);
    CHECK(alone.stopped.has_value() == limits.max_answers.has_value());
    for (const unsigned threads : {2U, 5U}) {
      const LabelledQueries labelled = label(run, 77, limits, {}, threads);
      CHECK(labelled.labels == alone.labels);
      CHECK(labelled.sources == alone.sources);
      CHECK(labelled.asked == alone.asked);
      CHECK(labelled.answered == alone.answered);
    }
    // Nobody has a label that was not answered, and all that were have one.
    for (std::size_t i = 0; i < alone.labels.size(); ++i) {
      REQUIRE((alone.labels[i] >= 0) == (alone.sources[i] == LabelSource::teacher));
    }
  }
}

TEST_CASE("the votes of another run do not fit") {
  const auto votes = votes_of(5, 3, kCounts);
  std::vector<double> p = fits(run_of(*votes, confident(6.0, 2.0, 3.0)), 2000000, 8000);
  CHECK(*std::min_element(p.begin(), p.end()) > 0.001);
  // The same frequencies, taken for those of slightly different noise.
  const Run run = run_of(*votes, confident(6.0, 2.0, 3.0));
  std::int64_t answered = 0;
  constexpr int kRuns = 8000;
  for (int r = 0; r < kRuns; ++r)
    answered += label(run, 3000000 + static_cast<unsigned>(r)).answered;
  double other = 0.0;
  double variance = 0.0;
  for (const std::int64_t top : {6, 4, 5, 8, 10}) {
    const double pr = std::exp(log_answered(pate::ThresholdCheck{6.2, 2.0}, top));
    other += pr * kRuns;
    variance += pr * (1.0 - pr) * kRuns;
  }
  CHECK(std::abs(static_cast<double>(answered) - other) > 5.0 * std::sqrt(variance));
}

TEST_CASE("rows are taken in the order of the selection, repeated ones drawn again") {
  const auto votes = votes_of(5, 3, kCounts);
  Run run = run_of(*votes, gnmax(1e-6));
  run.rows = pate::RowSelection::list({4, 1, 4, 3});
  CHECK(label(run, 1).labels[0] == 0);
  CHECK(label(run, 1).labels[3] == 0);
  run.aggregator = gnmax(1000.0);
  run.rows = pate::RowSelection::list(std::vector<std::int64_t>(200, 2));
  const LabelledQueries labelled = label(run, 2);
  for (const std::int32_t c : {0, 1, 2}) {
    CHECK(std::count(labelled.labels.begin(), labelled.labels.end(), c) > 40);
  }
}

TEST_CASE("votes that are read in pieces are labelled like any") {
  // 70,000 unanimous queries of 3 classes: several pieces of 2^16 values.
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < 70000; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) counts.push_back(i % 3 == j ? 9 : 0);
  }
  const auto votes = votes_of(70000, 3, counts);
  const LabelledQueries labelled = label(run_of(*votes, gnmax(0.5)), 3);
  CHECK(labelled.answered == 70000);
  for (std::size_t i = 0; i < 70000; ++i) {
    REQUIRE(labelled.labels[i] == static_cast<std::int32_t>(i % 3));
  }
}

TEST_CASE("a run stops after its last answer") {
  const auto votes = votes_of(5, 3, kCounts);
  const LabelledQueries labelled =
      label(run_of(*votes, confident(-100.0, 1.0, 1.0)), 4, {0, 2, {}});
  CHECK(labelled.asked == 2);
  CHECK(labelled.answered == 2);
  CHECK(labelled.refused() == 0);
  CHECK(labelled.stopped == StopReason::max_answers);
  CHECK(labelled.labels[2] == -1);
  CHECK(labelled.sources[2] == LabelSource::refused);
  // Refusals do not count, and the last query is no early end.
  const LabelledQueries refused = label(run_of(*votes, confident(100.0, 1.0, 1.0)), 5, {0, 2, {}});
  CHECK(refused.asked == 5);
  CHECK(refused.refused() == 5);
  CHECK(!refused.stopped);
  CHECK(!label(run_of(*votes, gnmax(1.0)), 6, {0, 5, {}}).stopped);
}

TEST_CASE("a run stops before it could cost too much") {
  const auto votes = votes_of(5, 3, kCounts);
  const Run run = run_of(*votes, gnmax(2.0));
  // One answer costs order / sigma^2 = 1 at order 4, and the conversion adds 3.09.
  const LabelledQueries labelled = label(run, 7, {0, {}, 6.5});
  CHECK(labelled.asked == 3);
  CHECK(labelled.stopped == StopReason::max_epsilon);
  CHECK(label(run, 7, {0, {}, 3.0}).asked == 0);
}

TEST_CASE("where the teachers refuse, a confident student's label stands") {
  const auto votes = votes_of(5, 3, kCounts);
  const auto student = scores_of(5, 3, kScores);
  const Run run = run_of(*votes, interactive(100.0, 1.0, 1.0), student.get());
  const LabelledQueries labelled = label(run, 8, {}, 0.5);
  // Above 0.5, not at it: 0.8 for class 2 and 0.9 for class 0.
  CHECK(labelled.labels == std::vector<std::int32_t>{-1, 2, -1, 0, -1});
  CHECK(labelled.sources[1] == LabelSource::student);
  CHECK(labelled.sources[0] == LabelSource::refused);
  CHECK(labelled.student == 2);
  CHECK(labelled.refused() == 3);
  CHECK(labelled.answered == 0);
  // The lowest class on ties.
  CHECK(label(run, 8, {}, 0.4).labels == std::vector<std::int32_t>{0, 2, 0, 0, 1});
  // Answers of the teachers come first, and the noise is the same.
  const Run answered = run_of(*votes, interactive(-100.0, 1.0, 1.0), student.get());
  CHECK(label(answered, 9, {}, 0.4).labels == label(answered, 9).labels);
  CHECK(label(answered, 9, {}, 0.4).student == 0);
}

TEST_CASE("queries that were not asked get no label of the student either") {
  const auto votes = votes_of(5, 3, kCounts);
  const auto student = scores_of(5, 3, kScores);
  const Run run = run_of(*votes, interactive(-100.0, 1.0, 1.0), student.get());
  const LabelledQueries labelled = label(run, 10, {0, 1, {}}, 0.0);
  CHECK(labelled.asked == 1);
  CHECK(std::count(labelled.labels.begin(), labelled.labels.end(), -1) == 4);
}

TEST_CASE("reinforcement needs a student and a score") {
  const auto votes = votes_of(5, 3, kCounts);
  const auto student = scores_of(5, 3, kScores);
  const auto refusal = [&](const Run& run, double above) {
    return pate::test::message_of<pate::parameter_error>([&] { (void)label(run, 1, {}, above); });
  };
  CHECK(refusal(run_of(*votes, gnmax(1.0)), 0.5) ==
        "reinforce-above goes with the interactive aggregator: add a student");
  CHECK(refusal(run_of(*votes, interactive(3.0, 1.0, 1.0), student.get()), 1.5) ==
        "reinforce-above must be in [0, 1], got 1.5");
  CHECK(refusal(run_of(*votes, interactive(3.0, 1.0, 1.0), student.get()), -0.5) ==
        "reinforce-above must be in [0, 1], got -0.5");
  for (const double above : {0.0, 1.0}) {
    CHECK_NOTHROW(
        (void)label(run_of(*votes, interactive(3.0, 1.0, 1.0), student.get()), 1, {}, above));
  }
}

namespace {

constexpr double kDelta = 1e-5;

struct Labelled {
  LabelledQueries queries;
  PrivacyFilter filter;
  Account account;
};

Labelled label(const Run& run, const RunLimits& limits, std::uint64_t seed) {
  PrivacyFilter filter(run.aggregator, run.neighbours, limits, kDelta,
                       filter_order(run.aggregator, run.neighbours, limits, kDelta));
  TestBits bits(seed);
  LabelledQueries queries = label_queries(run, filter, {}, bits, 2);
  Account account = label_account(run, queries, filter, limits, kDelta, 1);
  return {std::move(queries), filter, std::move(account)};
}

const CostEntry& find(const Account& account, Bound bound, GuaranteeKind reading,
                      EpsilonMethod conversion = EpsilonMethod::improved) {
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
  settings.models.erase(Bound::published);
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

TEST_CASE("a run that was not stopped: what analyze says of it") {
  const auto votes = some_votes();
  Run run = run_of(*votes, confident(35.0, 8.0, 6.0));
  const Labelled labelled = label(run, {60, {}, {}}, 1);
  REQUIRE(labelled.queries.answered > 10);
  REQUIRE(labelled.queries.refused() > 10);
  const Account free = analysed(run, {});
  for (const auto conversion : {EpsilonMethod::improved, EpsilonMethod::classic}) {
    CHECK(find(labelled.account, Bound::tradeoff, GuaranteeKind::joint, conversion).epsilon ==
          find(free, Bound::tradeoff, GuaranteeKind::joint, conversion).epsilon);
    CHECK(find(labelled.account, Bound::data_independent, GuaranteeKind::worst_case, conversion)
              .epsilon ==
          find(free, Bound::data_independent, GuaranteeKind::worst_case, conversion).epsilon);
  }
  CHECK(
      find(labelled.account, Bound::data_independent, GuaranteeKind::worst_case, EpsilonMethod::gdp)
          .epsilon ==
      find(free, Bound::data_independent, GuaranteeKind::worst_case, EpsilonMethod::gdp).epsilon);
  run.decisions = decisions_of(labelled.queries);
  const Account fixed = analysed(run, labelled.filter.order());
  const CostEntry& realized = find(labelled.account, Bound::tradeoff, GuaranteeKind::realized);
  CHECK(realized.epsilon == find(fixed, Bound::tradeoff, GuaranteeKind::realized).epsilon);
  CHECK(realized.order == labelled.filter.order());
  CHECK_FALSE(realized.releasable);
  const CostEntry& counted =
      find(labelled.account, Bound::data_independent, GuaranteeKind::realized);
  CHECK(counted.epsilon == labelled.filter.epsilon());
  CHECK(counted.releasable);
  CHECK(counted.epsilon > realized.epsilon);
  CHECK(labelled.account.answered_realized == labelled.queries.answered);
  CHECK(labelled.account.headline == 0);
  CHECK(labelled.account.costs[0].reading == GuaranteeKind::joint);
  for (const CostEntry& cost : labelled.account.costs) {
    double sum = 0.0;
    for (const auto& part : cost.parts) sum += part.second;
    CHECK(sum == doctest::Approx(cost.epsilon).epsilon(1e-12));
  }
}

TEST_CASE("answers belong to their query, not to another of as large a top count") {
  const auto votes = votes_of(3, 3, {30, 20, 0, 30, 15, 5, 30, 10, 10});
  Run run = run_of(*votes, confident(30.0, 5.0, 20.0));
  for (std::size_t answered = 0; answered < 3; ++answered) {
    LabelledQueries queries;
    queries.labels.assign(3, -1);
    queries.sources.assign(3, LabelSource::refused);
    queries.labels[answered] = 0;
    queries.sources[answered] = LabelSource::teacher;
    queries.asked = 3;
    queries.answered = 1;
    const RunLimits limits{3, {}, {}};
    PrivacyFilter filter(run.aggregator, run.neighbours, limits, kDelta, 4.0);
    for (std::size_t i = 0; i < 3; ++i) filter.count(i == answered);
    const Account account = label_account(run, queries, filter, limits, kDelta, 1);
    run.decisions = decisions_of(queries);
    const Account expected = analysed(run, 4.0);
    run.decisions.reset();
    CHECK(find(account, Bound::tradeoff, GuaranteeKind::realized).epsilon ==
          find(expected, Bound::tradeoff, GuaranteeKind::realized).epsilon);
  }
}

TEST_CASE("a run that its limits stopped: fixed of its whole list, of the outcome at its order") {
  const auto votes = some_votes();
  for (const RunLimits& limits : {RunLimits{60, 5, {}}, RunLimits{60, {}, 1.2}}) {
    Run run = run_of(*votes, confident(30.0, 20.0, 20.0));
    const Labelled labelled = label(run, limits, 2);
    REQUIRE(labelled.queries.asked < 60);
    REQUIRE(labelled.queries.asked > 3);
    const Account whole = analysed(run, {});
    const CostEntry& joint = find(labelled.account, Bound::tradeoff, GuaranteeKind::joint);
    CHECK(joint.epsilon == find(whole, Bound::tradeoff, GuaranteeKind::joint).epsilon);
    CHECK(joint.promise == pate::Promise::fixed);
    run.rows = pate::RowSelection::first(labelled.queries.asked);
    run.decisions = decisions_of(labelled.queries);
    run.decisions->resize(60, 0);
    const Account fixed = analysed(run, labelled.filter.order());
    run.decisions.reset();
    const CostEntry& realized = find(labelled.account, Bound::tradeoff, GuaranteeKind::realized);
    CHECK(realized.epsilon == find(fixed, Bound::tradeoff, GuaranteeKind::realized).epsilon);
    CHECK(realized.order == labelled.filter.order());
    CHECK(realized.order_end == pate::OrderEnd::none);
    CHECK(realized.promise == pate::Promise::outcome);
    // Certain before the run: all queries, answered as far as max_answers allows.
    const auto steps = most_steps(run.aggregator, run.neighbours, limits);
    CHECK(steps.threshold_checks.at(20.0) == 60);
    CHECK(steps.maxima.at({pate::GaussianNoisyMax{20.0}}) == limits.max_answers.value_or(60));
    const CostEntry& certain =
        find(labelled.account, Bound::data_independent, GuaranteeKind::worst_case);
    CHECK(certain.epsilon >= labelled.filter.epsilon());
    if (limits.max_epsilon) {
      CHECK(certain.epsilon == *limits.max_epsilon);
      CHECK(certain.order == labelled.filter.order());
      CHECK(certain.parts[0].second + certain.parts[1].second == doctest::Approx(1.2));
      const double term = conversion_term(pate::Conversion::improved, *certain.order, kDelta);
      CHECK(term > 0.01);
      CHECK(certain.parts[0].second == doctest::Approx(1.2 - term));
      const CostEntry& optimal = find(labelled.account, Bound::data_independent,
                                      GuaranteeKind::worst_case, EpsilonMethod::optimal);
      CHECK(optimal.order == labelled.filter.order());
      CHECK(optimal.epsilon <= certain.epsilon);
      CHECK(optimal.epsilon == doctest::Approx(epsilon_from_rdp(
                                   pate::Conversion::optimal, 1.2 - term, *certain.order, kDelta)));
    }
    CHECK(labelled.account.queries == labelled.queries.asked);
    CHECK(labelled.account.notices.front().code.starts_with("stopped_max_"));
  }
}

TEST_CASE("a run with limits has one order of what was asked whether they stopped it or not") {
  const auto votes = some_votes();
  Run run = run_of(*votes, confident(35.0, 8.0, 6.0));
  for (const RunLimits& limits : {RunLimits{60, 59, {}}, RunLimits{60, {}, 50.0}}) {
    const Labelled labelled = label(run, limits, 2);
    REQUIRE(labelled.queries.asked == 60);
    REQUIRE_FALSE(labelled.queries.stopped);
    const CostEntry& joint = find(labelled.account, Bound::tradeoff, GuaranteeKind::joint);
    CHECK(joint.epsilon == find(analysed(run, {}), Bound::tradeoff, GuaranteeKind::joint).epsilon);
    CHECK(find(labelled.account, Bound::tradeoff, GuaranteeKind::realized).order ==
          labelled.filter.order());
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
  CHECK(find(labelled.account, Bound::tradeoff, GuaranteeKind::joint).epsilon ==
        find(analysed(run, {}), Bound::tradeoff, GuaranteeKind::joint).epsilon);
  CHECK(
      find(labelled.account, Bound::tradeoff, GuaranteeKind::realized).epsilon ==
      find(analysed(run, labelled.filter.order()), Bound::tradeoff, GuaranteeKind::joint).epsilon);
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
  CHECK(find(labelled.account, Bound::tradeoff, GuaranteeKind::realized).epsilon ==
        find(analysed(apart, labelled.filter.order()), Bound::tradeoff, GuaranteeKind::realized)
            .epsilon);
}

TEST_CASE("a run that asks nothing spends nothing") {
  const auto votes = some_votes();
  const Labelled labelled = label(run_of(*votes, gnmax(6.0)), {60, {}, 0.0}, 5);
  CHECK(labelled.queries.asked == 0);
  CHECK(labelled.account.costs[0].epsilon == 0.0);
  CHECK(find(labelled.account, Bound::data_independent, GuaranteeKind::realized).epsilon == 0.0);
}

TEST_SUITE_END();
