#include "pate/divergence/complex/key_moduli.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

struct Vector {
  std::int64_t teachers, classes;
  double threshold, sigma1, sigma2;
  ComplexOrders orders;
  std::vector<std::int64_t> key;
  std::vector<double> logs;  // at k = 0, 1, 5 of the last real part
};

ComplexOrders at(double a, double step) {
  return {{a}, step, 5, 0.0};
}

std::vector<double> logs_of(const Vector& of) {
  const KeyModuli moduli(GaussianNoisyMax{of.sigma2}, ThresholdCheck{of.threshold, of.sigma1},
                         of.teachers, of.classes, of.orders);
  KeyModuli::Scratch scratch(moduli);
  std::vector<double> logs(of.orders.size());
  moduli.logs(of.key[0], of.key[1], of.key.size() > 2 ? of.key[2] : 0, scratch, logs);
  return logs;
}

// A small ensemble: the tables of all histograms with falling counts.
struct SmallEnsemble {
  std::int64_t teachers;
  std::int64_t classes;
  Aggregator aggregator;
  ComplexOrders orders;
};

SmallEnsemble random_ensemble(Random& random) {
  SmallEnsemble its;
  its.classes = random.integer(2, 5);
  its.teachers = random.integer(3, its.classes == 2 ? 11 : its.classes == 3 ? 8 : 6);
  const auto teachers = static_cast<double>(its.teachers);
  its.aggregator.noisy_max = GaussianNoisyMax{random.log_uniform(1.2, 10.0)};
  if (random.integer(0, 3) > 0) {
    its.aggregator.selection =
        ThresholdCheck{random.uniform(0.0, teachers), random.log_uniform(0.7, 10.0)};
  }
  const std::vector<double> all{0.7, 1.5, 3.0, 6.0, 10.0};
  const auto first = static_cast<std::size_t>(random.integer(0, 3));
  its.orders = {{all[first], all[first + 1]}, random.log_uniform(0.7, 4.0), 40, 0.0};
  return its;
}

// The moduli of every key that some histogram has.
std::map<Histogram, std::vector<double>> moduli_of(const SmallEnsemble& its,
                                                   bool both_statistics = true) {
  const KeyModuli moduli(its.aggregator.noisy_max.gaussian(), its.aggregator.selection,
                         its.teachers, its.classes, its.orders, both_statistics);
  KeyModuli::Scratch scratch(moduli);
  std::map<Histogram, std::vector<double>> result;
  for (const Histogram& counts : all_histograms(static_cast<std::int32_t>(its.teachers),
                                                static_cast<std::size_t>(its.classes))) {
    if (!std::is_sorted(counts.begin(), counts.end(), std::greater<>())) continue;
    std::vector<double> logs(its.orders.size());
    moduli.logs(counts[0], counts[1], its.classes > 2 ? counts[2] : 0, scratch, logs);
    result[counts] = logs;
  }
  return result;
}

// sum of (P - e^eps Q)+ of queries.
double hockey_stick(const std::vector<DistributionPair>& queries, double epsilon) {
  std::vector<std::pair<double, double>> masses{{1.0, 1.0}};
  for (const DistributionPair& table : queries) {
    std::vector<std::pair<double, double>> next;
    for (const auto& [p, q] : masses) {
      for (const OutcomeMass& o : table) next.emplace_back(p * o.p, q * o.q);
    }
    masses = std::move(next);
  }
  double delta = 0.0;
  for (const auto& [p, q] : masses) delta += std::max(0.0, p - std::exp(epsilon) * q);
  return delta;
}

}  // namespace

