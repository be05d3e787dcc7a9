#include "pate/release/declared/declared_outlook.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "pate/release/curve/synthetic_votes.hpp"
#include "support/random.hpp"

using namespace pate;

namespace {

// Of settings for as many queries as are looked at.
void check_outlook(const DeclaredSettings& settings) {
  const Aggregator& aggregator = settings.question.aggregator;
  const DeclaredMechanism mechanism(settings);
  const std::vector<ConsensusOutlook> outlook = declared_outlook(mechanism);
  REQUIRE(outlook.size() == kMinTopShares.size());
  double before = 0.0;
  for (std::size_t i = 0; i < outlook.size(); ++i) {
    // The same votes through the mechanism.
    VoteProfile votes;
    votes.aggregator = aggregator;
    votes.teachers = settings.question.teachers;
    votes.classes = settings.question.classes;
    for (const auto& item :  // clang captures no structured binding
         synthetic_votes(votes.teachers, votes.classes, kMinTopShares[i], kOutlookHistograms)) {
      const SyntheticHistogram& counts = item.first;
      CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == votes.teachers);
      VoteProfile::Query query;
      query.count = item.second;
      query.statistic = aggregator.selection ? counts.front() : 0;
      votes.add(query, counts);
      votes.queries += item.second;
    }
    const BudgetTest& test = mechanism.test();
    const double passes =
        test.ladder().pass(test.level(mechanism.costs(votes, CurveTableSource{})));
    double last = 1.0;
    for (const QueriesOutlook& row : outlook[i].by_queries) {
      CHECK(row.pass_probability <= last);
      last = row.pass_probability;
      if (row.queries == settings.queries) CHECK(row.pass_probability == passes);
      for (const auto& most : outlook[i].most_queries) {
        const bool is_within = most.second && *most.second >= row.queries;
        CHECK((row.pass_probability >= most.first) == is_within);
      }
    }
    CHECK(outlook[i].answered > 0.0);
    CHECK(outlook[i].answered <= 1.0);
    // Votes in more agreement pass more often.
    CHECK(passes >= before);
    before = passes;
  }
}

}  // namespace

TEST_CASE("declared outlook: as the test itself has it, rarer with more queries") {
  pate_test::Random random(23);
  for (int n = 0; n < 4; ++n) {
    DeclaredSettings settings;
    settings.question.teachers = random.integer(30, 60);
    settings.question.classes = random.integer(2, 4);
    Aggregator& aggregator = settings.question.aggregator;
    aggregator.noisy_max = GaussianNoisyMax{random.log_uniform(8.0, 15.0)};
    if (n % 2 == 0) aggregator.selection = ThresholdCheck{25.0, 12.0};
    settings.question.cost =
        default_cost(aggregator, {}, settings.question.teachers, settings.question.classes);
    settings.budget = {random.uniform(2.5, 5.0), 1e-5, false};
    settings.queries = kOutlookHistograms;
    settings.threads = 1;
    if (n == 3) settings.certificate = Certificate::renyi;
    check_outlook(settings);
  }
}

TEST_CASE("declared outlook: of a few teachers, by either certificate") {
  for (const Certificate certificate : {Certificate::renyi, Certificate::complex}) {
    DeclaredSettings settings;
    settings.question = joint_question(Aggregator{{}, GaussianNoisyMax{5.0}}, {}, 10, 2);
    settings.budget = {6.0, 1e-2, false};
    settings.queries = kOutlookHistograms;
    settings.threads = 1;
    settings.certificate = certificate;
    check_outlook(settings);
    DeclaredSettings with_threshold = settings;
    with_threshold.question.aggregator.selection = ThresholdCheck{8.0, 5.0};
    check_outlook(with_threshold);
    // A quarter of one query is none.
    settings.queries = 1;
    for (const ConsensusOutlook& outlook : declared_outlook(DeclaredMechanism(settings))) {
      REQUIRE(outlook.by_queries.size() == 2);
      CHECK(outlook.by_queries[0].queries == 1);
      CHECK(outlook.by_queries[1].queries == 2);
      CHECK(outlook.answered == 1.0);  // without a threshold
      CHECK(outlook.by_queries[1].labels == 2.0);
    }
  }
}
