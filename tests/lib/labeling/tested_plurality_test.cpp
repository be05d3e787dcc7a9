#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/account_record.hpp"
#include "pate/labeling/label_account.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "support/accuracy.hpp"
#include "support/chi_square.hpp"
#include "support/labeling.hpp"
#include "support/stability_tests.hpp"
#include "support/test_bits.hpp"
#include "support/votes.hpp"

namespace {

using pate::Account;
using pate::Bound;
using pate::CostEntry;
using pate::EpsilonMethod;
using pate::Mechanism;
using pate::StabilityTest;
using pate::TestNoise;
using pate_test::covers;
using pate_test::Histogram;
using pate_test::HistogramVotes;

std::size_t plurality_of(const Histogram& counts) {
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

std::vector<Histogram> moved(const Histogram& counts) {
  std::vector<Histogram> result{counts};
  for (std::size_t from = 0; from < counts.size(); ++from) {
    for (std::size_t to = 0; to < counts.size(); ++to) {
      if (from == to || counts[from] == 0) continue;
      Histogram& other = result.emplace_back(counts);
      --other[from];
      ++other[to];
    }
  }
  return result;
}

// Probabilities of the classes, and of refusal.
std::vector<double> outcomes(const StabilityTest& test, const Histogram& counts) {
  std::vector<double> p(counts.size() + 1, 0.0);
  const std::int64_t q = pate::stability(counts);
  p[plurality_of(counts)] = std::exp(pate::log_answered(test, q));
  p.back() = std::exp(pate::log_refused(test, q));
  return p;
}

pate::AccountSettings at_delta(double delta) {
  pate::AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  return settings;
}

Account account_of(const std::vector<Histogram>& queries, const Mechanism& aggregator,
                   const pate::AccountSettings& settings) {
  const HistogramVotes votes(queries);
  return pate::account(pate::test::run_of(votes, aggregator), settings);
}

const CostEntry& entry(const std::vector<CostEntry>& costs, Bound bound, EpsilonMethod by) {
  return *std::ranges::find_if(
      costs, [&](const CostEntry& cost) { return cost.bound == bound && cost.conversion == by; });
}

// Pr[o] - e^epsilon Pr'[o], where positive, over the outcomes of all queries in a row.
double excess(const std::vector<std::vector<double>>& own,
              const std::vector<std::vector<double>>& other, std::size_t from, double p, double q,
              double factor) {
  if (from == own.size()) return std::max(p - factor * q, 0.0);
  double sum = 0.0;
  for (std::size_t o = 0; o < own[from].size(); ++o) {
    sum += excess(own, other, from + 1, p * own[from][o], q * other[from][o], factor);
  }
  return sum;
}

}  // namespace

TEST_SUITE("ptr") {
  TEST_CASE("costs of a run: composition at what the deltas of the queries leave") {
    const std::vector<Histogram> queries(40, Histogram{8, 1, 1});
    const auto gaussian = pate::test::stability_test(TestNoise::gaussian, 5.0, 1e-8);
    const Account of_gaussian = account_of(queries, gaussian, at_delta(1e-6));
    CHECK(covers(of_gaussian.query_delta, 40e-8));
    const CostEntry& gdp = entry(of_gaussian.costs, Bound::data_independent, EpsilonMethod::gdp);
    CHECK(gdp.delta == 1e-6);
    const double mu = std::sqrt(40.0) / 5.0;
    CHECK(gdp.epsilon >= pate::gaussian_dp_epsilon(mu, 60e-8));
    CHECK(gdp.epsilon <= pate::gaussian_dp_epsilon(mu, 60e-8) * (1 + 1e-9));
    const CostEntry& rdp =
        entry(of_gaussian.costs, Bound::data_independent, EpsilonMethod::improved);
    const double order = *rdp.order;
    CHECK(covers(rdp.epsilon, 40 * order / 50 + std::log1p(-1 / order) -
                                  (std::log(60e-8) + std::log(order)) / (order - 1)));

    const auto laplace = pate::test::stability_test(TestNoise::laplace, 0.25, 1e-8);
    const Account of_laplace = account_of(queries, laplace, at_delta(1e-6));
    const CostEntry& pure = entry(of_laplace.costs, Bound::data_independent, EpsilonMethod::pure);
    CHECK(covers(pure.epsilon, 10.0));
    CHECK(covers(pure.delta, 40e-8));
    const CostEntry& kov = entry(of_laplace.costs, Bound::data_independent, EpsilonMethod::kov);
    CHECK(kov.delta == 1e-6);
    CHECK(covers(kov.epsilon, pate::composed_pure_dp_epsilon(0.25, 40, 60e-8) * (1 - 1e-12)));
    for (const Account* account : {&of_gaussian, &of_laplace}) {
      const CostEntry& headline = account->costs[account->headline];
      CHECK(headline.bound == Bound::tradeoff);
      CHECK(headline.delta == 1e-6);
      CHECK(headline.epsilon <=
            entry(account->costs, Bound::data_independent, EpsilonMethod::improved).epsilon);
      CHECK(pate::guarantee_of(*account).holds);
      CHECK(account->trajectory.back().epsilon == headline.epsilon);
      CHECK(account->trajectory.back().answered == doctest::Approx(account->answered_expected));
    }
  }

  TEST_CASE("the Laplace test costs half of a noisy maximum, as published") {
    for (const double epsilon : {1e-6, 0.1, 1.0, 30.0, 900.0}) {
      for (const double order : {1.01, 2.0, 16.0, 1000.0}) {
        const double cost = pate::laplace_check_cost(1.0 / epsilon, order);
        CHECK(cost <= epsilon * (1 + 1e-9));
        if (epsilon > 30.0) continue;
        const long double a = order;
        const long double e = epsilon;
        const long double moment =
            a / (2 * a - 1) * std::expm1((a - 1) * e) + (a - 1) / (2 * a - 1) * std::expm1(-a * e);
        if ((a - 1) * e < 1e-3L || (a - 1) * e > 1000) continue;
        CHECK(covers(cost, static_cast<double>(std::log1p(moment) / (a - 1)) * (1 - 1e-12)));
      }
    }
  }

  TEST_CASE("deltas of queries must leave something") {
    const std::vector<Histogram> queries(40, Histogram{8, 1, 1});
    const auto aggregator = pate::test::stability_test(TestNoise::gaussian, 5.0, 1e-8);
    CHECK_THROWS_AS((void)account_of(queries, aggregator, at_delta(40e-8)), pate::parameter_error);
    CHECK_THROWS_AS((void)account_of(queries, aggregator, at_delta(1e-9)), pate::parameter_error);
    pate::AccountSettings more = at_delta(1e-6);
    more.query_delta = 2e-6;
    CHECK_THROWS_AS((void)account_of(queries, aggregator, more), pate::parameter_error);
  }

  TEST_CASE("a threshold that is too low is no stability test") {
    const auto test = StabilityTest::with_gaussian(5.0, 1e-8);
    CHECK_THROWS_AS(StabilityTest(test.noise(), test.threshold() * (1 - 1e-9), 5.0, 1e-8),
                    pate::parameter_error);
    CHECK_NOTHROW(StabilityTest(test.noise(), test.threshold() * (1 + 1e-9), 5.0, 1e-8));
  }

  TEST_CASE("the joint cost of a query is at least its divergence from every neighbour") {
    for (const auto noise : {TestNoise::gaussian, TestNoise::laplace}) {
      const auto aggregator =
          pate::test::stability_test(noise, noise == TestNoise::gaussian ? 1.5 : 0.6, 0.01);
      pate::AccountSettings settings = at_delta(0.02);
      settings.orders = std::vector<double>{1.5, 2.0, 8.0, 40.0};
      for (const Histogram& counts : pate_test::all_histograms(6, 3)) {
        const Account account = account_of({counts}, aggregator, settings);
        for (std::size_t j = 0; j < account.orders.size(); ++j) {
          const double order = account.orders[j];
          double largest = 0.0;
          for (const Histogram& other : moved(counts)) {
            // Of another plurality nothing but refusal is left when the deltas are taken away.
            if (plurality_of(other) != plurality_of(counts)) continue;
            const auto p = outcomes(aggregator, counts);
            const auto q = outcomes(aggregator, other);
            for (const auto& [a, b] : {std::pair(p, q), std::pair(q, p)}) {
              double moment = 0.0;
              for (std::size_t o = 0; o < a.size(); ++o) {
                if (a[o] > 0.0) moment += std::pow(a[o], order) * std::pow(b[o], 1 - order);
              }
              largest = std::max(largest, std::log(moment) / (order - 1));
            }
          }
          const double joint = account.tradeoff->joint[j];
          REQUIRE(joint >= largest * (1 - 1e-9) - 1e-13);
          REQUIRE(joint <= pate::data_independent_cost(aggregator, {}, order).total());
        }
      }
    }
  }

  TEST_CASE("(epsilon, delta) of two queries over all neighbours of four teachers") {
    for (const auto noise : {TestNoise::gaussian, TestNoise::laplace}) {
      const auto aggregator =
          pate::test::stability_test(noise, noise == TestNoise::gaussian ? 1.5 : 0.8, 0.02);
      const double delta = 0.06;
      const auto all = pate_test::all_histograms(4, 3);
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t k = i; k < all.size(); ++k) {
          pate::AccountSettings settings = at_delta(delta);
          settings.models.insert(Bound::exact);
          settings.profile_deltas = std::vector{delta};
          settings.profile_step = 0x1p-9;
          const Account account = account_of({all[i], all[k]}, aggregator, settings);
          const std::vector<std::vector<double>> own{outcomes(aggregator, all[i]),
                                                     outcomes(aggregator, all[k])};
          for (const CostEntry& cost : account.costs) {
            double at_lower = 0.0;  // of the neighbour that is the worst just below the lower end
            const double below = std::exp(cost.lower.value_or(0.0) * 0.999);
            for (const Histogram& first : moved(all[i])) {
              for (const Histogram& second : moved(all[k])) {
                const std::vector<std::vector<double>> other{outcomes(aggregator, first),
                                                             outcomes(aggregator, second)};
                const double factor = std::exp(cost.epsilon);
                const double lost = std::max(excess(own, other, 0, 1, 1, factor),
                                             excess(other, own, 0, 1, 1, factor));
                REQUIRE(lost <= cost.delta * (1 + 1e-12));
                least = std::min(least, cost.delta - lost);
                at_lower = std::max({at_lower, excess(own, other, 0, 1, 1, below),
                                     excess(other, own, 0, 1, 1, below)});
              }
            }
            if (cost.lower && *cost.lower > 0.0) REQUIRE(at_lower >= cost.delta * (1 - 1e-9));
          }
        }
      }
      CHECK(least < 2e-3);  // the profile is tight somewhere
    }
  }

  TEST_CASE("labels: the plurality or none, as often as the formula says") {
    const std::vector<Histogram> queries{{8, 1, 1}, {5, 4, 1}, {1, 0, 9}, {5, 5, 0}, {3, 6, 1}};
    const HistogramVotes votes(queries);
    for (const auto noise : {TestNoise::gaussian, TestNoise::laplace}) {
      const auto aggregator =
          pate::test::stability_test(noise, noise == TestNoise::gaussian ? 2.0 : 0.7, 0.05);
      const pate::Run run = pate::test::run_of(votes, aggregator);
      pate::test::TestBits bits(7);
      constexpr int kRuns = 4000;
      std::vector<std::int64_t> answered(queries.size());
      for (int r = 0; r < kRuns; ++r) {
        pate::PrivacyFilter filter(aggregator, {}, {5, {}, {}}, 0.5, 4.0);
        const auto labelled = pate::label_queries(run, filter, {}, bits, 2);
        for (std::size_t i = 0; i < queries.size(); ++i) {
          if (labelled.labels[i] == -1) continue;
          REQUIRE(static_cast<std::size_t>(labelled.labels[i]) == plurality_of(queries[i]));
          ++answered[i];
        }
      }
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const double p = std::exp(pate::log_answered(aggregator, pate::stability(queries[i])));
        const double sd = std::sqrt(kRuns * p * (1 - p));
        CHECK(std::abs(static_cast<double>(answered[i]) - kRuns * p) < 5 * sd + 1);
      }
    }
  }

  TEST_CASE("a run with limits: the deltas of all queries are spent, however many are asked") {
    const std::vector<Histogram> queries(30, Histogram{40, 1, 1});
    const HistogramVotes votes(queries);
    const auto aggregator = pate::test::stability_test(TestNoise::gaussian, 3.0, 1e-6);
    const pate::Run run = pate::test::run_of(votes, aggregator);
    const pate::RunLimits limits{30, 4, 20.0};
    pate::PrivacyFilter filter(aggregator, {}, limits, 1e-4, 8.0);
    pate::test::TestBits bits(3);
    const auto labelled = pate::label_queries(run, filter, {}, bits, 2);
    CHECK(labelled.answered == 4);
    CHECK(labelled.asked < 30);
    const Account account = pate::label_account(run, labelled, filter, limits, 1e-4, 1);
    CHECK(covers(account.query_delta, 30e-6));
    CHECK(covers(account.steps.delta(), 30e-6));
    for (const CostEntry& cost : account.costs) CHECK(cost.delta <= 1e-4);
    CHECK_THROWS_AS((pate::PrivacyFilter(aggregator, {}, limits, 30e-6, 8.0)),
                    pate::parameter_error);
    CHECK_THROWS_AS((void)pate::filter_order(aggregator, {}, limits, 2e-5), pate::parameter_error);
  }

  TEST_CASE("accuracy: of the plurality, where it is told") {
    const HistogramVotes votes({{8, 1, 1}, {5, 4, 1}, {5, 5, 0}});
    const auto aggregator = pate::test::stability_test(TestNoise::gaussian, 2.0, 0.01);
    pate::Run run = pate::test::run_of(votes, aggregator);
    run.labels = std::vector<std::int32_t>{0, 1, 0};
    const Account account = pate::account(run, at_delta(0.1));
    REQUIRE(account.utility);
    const auto p = [&](std::int64_t q) { return std::exp(pate::log_answered(aggregator, q)); };
    CHECK(account.answered_expected == doctest::Approx(p(3) + 2 * p(0)));
    CHECK(account.trajectory.back().answered == doctest::Approx(p(3) + 2 * p(0)));
    CHECK(account.utility->expected_accuracy == doctest::Approx((p(3) + p(0)) / (p(3) + 2 * p(0))));
    CHECK(account.utility->plurality_accuracy == doctest::Approx(2.0 / 3.0));
  }

  TEST_CASE("plans: noise for a target, and how many queries deltas allow") {
    pate::PlannedRun run;
    run.queries = 1000;
    run.ptr_sigma = 20.0;
    run.ptr_delta = 1e-9;
    const pate::Plan plan = pate::plan(run, {1e-5, {}, {}});
    CHECK(plan.costs[plan.headline].delta == 1e-5);
    CHECK(covers(plan.costs[plan.headline].epsilon,
                 pate::gaussian_dp_epsilon(std::sqrt(1000.0) / 20.0, 9e-6) * (1 - 1e-12)));
    const pate::Plan solved = pate::solve(run, {1e-5, {}, {}}, pate::PlanParameter::ptr_sigma, 2.0);
    CHECK(solved.costs[solved.headline].epsilon <= 2.0);
    CHECK(solved.costs[solved.headline].epsilon > 1.99);
    run.ptr_sigma = 1e6;  // nothing but the deltas is in the way
    const pate::Plan most = pate::solve(run, {1e-5, {}, {}}, pate::PlanParameter::queries, 2.0);
    CHECK(most.run.queries >= 9990);
    CHECK(most.run.queries < 10000);
    run.queries = 10001;
    CHECK_THROWS_AS((void)pate::plan(run, {1e-5, {}, {}}), pate::parameter_error);
    run.sigma2 = 4.0;
    CHECK_THROWS_AS(pate::validate(run), pate::parameter_error);
  }

  TEST_CASE("sums with other mechanisms keep the deltas apart") {
    pate::Event gnmax;
    gnmax.open.mechanism = "gnmax";
    gnmax.open.delta = 1e-5;
    gnmax.open.queries = 10;
    gnmax.open.steps.emplace().maxima[{pate::GaussianNoisyMax{20.0}}] = 10;
    pate::Event ptr = gnmax;
    ptr.open.mechanism = "ptr";
    const auto aggregator = pate::test::stability_test(TestNoise::gaussian, 10.0, 1e-8);
    ptr.open.queries = 100;
    ptr.open.steps = pate::steps_of(aggregator, {}, 100, 100);
    const pate::Record record{gnmax, ptr};
    const auto sum = pate::account_record(record, {});
    CHECK(sum.costs[sum.headline].delta == 1e-5);
    CHECK(covers(sum.query_delta, 1e-6));
    const double mu = std::sqrt(10 * 2 / 400.0 + 100 / 100.0);
    CHECK(covers(entry(sum.costs, Bound::data_independent, EpsilonMethod::gdp).epsilon,
                 pate::gaussian_dp_epsilon(mu, 9e-6) * (1 - 1e-12)));
    pate::RecordSettings too_small;
    too_small.delta = 1e-6;
    CHECK_THROWS_AS((void)pate::account_record(record, too_small), pate::input_error);
  }
}
