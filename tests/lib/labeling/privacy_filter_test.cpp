#include "pate/labeling/privacy_filter.hpp"
#include "pate/divergence/bounds/query_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/votes/selection_statistic.hpp"
#include "support/accuracy.hpp"
#include "support/labeling.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using pate::Aggregator;
using pate::Conversion;
using pate::filter_order;
using pate::PrivacyFilter;
using pate::RunLimits;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::lnmax;
using pate::test::message_of;

namespace {

constexpr double kDelta = 1e-5;

// How many queries a filter allows when all are answered.
std::int64_t allowed(const Aggregator& aggregator, const RunLimits& limits, double order) {
  PrivacyFilter filter(aggregator, {}, limits, kDelta, order);
  while (filter.asked() < limits.queries && filter.can_afford_next() && !filter.enough_answers()) {
    filter.count(true);
  }
  return filter.asked();
}

// exp((order - 1) D) of the outcomes of a whole filtered run on `votes` from those on `neighbour`,
// by going through all that can be answered.
double moment(const Aggregator& aggregator, const RunLimits& limits, double order,
              const std::vector<std::vector<std::int32_t>>& votes,
              const std::vector<std::vector<std::int32_t>>& neighbour) {
  const pate::NoisyMax& noisy_max = aggregator.noisy_max;
  const std::function<double(PrivacyFilter)> rest = [&](PrivacyFilter filter) -> double {
    const auto i = static_cast<std::size_t>(filter.asked());
    if (i == votes.size() || filter.enough_answers() || !filter.can_afford_next()) return 1.0;
    const auto term = [&](double p, double p_neighbour) {
      return std::pow(p, order) * std::pow(p_neighbour, 1.0 - order);
    };
    const auto v = pate::top_count(votes[i]);
    const auto v_neighbour = pate::top_count(neighbour[i]);
    PrivacyFilter refused = filter;
    refused.count(false);
    PrivacyFilter answered = filter;
    answered.count(true);
    double classes = 0.0;
    for (std::size_t j = 0; j < votes[i].size(); ++j) {
      classes += term(outcome_probability(noisy_max, votes[i], j),
                      outcome_probability(noisy_max, neighbour[i], j));
    }
    return term(std::exp(log_refused(*aggregator.selection, v)),
                std::exp(log_refused(*aggregator.selection, v_neighbour))) *
               rest(refused) +
           term(std::exp(log_answered(*aggregator.selection, v)),
                std::exp(log_answered(*aggregator.selection, v_neighbour))) *
               classes * rest(answered);
  };
  return rest(PrivacyFilter(aggregator, {}, limits, kDelta, order));
}

}  // namespace

TEST_SUITE_BEGIN("labeling");

TEST_CASE("what is counted: a check for every query, a maximum for every answer") {
  const Aggregator aggregator = confident(60.0, 15.0, 20.0);
  PrivacyFilter filter(aggregator, {}, {100, {}, {}}, kDelta, 8.0);
  CHECK(filter.epsilon() == 0.0);
  for (int i = 0; i < 10; ++i) filter.count(i < 3);
  CHECK(filter.asked() == 10);
  CHECK(filter.answered() == 3);
  CHECK(filter.rdp().selection == doctest::Approx(10 * 8.0 / (2 * 225.0)).epsilon(1e-9));
  CHECK(filter.rdp().noisy_max == doctest::Approx(3 * 8.0 / 400.0).epsilon(1e-9));
  const double exact = 10 * 8.0 / 450.0 + 3 * 8.0 / 400.0 + std::log(7.0 / 8.0) -
                       (std::log(kDelta) + std::log(8.0)) / 7.0;
  CHECK(pate_test::covers(filter.epsilon(), exact));
}

TEST_CASE("no answers, whatever they are, cost more than the limit; one more could") {
  pate_test::Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Aggregator aggregator = i % 3 == 0 ? lnmax(random.log_uniform(1.0, 100.0))
                                             : confident(60.0, random.log_uniform(5.0, 200.0),
                                                         random.log_uniform(5.0, 200.0));
    const RunLimits limits{100000, {}, random.log_uniform(0.1, 20.0)};
    const double order =
        i % 2 == 0 ? filter_order(aggregator, {}, limits, kDelta) : random.log_uniform(1.5, 60.0);
    PrivacyFilter filter(aggregator, {}, limits, kDelta, order);
    while (filter.can_afford_next() && filter.asked() < 3000) {
      filter.count(!aggregator.selection || random.uniform(0.0, 1.0) < 0.5);
    }
    CHECK(filter.epsilon() <= *limits.max_epsilon);
    if (filter.asked() == 3000) continue;
    filter.count(true);
    CHECK(filter.epsilon() > *limits.max_epsilon);
  }
}

TEST_CASE("no other order allows more answers") {
  for (const Aggregator& aggregator : {gnmax(40.0), lnmax(20.0), confident(60.0, 30.0, 15.0)}) {
    for (const double epsilon : {0.5, 1.0, 3.0, 8.0}) {
      const RunLimits limits{1000000, {}, epsilon};
      const std::int64_t best =
          allowed(aggregator, limits, filter_order(aggregator, {}, limits, kDelta));
      for (const double order : pate::default_orders()) {
        CHECK(allowed(aggregator, limits, order) <= best);
      }
    }
  }
}

