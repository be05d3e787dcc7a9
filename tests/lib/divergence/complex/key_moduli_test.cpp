#include "pate/divergence/complex/key_moduli.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

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
  TEST_CASE("moduli of keys: between the reference and a little more, at every k") {
    std::ifstream file(pate::test::source_file("tests/oracles/complex_moduli.json"));
    const nlohmann::json oracle = nlohmann::json::parse(file);
    int compared = 0;
    for (const auto& its : oracle.at("complex_moduli")) {
      const auto key = its.at("key").get<std::vector<std::int64_t>>();
      const auto expected = its.at("logs").get<std::vector<std::string>>();
      const ComplexOrders orders{
          {its.at("a").get<double>()}, its.at("step"), static_cast<int>(expected.size()) - 1, 0.0};
      const KeyModuli moduli(GaussianNoisyMax{its.at("sigma2").get<double>()},
                             ThresholdCheck{its.at("threshold"), its.at("sigma1")},
                             its.at("teachers"), its.at("classes"), orders);
      KeyModuli::Scratch scratch(moduli);
      std::vector<double> logs(orders.size());
      moduli.logs(key[0], key[1], key[2], scratch, logs);
      for (std::size_t k = 0; k < logs.size(); ++k) {
        INFO("key ", key[0], " ", key[1], " ", key[2], " k ", k);
        const double reference = std::stod(expected[k]);
        CHECK(logs[k] >= reference - 1e-15);
        CHECK(logs[k] <= reference + 1e-9);
        ++compared;
      }
    }
    CHECK(compared == 42);
  }

  TEST_CASE("certificates by key: never below the divergence of any neighbour, all histograms") {
    Random random(76);
    double nearest = 0.0;
    for (int i = 0; i < 40; ++i) {
      const SmallEnsemble its = random_ensemble(random);
      const ExactMechanism mechanism(its.aggregator, {}, its.teachers);
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
      const ExactMechanism mechanism(its.aggregator, {}, its.teachers);
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
