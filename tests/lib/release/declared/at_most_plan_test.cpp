#include "pate/release/declared/at_most_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "pate/release/declared/declared_run.hpp"
#include "support/curve_votes.hpp"
#include "support/random.hpp"

using namespace pate;

namespace {

VoteProfile random_votes(pate_test::Random& random) {
  VoteProfile votes;
  votes.teachers = random.integer(10, 40);
  votes.classes = random.integer(2, 5);
  votes.aggregator.noisy_max = GaussianNoisyMax{random.log_uniform(4.0, 12.0)};
  if (random.integer(0, 1) == 0) {
    votes.aggregator.selection = ThresholdCheck{.6 * static_cast<double>(votes.teachers), 9.0};
  }
  votes.queries = random.integer(5, 30);
  for (std::int64_t k = 0; k < votes.queries; ++k) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(votes.classes), 0);
    const double share = random.uniform(.4, 1.0);
    counts[0] = static_cast<std::int32_t>(share * static_cast<double>(votes.teachers));
    for (std::int64_t t = counts[0]; t < votes.teachers; ++t) {
      ++counts[static_cast<std::size_t>(random.integer(1, votes.classes - 1))];
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    VoteProfile::Query query;
    query.count = 1;
    query.statistic = votes.aggregator.selection ? counts[0] : 0;
    votes.add(query, counts);
  }
  return votes;
}

}  // namespace

TEST_CASE("at most: what is published is one of two public numbers, and the level is the test's") {
  pate_test::Random random(17);
  int tested = 0;
  for (int n = 0; n < 12; ++n) {
    const VoteProfile votes = random_votes(random);
    const double any =
        epsilon_for_any_votes(votes.aggregator, votes.neighbours, votes.queries, 1e-5);
    AtMostSettings settings;
    settings.delta = 1e-5;
    settings.threads = 1;
    settings.claim = any * random.uniform(.3, .9);
    if (n % 3 == 0) settings.certificate = Certificate::renyi;
    CAPTURE(settings.claim);
    CAPTURE(any);
    try {
      const AtMostPlan plan = at_most_plan(votes, settings);
      ++tested;
      CHECK(plan.claim.failed_claim() > any);
      CHECK(plan.level <= plan.ladder().last());
      for (const bool passed : {true, false}) {
        const PublicRelease told = public_release(votes, plan, passed);
        CHECK(told.epsilon == (passed ? settings.claim : plan.claim.failed_claim()));
        CHECK(told.delta == settings.delta);
        REQUIRE(told.at_most);
        CHECK(told.at_most->passed == passed);
        const bool is_renyi = told.at_most->certificate == Certificate::renyi;
        CHECK(is_renyi == (n % 3 == 0));
        CHECK(told.at_most->complex_orders.has_value() != is_renyi);
        CHECK(told.statement.find("not") != std::string::npos);
      }
      CHECK(plan.mean_published() >= settings.claim);
      CHECK(plan.mean_published() <= plan.claim.failed_claim());
      // Neighbouring levels differ by that at most, in both outcomes of the coin.
      const double telling = plan.telling_epsilon();
      for (std::size_t j = 1; j <= plan.ladder().last(); ++j) {
        const PassLadder& ladder = plan.ladder();
        CHECK(ladder.pass(j - 1) <= std::exp(telling) * ladder.pass(j) * (1.0 + 1e-12));
        CHECK(ladder.fail(j) <= std::exp(telling) * ladder.fail(j - 1) * (1.0 + 1e-12));
      }
      // A later curve about the same votes counts that and nothing else of it.
      CHECK(cost_of_earlier({{0.0, telling, 0.0, false, ReleaseMethod::at_most}}, 3.0) ==
            pure_rdp(telling, 3.0));
    } catch (const validity_error&) {
      continue;  // out of reach, from public numbers
    }
  }
  CHECK(tested > 3);
}

TEST_CASE("at most: as many queries cost an epsilon whatever the votes, and one more does not") {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{20.0};
  aggregator.selection = ThresholdCheck{30.0, 30.0};
  for (const double epsilon : {0.3, 1.0, 4.0}) {
    const std::int64_t most = most_queries_for_any_votes(aggregator, {}, 1000, epsilon, 1e-5);
    REQUIRE(most < 1000);
    if (most > 0) CHECK(epsilon_for_any_votes(aggregator, {}, most, 1e-5) <= epsilon);
    CHECK(epsilon_for_any_votes(aggregator, {}, most + 1, 1e-5) > epsilon);
    CHECK(most_queries_for_any_votes(aggregator, {}, 2, 4.0, 1e-5) == 2);
  }
}