TEST_CASE("where everything fits, the order is the best for everything") {
  const RunLimits limits{1000, {}, {}};
  const double order = filter_order(gnmax(40.0), {}, limits, kDelta);
  PrivacyFilter filter(gnmax(40.0), {}, limits, kDelta, order);
  for (int i = 0; i < 1000; ++i) filter.count(true);
  // The improved conversion of 1000 answers at sigma 40 at its best order.
  CHECK(filter.epsilon() == doctest::Approx(5.37767240).epsilon(1e-7));
  CHECK(filter_order(gnmax(40.0), {}, {1000, {}, 6.0}, kDelta) == order);
  CHECK(filter_order(gnmax(40.0), {}, {1000, {}, 5.0}, kDelta) != order);
  CHECK(filter_order(gnmax(40.0), {}, {5000, 1000, {}}, kDelta) == order);
  // Without any query the order is that of one; two have a smaller one.
  CHECK(filter_order(gnmax(40.0), {}, {0, {}, {}}, kDelta) ==
        filter_order(gnmax(40.0), {}, {1, {}, {}}, kDelta));
  CHECK(filter_order(gnmax(40.0), {}, {2, {}, {}}, kDelta) <
        filter_order(gnmax(40.0), {}, {1, {}, {}}, kDelta));
}

TEST_CASE("a limit below what any query costs allows none") {
  for (const double epsilon : {0.0, 1e-9}) {
    const RunLimits limits{100, {}, epsilon};
    const double order = filter_order(gnmax(1.0), {}, limits, kDelta);
    CHECK_FALSE(PrivacyFilter(gnmax(1.0), {}, limits, kDelta, order).can_afford_next());
  }
}

TEST_CASE("enough answers are enough") {
  PrivacyFilter filter(confident(60.0, 15.0, 20.0), {}, {100, 2, {}}, kDelta, 8.0);
  for (const bool answered : {true, false}) {
    CHECK_FALSE(filter.enough_answers());
    filter.count(answered);
  }
  filter.count(true);
  CHECK(filter.enough_answers());
  CHECK(filter.can_afford_next());
}

// The guarantee itself, for small ensembles: the divergence of everything a run gives, the moment
// it stops included, never exceeds what max_epsilon leaves after the conversion.
TEST_CASE("a filtered run as a whole keeps its limit") {
  pate_test::Random random(7);
  double closest = 0.0;
  for (int i = 0; i < 40; ++i) {
    const Aggregator aggregator = confident(random.uniform(2.0, 6.0), random.log_uniform(0.6, 4.0),
                                            random.log_uniform(0.6, 4.0));
    const double order = random.uniform(1.5, 5.0);
    const double one = data_independent_cost(aggregator, {}, order).total();
    const double term = pate::conversion_term(Conversion::improved, order, kDelta);
    const RunLimits limits{6, {}, std::max(0.0, one * random.uniform(1.0, 4.0) + term)};
    std::vector<std::vector<std::int32_t>> votes;
    std::vector<std::vector<std::int32_t>> neighbour;
    for (int query = 0; query < 6; ++query) {
      const auto n = static_cast<std::int32_t>(random.integer(1, 6));
      votes.push_back({n, 6 - n});
      neighbour.push_back({n - 1, 7 - n});
    }
    const double most = *limits.max_epsilon - term;
    for (const double divergence :
         {std::log(moment(aggregator, limits, order, votes, neighbour)) / (order - 1.0),
          std::log(moment(aggregator, limits, order, neighbour, votes)) / (order - 1.0)}) {
      CHECK(divergence <= most);
      closest = std::max(closest, divergence / most);
    }
  }
  CHECK(closest > 0.3);  // the bound is not empty
}

TEST_CASE("parameters out of range are refused") {
  const auto refusal = [](const RunLimits& limits) {
    return message_of<pate::parameter_error>(
        [&] { (void)filter_order(gnmax(1.0), {}, limits, kDelta); });
  };
  CHECK(refusal({1, 0, {}}) == "max-answers must be >= 1, got 0");
  CHECK(refusal({1, {}, -1.0}) == "max-epsilon must be >= 0 and finite, got -1");
  CHECK(refusal({1, {}, pate_test::kNaN}) == "max-epsilon must be >= 0 and finite, got nan");
  CHECK(refusal({1, {}, pate_test::kInfinity}) == "max-epsilon must be >= 0 and finite, got inf");
  CHECK_THROWS_AS(PrivacyFilter(gnmax(1.0), {}, {1, {}, {}}, kDelta, 1.0), pate::parameter_error);
  CHECK_THROWS_AS(PrivacyFilter(gnmax(1.0), {}, {1, {}, {}}, 0.0, 2.0), pate::parameter_error);
}

TEST_CASE("PTR's sparse form: refusals end the run, and rounds are what it pays for") {
  const auto test = pate::StabilityTest::sparse(0.25, 1e-9, 3);
  const RunLimits limits{20, {}, {}};
  PrivacyFilter filter(test, {}, limits, kDelta, 8.0);
  CHECK(filter.epsilon() == 0.0);
  // Rounds: one that a refusal ends, one of two answers that a refusal ends, and one more.
  double pure = 0.0;
  for (const auto& [answered, rounds] :
       {std::pair(false, 1), {true, 2}, {true, 2}, {false, 2}, {true, 3}}) {
    CHECK_FALSE(filter.enough_refusals());
    filter.count(answered);
    pure = rounds * 0.25;
    CHECK(filter.epsilon() >= pure);
    CHECK(filter.epsilon() <= pure * (1.0 + 1e-9));
  }
  CHECK(filter.answered() == 3);
  CHECK_FALSE(filter.enough_refusals());
  filter.count(false);
  CHECK(filter.enough_refusals());
  // Answers go on with their round: another costs nothing, and the first of a round what it costs.
  const RunLimits two_rounds{20, {}, 2 * 0.25 * (1.0 + 1e-9)};
  PrivacyFilter limited(test, {}, two_rounds, kDelta, 8.0);
  limited.count(false);
  limited.count(true);
  CHECK(limited.can_afford_next());
  limited.count(false);
  CHECK_FALSE(limited.can_afford_next());
}

TEST_SUITE_END();
