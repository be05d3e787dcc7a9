#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/complex/largest_moduli.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

using Real = long double;

// Two random distributions, some outcomes of which are nearly or quite sure.
DistributionPair random_pair(Random& random) {
  const std::int64_t outcomes = random.integer(2, 5);
  const double spread = random.log_uniform(0.01, 2.0);
  DistributionPair table;
  double p = 0.0;
  double q = 0.0;
  for (std::int64_t o = 0; o < outcomes; ++o) {
    const double weight = random.log_uniform(1e-4, 1.0);
    table.push_back({weight, weight * std::exp(random.uniform(-spread, spread)), 0.0});
    p += table.back().p;
    q += table.back().q;
  }
  for (OutcomeMass& outcome : table) {
    outcome.p /= p;
    outcome.q /= q;
    outcome.loss = std::log(outcome.p / outcome.q);
  }
  return table;
}

ComplexOrders random_orders(Random& random) {
  ComplexOrders result;
  double a = 0.0;
  for (std::int64_t i = random.integer(1, 3); i > 0; --i) {
    result.reals.push_back(a += random.log_uniform(0.1, 8.0));
  }
  result.step = random.log_uniform(0.2, 8.0);
  result.terms = static_cast<int>(random.integer(1, 60));
  result.smoothing = random.integer(0, 2) == 0 ? 0.0 : random.log_uniform(1e-3, 0.3);
  return result;
}

// sum of (P - e^eps Q)+ over the outcomes of all queries, one neighbour each.
Real hockey_stick(const std::vector<DistributionPair>& queries, double epsilon) {
  std::vector<std::pair<Real, Real>> masses{{1.0L, 1.0L}};
  for (const DistributionPair& table : queries) {
    std::vector<std::pair<Real, Real>> next;
    for (const auto& [p, q] : masses) {
      for (const OutcomeMass& o : table) next.emplace_back(p * o.p, q * o.q);
    }
    masses = std::move(next);
  }
  Real delta = 0.0L;
  for (const auto& [p, q] : masses) {
    delta += std::max(0.0L, p - std::exp(static_cast<Real>(epsilon)) * q);
  }
  return delta;
}

ComplexCertificate certificate_of(const std::vector<std::vector<DistributionPair>>& queries,
                                  const ComplexOrders& orders) {
  LogModulusSums sums(orders.size());
  LargestModuli largest(orders);
  std::vector<double> logs(orders.size());
  const std::vector<double> none(orders.reals.size(), kInfinity);
  for (const auto& neighbours : queries) {
    largest.clear();
    for (const DistributionPair& table : neighbours) largest.add(table);
    largest.logs(none, logs);
    sums.add(logs, 1);
  }
  return {orders, sums.values()};
}

}  // namespace