TEST_CASE("at most: refused from public inputs") {
  pate_test::Random random(18);
  const VoteProfile votes = random_votes(random);
  AtMostSettings settings;
  settings.delta = 1e-5;
  settings.threads = 1;
  settings.claim = 99.0;  // needs no test
  CHECK_THROWS_AS((void)at_most_plan(votes, settings), validity_error);
  settings.claim = .05;  // out of reach of Renyi orders
  settings.certificate = Certificate::renyi;
  CHECK_THROWS_AS((void)at_most_plan(votes, settings), validity_error);
  settings.certificate.reset();
  for (const double claim : {0.0, -1.0, std::nan("")}) {
    settings.claim = claim;
    CHECK_THROWS_AS((void)at_most_plan(votes, settings), parameter_error);
  }
  settings.claim = 3.0;
  settings.certificate = Certificate::complex;
  settings.bound = CurveCost::tilted;  // one of Renyi orders
  CHECK_THROWS_AS((void)at_most_plan(votes, settings), parameter_error);
  settings.bound.reset();
  VoteProfile little_noise = votes;
  little_noise.aggregator.noisy_max = GaussianNoisyMax{.1};
  CHECK_THROWS_AS((void)at_most_plan(little_noise, settings), parameter_error);
  settings.certificate.reset();
  settings.cost = ReleasedCost::realized;
  CHECK_THROWS_AS((void)at_most_plan(votes, settings), parameter_error);
}

TEST_CASE("at most: of a few teachers, by the cost that is asked for, in words") {
  const CostSpec question = pate_test::curve_question(8, 2, 0.0);
  const VoteProfile votes = pate_test::favouring_votes(question, 0.9, 6, 5);
  AtMostSettings settings;
  settings.delta = 1e-3;
  settings.threads = 1;
  settings.claim = 2.0;
  // A bound is one of Renyi orders.
  for (const CurveCost bound : {CurveCost::exact, CurveCost::tilted, CurveCost::tradeoff}) {
    settings.bound = bound;
    const AtMostPlan plan = at_most_plan(votes, settings);
    CHECK(plan.cost == bound);
    CHECK_FALSE(plan.uses_chosen_parameters());
    const double pass = plan.pass_probability();
    CHECK(pass == plan.ladder().pass(plan.level));
    CHECK(plan.mean_published() ==
          doctest::Approx(2.0 + (1.0 - pass) * (plan.claim.failed_claim() - 2.0)));
    const PublicRelease told = public_release(votes, plan, true);
    REQUIRE(told.at_most);
    CHECK(told.at_most->certificate == Certificate::renyi);
    CHECK(told.at_most->cost == bound);
    CHECK(told.order == told.at_most->orders.front());
    CHECK(told.statement.find("There is this one delta and no other failure probability.") !=
          std::string::npos);
  }
  const auto said = [&](auto change) {
    AtMostSettings changed = settings;
    changed.bound.reset();
    change(changed);
    try {
      (void)at_most_plan(votes, changed);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(said([](auto&) {}).empty());
  CHECK(said([](auto& its) { its.cost = ReleasedCost::realized; }) ==
        "a claim counts every query: its reading is joint");
  CHECK(said([](auto& its) {
          its.bound = CurveCost::exact;
          its.certificate = Certificate::complex;
        }) == "a cost is one of Renyi orders: a certificate by complex orders has none");
  const double any = epsilon_for_any_votes(votes.aggregator, votes.neighbours, votes.queries, 1e-3);
  const std::string needless = said([&](auto& its) { its.claim = 4.0 * any; });
  CHECK(needless.find("which holds whatever the votes are and is said where the test does not "
                      "pass: it needs no test") != std::string::npos);
  const std::string hopeless = said([](auto& its) {
    its.delta = 1e-12;  // the largest order up to 4 is 12
    its.certificate = Certificate::renyi;
  });
  CHECK(hopeless.find("the claim 2 at delta = 1e-12 is out of reach: even answers that cost "
                      "nothing would pass with probability ") == 0);
}
