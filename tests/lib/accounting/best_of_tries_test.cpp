#include "pate/accounting/best_of_tries.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "support/labeling.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::lnmax;
using pate_test::Random;

namespace {

// A query of Gaussian noise whose RDP is rho times the order.
MechanismCounts gaussian_steps(double rho) {
  return steps_of(gnmax(1.0 / std::sqrt(rho)), {}, 1, 1);
}

// The theorems in plain long double, with the second order and the delta of their own.
long double theorem(const NumberOfTries& tries, const MechanismCounts& steps, double order) {
  const auto p = static_cast<long double>(tries.parameter);
  const long double base = steps.rdp(order).total();
  if (tries.law == TriesLaw::poisson) {
    const long double epsilon = std::log1p(1.0L / (order - 1.0L));
    long double delta = 1.0L;
    for (const double a : default_orders()) {
      const long double above = a - 1.0L;
      delta = std::min(delta,
                       std::exp(above * (steps.rdp(a).total() - epsilon + std::log1p(-1.0L / a)) -
                                std::log(static_cast<long double>(a))));
    }
    const auto pure = steps.pure_steps();
    if (pure && pure->size() == 1) {
      const long double all = pure->front().epsilon * static_cast<long double>(pure->front().count);
      if (all <= epsilon) delta = 0.0L;
    }
    return base + p * delta + std::log(p) / (order - 1.0L);
  }
  const long double spread = -std::log(p);
  long double second = spread;  // at the order 1
  for (const double b : default_orders()) {
    second = std::min(second, (1.0L - 1.0L / b) * steps.rdp(b).total() + spread / b);
  }
  const bool is_geometric = tries.law == TriesLaw::geometric;
  const long double expected = is_geometric ? 1.0L / p : (1.0L / p - 1.0L) / spread;
  return base + (is_geometric ? 2.0L : 1.0L) * second + std::log(expected) / (order - 1.0L);
}

NumberOfTries random_tries(Random& random) {
  const auto law = static_cast<TriesLaw>(random.integer(0, 2));
  return tries_expecting(law, random.log_uniform(1.05, 60.0));
}

double epsilon_of(const std::function<double(double)>& rdp, double delta) {
  double least = 1e300;
  for (const double order : default_orders()) {
    least = std::min(least, epsilon_from_rdp(Conversion::improved, rdp(order), order, delta));
  }
  return least;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("best of tries: the theorems at 60 digits, never below and 1e-9 above") {
    std::ifstream file(pate::test::source_file("tests/oracles/best_of_tries.json"));
    REQUIRE(file);
    int risen = 0;
    const nlohmann::json table = nlohmann::json::parse(file);
    for (const auto& json : table.at("best_of_tries")) {
      const pate_test::OracleRow row(json);
      INFO(row.text());
      NumberOfTries tries{*value_named<TriesLaw>(json.at("law").get<std::string>()),
                          row.number("parameter")};
      const double cost =
          BestOfTriesCost(tries, gaussian_steps(row.number("rho"))).rdp(row.number("order"));
      CHECK(cost >= row.number("least"));
      CHECK(cost <= row.number("at") * (1.0 + 1e-9));
      if (row.number("at") == row.number("least")) {
        ++risen;
        CHECK(cost >= row.number("at"));
      }
    }
    CHECK(risen > 20);
  }

  TEST_CASE("best of tries: the theorems of random steps, Laplace noise and checks among them") {
    Random random(43);
    for (int round = 0; round < 60; ++round) {
      const std::int64_t queries = random.integer(1, 300);
      const Aggregator aggregator =
          round % 3 == 0 ? lnmax(random.log_uniform(2.0, 2000.0))
          : round % 3 == 1
              ? gnmax(random.log_uniform(2.0, 200.0))
              : confident(10.0, random.log_uniform(2.0, 200.0), random.log_uniform(2.0, 200.0));
      const MechanismCounts steps = steps_of(aggregator, {}, queries, queries);
      const NumberOfTries tries = random_tries(random);
      const BestOfTriesCost cost(tries, steps);
      const double order = 1.0 + random.log_uniform(0.02, 500.0);
      CAPTURE(aggregator.name());
      CAPTURE(static_cast<int>(tries.law));
      CAPTURE(order);
      // A theorem at any larger order holds here, too.
      const auto here = static_cast<double>(theorem(tries, steps, order));
      CHECK(cost.rdp(order) <= here * (1.0 + 1e-9));
      CHECK(cost.rdp(order) >= steps.rdp(order).total());
      // As RDP does, it rises with the order.
      double before = 0.0;
      for (const double grid : default_orders()) {
        CHECK(cost.rdp(grid) >= before);
        before = cost.rdp(grid);
      }
    }
  }

  TEST_CASE("best of tries: what 10 tries cost on the votes of S18's MNIST") {
    // The epsilon of one try for any votes is 4.25 at 1e-5.
    double low = 1e-3;
    double high = 1.0;
    for (int step = 0; step < 60; ++step) {
      const double rho = std::sqrt(low * high);
      (epsilon_of([&](double order) { return rho * order; }, 1e-5) < 4.25 ? low : high) = rho;
    }
    const auto of = [&](TriesLaw law) {
      const BestOfTriesCost cost(tries_expecting(law, 10.0), gaussian_steps(low));
      return epsilon_of([&](double order) { return cost.rdp(order); }, 1e-5);
    };
    CHECK(of(TriesLaw::logarithmic) == doctest::Approx(6.74).epsilon(0.002));
    CHECK(of(TriesLaw::geometric) == doctest::Approx(7.78).epsilon(0.002));
    CHECK(of(TriesLaw::poisson) > 7.6);
    CHECK(of(TriesLaw::poisson) < 9.3);
  }

  TEST_CASE("best of tries: nothing costs nothing, and what has a delta is refused") {
    const NumberOfTries ten = tries_expecting(TriesLaw::geometric, 10.0);
    CHECK(BestOfTriesCost(ten, {}).rdp(2.0) == 0.0);
    MechanismCounts with_delta;
    with_delta.tested_pluralities[1e-6] = 3;
    CHECK_THROWS_WITH_AS(
        BestOfTriesCost(ten, with_delta),
        "the best of several tries: steps with a delta of their own (PTR) have no Renyi cost",
        parameter_error);
    CHECK_THROWS_WITH_AS(BestOfTriesCost({TriesLaw::poisson, 0.5}, gaussian_steps(0.1)),
                         "the Poisson number of tries must have a mean from 1 to 1000, got 0.5",
                         parameter_error);
    const BestOfTriesCost cost(ten, gaussian_steps(0.1));
    CHECK_THROWS_WITH_AS(static_cast<void>(cost.rdp(1.0)),
                         "the best of several tries: orders must be above 1", parameter_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(cost.rdp(std::nan(""))),
                         "the best of several tries: orders must be above 1", parameter_error);
  }
}