TEST_SUITE("complex") {
  TEST_CASE("a certificate is never below the divergence of any neighbour, nor far above") {
    Random random(71);
    double nearest = 0.0;
    for (int i = 0; i < 1500; ++i) {
      std::vector<std::vector<DistributionPair>> queries(
          static_cast<std::size_t>(random.integer(1, 4)));
      for (auto& neighbours : queries) {
        for (std::int64_t k = random.integer(1, 3); k > 0; --k) {
          neighbours.push_back(random_pair(random));
        }
      }
      const ComplexOrders orders = random_orders(random);
      const ComplexCertificate certificate = certificate_of(queries, orders);
      for (int j = 0; j < 6; ++j) {
        std::vector<DistributionPair> one;  // which neighbour it is at each query
        for (const auto& neighbours : queries) {
          one.push_back(neighbours[static_cast<std::size_t>(
              random.integer(0, static_cast<std::int64_t>(neighbours.size()) - 1))]);
        }
        const double epsilon = random.uniform(-1.0, 3.0);
        const double bound = certificate.log_delta(epsilon);
        const auto exact = static_cast<double>(hockey_stick(one, epsilon));
        CHECK(exact <= std::exp(bound));
        nearest = std::max(nearest, exact / std::exp(bound));
        if (exact < 1e-300 || exact >= 1.0) continue;
        // And so is the epsilon of a delta.
        const double back = certificate.epsilon(exact);
        CHECK(back >= epsilon);
      }
    }
    CHECK(nearest > 0.5);
  }

  TEST_CASE("one neighbour and the orders of the rule: within some per cent of the exact epsilon") {
    // Two hundred queries that a coin answers, 0.5 against 0.5 + x: nearly a Gaussian loss.
    for (const double x : {0.01, 0.02, 0.05}) {
      const DistributionPair coin{{0.5 + x, 0.5 - x, std::log((0.5 + x) / (0.5 - x))},
                                  {0.5 - x, 0.5 + x, -std::log((0.5 + x) / (0.5 - x))}};
      const int queries = 200;
      // The exact delta: a sum over the number of heads.
      const auto delta_at = [&](double epsilon) {
        Real delta = 0.0L;
        for (int heads = 0; heads <= queries; ++heads) {
          const Real log_choose = std::lgamma(queries + 1.0L) - std::lgamma(heads + 1.0L) -
                                  std::lgamma(queries - heads + 1.0L);
          const auto at = [&](Real up) {
            return std::exp(log_choose + heads * std::log(up) +
                            (queries - heads) * std::log(1.0L - up));
          };
          delta +=
              std::max(0.0L, at(0.5L + x) - std::exp(static_cast<Real>(epsilon)) * at(0.5L - x));
        }
        return delta;
      };
      double low = 0.0;
      double high = 50.0;
      while (high - low > 1e-9) {
        const double middle = 0.5 * (low + high);
        (delta_at(middle) > 1e-5L ? low : high) = middle;
      }
      const ComplexCertificate certificate = certificate_of(
          std::vector<std::vector<DistributionPair>>(queries, {coin}), complex_orders(high, 1e-5));
      const double epsilon = certificate.epsilon(1e-5);
      CHECK(epsilon >= low);
      CHECK(epsilon <= 1.03 * high);
    }
  }

  TEST_CASE("the rule for complex orders") {
    const ComplexOrders at_one = complex_orders(1.0, 1e-5);
    CHECK(at_one.reals == std::vector<double>{4.0, 6.5, 10.0, 13.0, 16.5});
    CHECK(at_one.step == 4.0);
    CHECK(at_one.terms == 30);
    CHECK(at_one.smoothing == doctest::Approx(0.02));
    CHECK(complex_orders(4.0, 1e-5).step == 1.0);
    CHECK(complex_orders(4.0, 1e-5).terms == 60);
    for (const double epsilon : {1e-3, 0.3, 1.0, 10.0, 1e3}) {
      for (const double delta : {0.5, 1e-5, 1e-12}) validate(complex_orders(epsilon, delta));
    }
    CHECK_THROWS_AS(static_cast<void>(complex_orders(0.0, 1e-5)), parameter_error);
    CHECK_THROWS_AS(static_cast<void>(complex_orders(1.0, 1.0)), parameter_error);
    CHECK_THROWS_AS(LargestModuli(ComplexOrders{}), parameter_error);
    CHECK_THROWS_AS(LargestModuli(ComplexOrders{{2.0, 1.0}, 1.0, 3, 0.0}), parameter_error);
    CHECK_THROWS_AS(LargestModuli(ComplexOrders{{1.0}, 0.0, 3, 0.0}), parameter_error);
  }

  TEST_CASE("sums of either sign are the same in any order and any parts, and never below") {
    Random random(72);
    for (int i = 0; i < 200; ++i) {
      std::vector<double> terms;
      Real exact = 0.0L;
      LogModulusSums forwards(1);
      LogModulusSums first(1);
      LogModulusSums second(1);
      for (int k = 0; k < 20; ++k) {
        const double term = random.uniform(-1.0, 1.0) * random.log_uniform(1e-9, 1e4);
        const std::int64_t count = random.integer(1, 1'000'000);
        forwards.add(std::vector{term}, count);
        (random.integer(0, 1) == 0 ? first : second).add(std::vector{term}, count);
        exact += static_cast<Real>(term) * static_cast<Real>(count);
      }
      second.add(first);
      CHECK(forwards.values() == second.values());
      CHECK(static_cast<Real>(forwards.values()[0]) >= exact);
      CHECK(forwards.values()[0] <= static_cast<double>(exact) + 20e6 * 0x1p-40 + 1e-5);
    }
    LogModulusSums sums(2);
    sums.add(std::vector{std::nan(""), 1.0}, 1);
    CHECK(sums.values()[0] == kInfinity);
    CHECK(sums.values()[1] == 1.0 * (1.0 + 0x1p-52));
    sums.add(std::vector{0.0, 1e300}, 1);
    CHECK(sums.values()[1] == kInfinity);
  }

  TEST_CASE("what is not finite certifies nothing") {
    const ComplexOrders orders{{1.0, 2.0}, 1.0, 2, 0.0};
    const double inf = kInfinity;
    for (const double bad : {inf, std::nan("")}) {
      const ComplexCertificate none(orders, std::vector{bad, 0.0, 0.0, 0.1, bad, 0.0});
      CHECK(none.log_delta(5.0) == 0.0);
      CHECK(none.epsilon(1e-5) == inf);
      // One real part is enough.
      const ComplexCertificate one(orders, std::vector{bad, 0.0, 0.0, 0.1, 0.1, 0.1});
      CHECK(std::isfinite(one.epsilon(1e-5)));
      CHECK(one.log_delta(bad) == 0.0);
    }
    // An outcome that P alone has, losses beyond doubles, and losses that are not known.
    LargestModuli largest(orders);
    std::vector<double> logs(orders.size());
    const std::vector<double> caps{0.3, 0.2};
    for (const DistributionPair& table :
         {DistributionPair{{0.5, 0.0, inf}, {0.5, 1.0, -0.7}},
          DistributionPair{{0.5, 0.0, 800.0}, {0.5, 1.0, -0.7}},
          DistributionPair{{0.0, 0.0, std::nan("")}, {1.0, 1.0, 0.0}}}) {
      largest.clear();
      largest.add(table);
      largest.logs(std::vector{inf, inf}, logs);
      CHECK(logs[0] == inf);
      CHECK(logs[3] == inf);
      // What Renyi's moment is known to be takes its place.
      largest.logs(caps, logs);
      CHECK(logs[2] == doctest::Approx(0.3));
      CHECK(logs[5] == doctest::Approx(0.4));
    }
    // An outcome that Q alone has adds nothing.
    largest.clear();
    largest.add({{0.0, 0.5, -inf}, {1.0, 0.5, std::log(2.0)}});
    largest.logs(std::vector{inf, inf}, logs);
    CHECK(logs[0] == doctest::Approx(std::log(2.0)));
    CHECK(logs[2] == doctest::Approx(std::log(2.0)));
  }
}