TEST_SUITE("complex") {
  TEST_CASE("moduli of keys: the vectors of the design, from above") {
    const std::vector<Vector> vectors{
        {8, 4, 4, 8, 6, at(2, 2), {5, 2, 1}, {.09235005158, .042136471, -.2914012406}},
        {8, 4, 4, 8, 6, at(5, 2), {5, 2, 1}, {.4817344952, .4335187333, .08761537942}},
        {8, 4, 4, 8, 6, at(2, 2), {4, 2, 2}, {.08862070604, .04109703209, -.3064484517}},
        {8, 4, 4, 8, 6, at(5, 2), {8, 0, 0}, {.3854275385, .3603816526, .03440548575}},
        {12, 2, 8, 5, 7, at(3, 4), {9, 3}, {.2346885365, .02560515592, -.1011312377}},
        {12, 2, 8, 5, 7, at(3, 4), {6, 6}, {.1568194539, .07046925643, -.3123088143}},
        {10, 5, 5, 4, 9, at(4, 1), {4, 2, 2}, {.5207143844, .5007316124, .2614598367}},
    };
    for (const Vector& its : vectors) {
      const std::vector<double> logs = logs_of(its);
      const std::vector<std::size_t> places{0, 1, 5};
      for (std::size_t i = 0; i < places.size(); ++i) {
        INFO("key ", its.key[0], " ", its.key[1], " k ", places[i]);
        // Ten digits were printed.
        CHECK(logs[places[i]] >= its.logs[i] - 1e-10);
        CHECK(logs[places[i]] <= its.logs[i] + 2e-9);
      }
    }
  }

  TEST_CASE("certificates by key: never below the divergence of any neighbour, all histograms") {
    Random random(76);
    double nearest = 0.0;
    for (int i = 0; i < 40; ++i) {
      const SmallEnsemble its = random_ensemble(random);
      const ExactMechanism mechanism(its.aggregator, its.teachers);
      const auto moduli = moduli_of(its);
      for (int run = 0; run < 8; ++run) {
        LogModulusSums sums(its.orders.size());
        std::vector<DistributionPair> queries;
        for (std::int64_t n = random.integer(1, 3); n > 0; --n) {
          auto its_votes = moduli.begin();
          std::advance(its_votes, random.integer(0, static_cast<std::int64_t>(moduli.size()) - 1));
          sums.add(its_votes->second, 1);
          ExactCost cost(mechanism, mechanism.group(its_votes->first, {}));
          const auto tables = cost.tables();
          REQUIRE(tables.has_value());
          queries.push_back((*tables)[static_cast<std::size_t>(
              random.integer(0, static_cast<std::int64_t>(tables->size()) - 1))]);
        }
        const ComplexCertificate certificate(its.orders, sums.values());
        for (int k = 0; k < 3; ++k) {
          const double epsilon = random.uniform(-0.3, 1.5);
          const double exact = hockey_stick(queries, epsilon);
          const double bound = std::exp(certificate.log_delta(epsilon));
          CHECK(exact <= bound * (1.0 + 1e-12));
          nearest = std::max(nearest, exact / bound);
        }
      }
    }
    CHECK(nearest > 0.5);
  }

  TEST_CASE("moduli of keys are at least those of the votes for two and three classes") {
    // All classes are cells: the domination is an equality, and no modulus may be missed.
    Random random(77);
    for (int i = 0; i < 25; ++i) {
      SmallEnsemble its = random_ensemble(random);
      its.classes = random.integer(2, 3);
      const ExactMechanism mechanism(its.aggregator, its.teachers);
      for (const auto& [counts, logs] : moduli_of(its)) {
        ExactCost cost(mechanism, mechanism.group(counts, {}));
        LargestModuli largest(its.orders);
        const auto tables = cost.tables();
        REQUIRE(tables.has_value());
        for (const DistributionPair& table : *tables) largest.add(table);
        std::vector<double> exact(its.orders.size());
        largest.logs(std::vector<double>(its.orders.reals.size(), 1e9), exact);
        for (std::size_t j = 0; j < exact.size(); ++j) {
          CHECK(logs[j] >= exact[j] - 2e-9);
          CHECK(logs[j] <= exact[j] + 2e-9);
        }
      }
    }
  }

  TEST_CASE("moduli of keys: one statistic of an unknown partner is not enough") {
    // Some key has a larger modulus with the other statistic, at k > 0 only.
    Random random(78);
    int larger = 0;
    for (int i = 0; i < 30; ++i) {
      SmallEnsemble its = random_ensemble(random);
      if (!its.aggregator.selection || its.classes < 4) continue;
      const auto both = moduli_of(its);
      const auto one = moduli_of(its, false);
      for (const auto& [counts, logs] : both) {
        for (std::size_t j = 0; j < logs.size(); ++j) {
          CHECK(logs[j] >= one.at(counts)[j]);
          const bool is_real = j % its.orders.row() == 0;
          if (is_real) CHECK(logs[j] <= one.at(counts)[j] + 1e-9);
          if (!is_real && logs[j] > one.at(counts)[j] + 1e-6) ++larger;
        }
      }
    }
    CHECK(larger > 0);
  }

  TEST_CASE("moduli of keys are those of noise that is not too small") {
    CHECK_THROWS_AS(
        KeyModuli(GaussianNoisyMax{1.0}, std::nullopt, 250, 10, complex_orders(1.0, 1e-5)),
        parameter_error);
    CHECK_THROWS_AS(
        KeyModuli(GaussianNoisyMax{40.0}, std::nullopt, 250, 1, complex_orders(1.0, 1e-5)),
        parameter_error);
  }
}
