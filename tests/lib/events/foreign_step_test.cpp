#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/json.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/event_costs.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/reports/record_json.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

using Real50 = boost::multiprecision::cpp_bin_float_50;

constexpr double kDelta = 1e-5;

// Increasing orders, and RDP that does not have to rise.
ForeignStep random_curve(Random& random) {
  ForeignStep step;
  double order = 1.0;
  for (std::int64_t k = random.integer(1, 12); k > 0; --k) {
    order += random.log_uniform(0.01, 20.0);
    step.orders.push_back(order);
    step.rdp.push_back(random.integer(0, 9) == 0 ? 0.0 : random.log_uniform(1e-6, 10.0));
  }
  return step;
}

ForeignStep random_foreign(Random& random) {
  ForeignStep step = random.integer(0, 1) == 0 ? random_curve(random) : ForeignStep{};
  if (random.integer(0, 1) == 0) step.mu = random.log_uniform(0.01, 3.0);
  if (random.integer(0, 1) == 0) step.rho = random.log_uniform(1e-4, 1.0);
  if (random.integer(0, 3) == 0 || (step.mu == 0.0 && step.rho == 0.0 && step.orders.empty())) {
    step.xi = random.log_uniform(1e-4, 1.0);
  }
  step.count = random.integer(1, 4);
  return step;
}

// What the orders that are told prove, from the inequalities alone.
Real50 told_rdp(const ForeignStep& step, double order) {
  const auto least_from = [&](std::size_t first) {
    return Real50(
        *std::min_element(step.rdp.begin() + static_cast<std::ptrdiff_t>(first), step.rdp.end()));
  };
  for (std::size_t k = 0; k < step.orders.size(); ++k) {
    if (order > step.orders[k]) continue;
    if (k == 0 || order == step.orders[k]) return least_from(k);
    const Real50 below = step.orders[k - 1];
    const Real50 above = step.orders[k];
    const Real50 at = order;
    const Real50 moment = ((above - at) * (below - 1) * least_from(k - 1) +
                           (at - below) * (above - 1) * least_from(k)) /
                          (above - below);
    return moment / (at - 1);
  }
  return std::numeric_limits<Real50>::infinity();
}

Real50 reference_rdp(const ForeignStep& step, double order) {
  Real50 once = Real50(step.xi) + (Real50(step.rho) + Real50(step.mu) * step.mu / 2) * order;
  if (!step.orders.empty()) once += told_rdp(step, order);
  return once * step.count;
}

// delta of Gaussian DP (Dong, Roth, Su 2022, Corollary 2.13).
Real50 gaussian_delta(const Real50& mu, const Real50& epsilon) {
  const auto phi = [](const Real50& x) {
    return boost::math::erfc(Real50(-x / sqrt(Real50(2)))) / 2;
  };
  return phi(mu / 2 - epsilon / mu) - exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

Event plan_with(double sigma2, std::int64_t queries) {
  PlannedRun run;
  run.queries = queries;
  run.sigma2 = sigma2;
  PlanSettings settings;
  settings.delta = kDelta;
  return planned_run(plan(run, settings));
}

const CostEntry& entry_of(const RecordAccount& account, EpsilonMethod conversion) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == Bound::data_independent && cost.conversion == conversion) return cost;
  }
  FAIL("no such cost");
  return account.costs.front();
}

}  // namespace

