#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pate/accounting/best_of_tries.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "support/random.hpp"

using namespace pate;

namespace {

// Epsilon of randomized response, as the steps of one try.
MechanismCounts pure_try(double epsilon) {
  return steps_of(Aggregator{{}, {LaplaceNoisyMax{2.0 / epsilon}}}, {}, 1, 1);
}

// Pr[no try has the better output], where each has it with probability p.
double all_worse(const NumberOfTries& tries, double p) {
  const double rest = 1.0 - tries.parameter;
  if (tries.law == TriesLaw::geometric)
    return tries.parameter * (1.0 - p) / (1.0 - rest * (1.0 - p));
  return std::log1p(-rest * (1.0 - p)) / std::log(tries.parameter);
}

// RDP of the best of tries of randomized response, at an order; at +inf the largest log ratio.
double response(const NumberOfTries& tries, double epsilon, double order) {
  const double likely = std::exp(epsilon) / (1.0 + std::exp(epsilon));
  const double a = all_worse(tries, likely);
  const double b = all_worse(tries, 1.0 - likely);
  if (std::isinf(order)) return std::max(std::log(b / a), std::log((1.0 - a) / (1.0 - b)));
  const auto divergence = [&](double p, double q) {
    // In logarithms: high orders of small numbers.
    const double one = order * std::log(p) + (1.0 - order) * std::log(q);
    const double two = order * std::log1p(-p) + (1.0 - order) * std::log1p(-q);
    const double most = std::max(one, two);
    return (most + std::log(std::exp(one - most) + std::exp(two - most))) / (order - 1.0);
  };
  return std::max(divergence(a, b), divergence(b, a));
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("best of tries: randomized response exceeds it at no order, however high") {
    pate_test::Random random(5101);
    for (int round = 0; round < 300; ++round) {
      const TriesLaw law = round % 2 == 0 ? TriesLaw::geometric : TriesLaw::logarithmic;
      const NumberOfTries tries = tries_expecting(law, random.log_uniform(1.2, 1000.0));
      const double epsilon = random.log_uniform(0.01, 6.0);
      CAPTURE(tries.parameter);
      CAPTURE(epsilon);
      const BestOfTriesCost cost(tries, pure_try(epsilon));
      for (const double order : {1.3, 2.0, 8.0, 64.0, 1000.0}) {
        CHECK(cost.rdp(order) >= response(tries, epsilon, order) * (1.0 - 1e-9));
      }
      CHECK(cost.rdp(1e12) >=
            response(tries, epsilon, std::numeric_limits<double>::infinity()) * (1.0 - 1e-9));
    }
  }

  TEST_CASE("best of tries: beyond all orders pure steps cost three times theirs, or twice") {
    pate_test::Random random(5102);
    const double last = default_orders().back();
    for (int round = 0; round < 100; ++round) {
      const double epsilon = random.log_uniform(0.01, 6.0);
      for (const auto& [law, times] :
           {std::pair(TriesLaw::geometric, 3.0), std::pair(TriesLaw::logarithmic, 2.0)}) {
        const BestOfTriesCost cost(tries_expecting(law, random.log_uniform(1.2, 100.0)),
                                   pure_try(epsilon));
        for (const double order : {last * 1.5, last * 1e3, 1e12}) {
          CHECK(cost.rdp(order) <= times * epsilon * (1.0 + 1e-8));
          CHECK(cost.rdp(order) >= epsilon * (1.0 - 1e-9));
          CHECK(cost.rdp(order) >= cost.rdp(last) * (1.0 - 1e-12));
        }
      }
    }
  }

  TEST_CASE("best of tries: beyond all orders other steps cost what the theorem says there") {
    const MechanismCounts steps = steps_of(Aggregator{{}, {GaussianNoisyMax{20.0}}}, {}, 3, 3);
    const BestOfTriesCost cost(tries_expecting(TriesLaw::geometric, 5.0), steps);
    const double last = default_orders().back();
    const double second =
        cost.rdp(2.0 * last) - steps.rdp(2.0 * last).total() - std::log(5.0) / (2.0 * last - 1.0);
    const double again =
        cost.rdp(5.0 * last) - steps.rdp(5.0 * last).total() - std::log(5.0) / (5.0 * last - 1.0);
    CHECK(second > 0.0);
    CHECK(again == doctest::Approx(second).epsilon(1e-6));
    CHECK_THROWS_WITH_AS((void)cost.rdp(1.0), "the best of several tries: orders must be above 1",
                         parameter_error);
    CHECK_THROWS_WITH_AS((void)cost.rdp(std::numeric_limits<double>::quiet_NaN()),
                         "the best of several tries: orders must be above 1", parameter_error);
  }
}