TEST_SUITE("foreign steps") {
  TEST_CASE("RDP is what the formulas say at fifty digits, and no less") {
    Random random(43);
    int finite = 0;
    for (int round = 0; round < 3000; ++round) {
      const ForeignStep step = random_foreign(random);
      double order = 1.0 + random.log_uniform(1e-3, 300.0);
      if (!step.orders.empty() && random.integer(0, 2) == 0) {
        order = step.orders[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(step.orders.size()) - 1))];
      }
      const Real50 expected = reference_rdp(step, order);
      const double found = foreign_rdp(step, order);
      CAPTURE(order);
      CAPTURE(step.orders);
      CAPTURE(step.rdp);
      if (isinf(expected)) {
        CHECK(std::isinf(found));
        continue;
      }
      ++finite;
      CHECK(Real50(found) >= expected);
      CHECK(Real50(found) <= expected * (1 + Real50(1e-11)) + Real50(1e-299));
    }
    CHECK(finite > 2000);
  }

  TEST_CASE("between the orders of a true curve nothing is under-reported") {
    Random random(44);
    for (int round = 0; round < 500; ++round) {
      // Gaussian and randomized response, one after the other.
      const double rho = random.log_uniform(1e-3, 1.0);
      const double epsilon = random.log_uniform(0.01, 4.0);
      const auto truth = [&](double order) {
        const double p = 1.0 / (1.0 + std::exp(-epsilon));
        const double moment = std::pow(p, order) * std::pow(1.0 - p, 1.0 - order) +
                              std::pow(1.0 - p, order) * std::pow(p, 1.0 - order);
        return rho * order + std::log(moment) / (order - 1.0);
      };
      ForeignStep step;
      double order = 1.0;
      for (std::int64_t k = random.integer(2, 12); k > 0; --k) {
        order += random.log_uniform(0.05, 6.0);
        step.orders.push_back(order);
        step.rdp.push_back(truth(order));
      }
      for (int k = 0; k < 10; ++k) {
        const double at = random.uniform(1.01, order);
        const double found = foreign_rdp(step, at);
        CHECK(found >= truth(at) * (1.0 - 1e-9));
        // RDP never falls with the order: the next order's value is no less.
        const auto next = std::ranges::lower_bound(step.orders, at);
        CHECK(found <=
              step.rdp[static_cast<std::size_t>(next - step.orders.begin())] * (1.0 + 1e-9));
      }
    }
  }

  TEST_CASE("Gaussian events and Gaussian DP compose exactly") {
    Random random(45);
    for (int round = 0; round < 40; ++round) {
      const double sigma = random.log_uniform(5.0, 60.0);
      const std::int64_t queries = random.integer(1, 40);
      ForeignStep step;
      step.mu = random.log_uniform(0.02, 2.0);
      step.count = random.integer(1, 3);
      const Record record{plan_with(sigma, queries), foreign_event("a", "b", step)};
      const CostEntry& cost = entry_of(account_record(record, {}), EpsilonMethod::gdp);
      // A vote that moves changes two counts by one.
      const Real50 mu =
          sqrt(Real50(2 * queries) / sigma / sigma + Real50(step.mu) * step.mu * step.count);
      CHECK(gaussian_delta(mu, cost.epsilon) <= Real50(kDelta));
      CHECK(gaussian_delta(mu, cost.epsilon * (1.0 - 1e-8)) > Real50(kDelta));
      CHECK(cost.releasable);
      CHECK(cost.promise == Promise::fixed);
    }
  }

  TEST_CASE("curves add up at common orders, and (epsilon, delta) beside them") {
    Random random(46);
    for (int round = 0; round < 200; ++round) {
      Record record;
      std::vector<ForeignStep> steps;
      for (std::int64_t k = random.integer(1, 3); k > 0; --k) {
        ForeignStep step = random_curve(random);
        // All of them tell of the order that is asked for.
        step.orders.push_back(2000.0);
        step.rdp.push_back(random.log_uniform(0.1, 100.0));
        record = join(record, {foreign_event("f" + std::to_string(k), "test", step)});
        steps.push_back(step);
      }
      const double claimed = random.integer(0, 1) == 0 ? 0.0 : random.log_uniform(1e-9, 5e-6);
      const double epsilon = random.log_uniform(0.01, 1.0);
      if (claimed > 0.0) {
        record = join(record, {foreign_event("p", "test", PrivacyClaim{epsilon, claimed, 1})});
      }
      RecordSettings settings;
      settings.delta = kDelta;
      settings.orders = {{1.5, 2.0, 4.0, 16.0, 64.0, 2000.0}};
      const RecordAccount account = account_record(record, settings);
      Real50 best = std::numeric_limits<Real50>::infinity();
      Real50 of_steps = best;
      for (const double order : *settings.orders) {
        Real50 rdp = 0;
        for (const ForeignStep& step : steps) rdp += reference_rdp(step, order);
        const Real50 a = order;
        const auto converted = [&](const Real50& its, const Real50& delta) {
          const Real50 result = its + log((a - 1) / a) - (log(delta) + log(a)) / (a - 1);
          return result > 0 ? result : Real50(0);
        };
        of_steps = std::min<Real50>(of_steps, converted(rdp, Real50(kDelta) - claimed));
        if (claimed > 0.0) {
          // Of the randomized response that dominates what is (epsilon, 0)-DP.
          const Real50 p = 1 / (1 + exp(-Real50(epsilon)));
          rdp += log(pow(p, a) * pow(1 - p, 1 - a) + pow(1 - p, a) * pow(p, 1 - a)) / (a - 1);
        }
        best = std::min<Real50>(best, converted(rdp, Real50(kDelta) - claimed));
      }
      const CostEntry& cost = entry_of(account, EpsilonMethod::improved);
      CHECK(Real50(cost.epsilon) >= best);
      CHECK(Real50(cost.epsilon) <= best + Real50(1e-8) * (1 + best));
      // Nor is anything above the plain sum, with the same orders.
      if (claimed > 0.0) {
        CHECK(Real50(account.costs[account.headline].epsilon) <=
              (of_steps + epsilon) * (1 + Real50(1e-8)) + Real50(1e-8));
      }
      CHECK(cost.delta == kDelta);
    }
  }

  TEST_CASE("a record keeps every bit of them") {
    Random random(47);
    for (int round = 0; round < 200; ++round) {
      const Record record{foreign_event("student, DP-SGD", "opacus 1.4", random_foreign(random)),
                          foreign_event("census", "office", PrivacyClaim{0.3, 1e-7, 2})};
      reports::FieldWriter report;
      reports::write_record(report, record);
      const io::JsonValue json = io::JsonValue::parse(report.text(), "sum.json");
      CHECK(canonical(reports::read_record(json.at("record"))) == canonical(record));
    }
  }

  TEST_CASE("what an edited record must not say") {
    const auto refusal = [](const std::string& from, const std::string& to) {
      ForeignStep step;
      step.orders = {2.0, 4.0};
      step.rdp = {0.5, 0.75};
      reports::FieldWriter report;
      reports::write_record(report, {foreign_event("a", "b", step)});
      std::string text = report.text();
      REQUIRE(text.find(from) != std::string::npos);
      text.replace(text.find(from), from.size(), to);
      try {
        (void)reports::read_record(io::JsonValue::parse(text, "sum.json").at("record"));
      } catch (const input_error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    const std::string at = "sum.json: record.events[0].foreign.";
    CHECK(refusal("2.0", "2.5").empty());
    CHECK(refusal("2.0", "1.0").find(at + "orders[0]: ") == 0);
    CHECK(refusal("2.0", "4.0").find(at + "orders[1]: expected a larger order") == 0);
    CHECK(refusal("0.5", "-0.5").find(at + "rdp[0]: ") == 0);
    CHECK(refusal("0.5,", "").find(at + "rdp: expected 2 numbers, one for each order") == 0);
    CHECK(refusal("\"step\"", "\"majority\"").find("sum.json: record.events[0]: ") == 0);
  }

  TEST_CASE("numbers out of their domain are refused") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const auto refused = [](const ForeignStep& step) {
      CHECK_THROWS_AS((void)foreign_event("a", "b", step), parameter_error);
    };
    refused({});
    for (const double bad : {-1.0, nan, inf}) {
      refused({bad, 0.1});
      refused({0.1, bad});
      refused({0.1, 0.0, 1, bad});
      refused({0.0, 0.0, 1, 0.0, {2.0}, {bad}});
      refused({0.0, 0.0, 1, 0.0, {bad}, {0.1}});
      CHECK_THROWS_AS((void)foreign_event("a", "b", PrivacyClaim{bad, 0.0, 1}), parameter_error);
      CHECK_THROWS_AS((void)foreign_event("a", "b", PrivacyClaim{1.0, bad, 1}), parameter_error);
    }
    refused({0.1, 0.0, 0});
    refused({0.0, 0.0, 1, 0.0, {1.0}, {0.1}});
    refused({0.0, 0.0, 1, 0.0, {3.0, 2.0}, {0.1, 0.1}});
    refused({0.0, 0.0, 1, 0.0, {2.0, 3.0}, {0.1}});
    CHECK_THROWS_AS((void)foreign_event("a", "b", PrivacyClaim{1.0, 1.0, 1}), parameter_error);
    CHECK_THROWS_AS((void)foreign_event("", "b", ForeignStep{1.0}), parameter_error);
    CHECK_THROWS_AS((void)foreign_event("a", "", ForeignStep{1.0}), parameter_error);
  }

  TEST_CASE("one record is protected, and the statement names the source") {
    ForeignStep step;
    step.rho = 0.1;
    const RecordAccount account =
        account_record({plan_with(20.0, 5), foreign_event("student", "opacus 1.4", step)}, {});
    const Guarantee promised = guarantee_of(account);
    CHECK(promised.protects.starts_with("one record"));
    CHECK(promised.promise.starts_with("Had any one record"));
    const std::string all = statement_of(promised);
    CHECK(all.find("student (source: opacus 1.4): 0.1-zCDP") != std::string::npos);
    CHECK(all.find("pate did not check it") != std::string::npos);
    CHECK(std::ranges::count(account.notices, "foreign_numbers", &Notice::code) == 1);
    // Queries are those of the ensemble.
    const RecordAccount alone = account_record({plan_with(20.0, 5)}, {});
    CHECK(account.queries == 5);
    CHECK(account.answered_expected == alone.answered_expected);
  }
}
