#include "pate/divergence/bounds/joint_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const BothDirections kFree{-kInfinity, -kInfinity};

struct Step {
  ThresholdCheck check;
  double sigma2;
  std::int64_t teachers;

  [[nodiscard]] JointCost at(std::int64_t v, double order) const {
    return {AnswerTable(check, {}, v, v, teachers), order,
            data_independent_cost(GaussianNoisyMax{sigma2}, order)};
  }
  [[nodiscard]] BothDirections excess(double log_q, double order) const {
    if (log_q == -kInfinity) return kFree;
    return gaussian_tradeoff_log_excess(log_q, std::numbers::sqrt2 / sigma2, order);
  }
};

Step random_step(Random& random) {
  const std::int64_t teachers = random.integer(1, 500);
  return {
      {random.uniform(0.0, 1.2) * static_cast<double>(teachers), random.log_uniform(1.0, 300.0)},
      random.log_uniform(1.0, 300.0),
      teachers};
}

/// {refused} and the classes, with probabilities 1 - p and p P_j.
Probabilities joint_outcomes(const Counts& counts, const Step& step) {
  Probabilities p = gaussian_outcomes(counts, step.sigma2);
  const long double z =
      (static_cast<long double>(step.check.threshold) - *std::ranges::max_element(counts)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(step.check.sigma1));
  for (long double& x : p) x *= 0.5L * std::erfc(z);
  p.push_back(0.5L * std::erfc(-z));
  return p;
}

Probabilities answers(const ThresholdCheck& check, std::int64_t v) {
  const long double z =
      (static_cast<long double>(check.threshold) - static_cast<long double>(v)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(check.sigma1));
  return {0.5L * std::erfc(z), 0.5L * std::erfc(-z)};
}

/// The cost of a check alone.
double selection_cost(const ThresholdCheck& check, std::int64_t v, std::int64_t teachers,
                      double order) {
  return JointCost(AnswerTable(check, {}, v, v, teachers), order, 0.0).selection_cost(v);
}

}  // namespace

TEST_SUITE("aggregators") {
  TEST_CASE("a check far out in the tail at a high order") {
    // Exponents of 2e4 cancel: by tests/verify, at 100 digits.
    const ThresholdCheck check{10965.916829491709, 20.837036509268458};
    const GaussianNoisyMax noise{29.99302760385572};
    const double order = 1770.8963901515135;
    const double cost = JointCost(AnswerTable(check, {}, 6713, 6713, 12766), order,
                                  data_independent_cost(noise, order))
                            .cost(6713, tradeoff_log_excess(noise, -124.72399195237364, order));
    CHECK_MESSAGE(covers(cost, 8.5159924019272029e-07), cost);
  }

  TEST_CASE("a check with Laplace noise of a thousandth of a vote") {
    // Of answers that are certain on both sides: by tests/verify, at 100 digits.
    const StabilityTest test(TestNoise::laplace, 0.6400815098064857, 0.001018002163945287, 1e-100);
    const JointCost cost(AnswerTable(test, {}, 1, 1, 3), 3885.9845227774026, 1.0);
    CHECK(covers(cost.selection_cost(1), 982.22499941933274));
  }

  TEST_CASE("the joint cost against the oracle in both directions") {
    for (const OracleRow& row : oracle("joint")) {
      const double order = row.number("lambda");
      Step step{{row.number("T"), row.number("sigma1")}, row.number("sigma2"), 0};
      std::int64_t v = 0;
      double q = 0.0;
      if (row.has("n")) {
        const Counts counts = row.counts("n");
        for (const std::int32_t n : counts) step.teachers += n;
        v = *std::max_element(counts.begin(), counts.end());
        q = log_q(GaussianNoisyMax{step.sigma2}, counts);
      } else {
        step.teachers = row.count("teachers");
        v = row.count("v");
        q = row.number("log_q");
      }
      const JointCost joint = step.at(v, order);
      const BothDirections excess = step.excess(q, order);
      CHECK_MESSAGE(covers(joint.cost(v, excess), row.number("rdp")), row.text(),
                    show({{"got", joint.cost(v, excess)}}));
      CHECK(relative_error(joint.costs(v, excess).larger(), joint.cost(v, excess)) < 1e-11);
      if (!row.has("forward")) continue;
      CHECK_MESSAGE(covers(joint.costs(v, excess).forward, row.number("forward")), row.text(),
                    show({{"got", joint.costs(v, excess).forward}}));
      CHECK_MESSAGE(covers(joint.costs(v, excess).reverse, row.number("reverse")), row.text(),
                    show({{"got", joint.costs(v, excess).reverse}}));
    }
  }

  TEST_CASE("costs of many excesses at once are those of each") {
    Random random(302);
    for (int i = 0; i < 200; ++i) {
      const std::int64_t teachers = random.integer(1, 300);
      const ThresholdCheck check{random.uniform(0.0, 300.0), random.log_uniform(0.3, 200.0)};
      const double order = 1.0 + random.log_uniform(1e-3, 200.0);
      const double cap = random.log_uniform(1e-6, 1e3);
      const JointCost joint(AnswerTable(check, {}, 0, teachers, teachers), order, cap);
      // Some lists hold what doubles do not.
      const double widest = i % 3 == 0 ? 900.0 : 60.0;
      std::vector<JointCost::Node> nodes;
      for (int k = 0; k < 12; ++k) {
        const BothDirections log{random.uniform(-widest, widest), random.uniform(-widest, 0.0)};
        nodes.push_back({log, {std::exp(log.forward), std::exp(log.reverse)}});
      }
      const std::int64_t v = random.integer(0, teachers);
      std::vector<double> costs(nodes.size());
      joint.cost(v, nodes, costs.data());
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const double isolated = joint.cost(v, nodes[k].log_excess);
        CHECK(std::abs(costs[k] - isolated) <= 4e-15 * isolated);
      }
    }
  }

  TEST_CASE("no neighbour of the Confident aggregator diverges by more than the joint cost") {
    Random random(301);
    double tightest = 0.0;
    for (int i = 0; i < 60; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 12), random.integer(2, 4));
      const std::int64_t v = *std::max_element(counts.begin(), counts.end());
      Step step{{random.uniform(0.0, 14.0), random.log_uniform(0.5, 20.0)},
                random.log_uniform(0.5, 20.0),
                0};
      for (const std::int32_t n : counts) step.teachers += n;
      const double q = log_q(GaussianNoisyMax{step.sigma2}, counts);
      const Probabilities p = joint_outcomes(counts, step);
      for_each_neighbour(counts, [&](const Counts& neighbour) {
        const Probabilities r = joint_outcomes(neighbour, step);
        for (const double order : {1.1, 2.0, 5.0, 20.0, 60.0}) {
          const BothDirections bound = step.at(v, order).costs(v, step.excess(q, order));
          const double forward = renyi_divergence(p, r, order);
          const double reverse = renyi_divergence(r, p, order);
          const std::string at = show({{"T", step.check.threshold},
                                       {"sigma1", step.check.sigma1},
                                       {"sigma2", step.sigma2},
                                       {"order", order}});
          CHECK_MESSAGE(forward <= bound.forward + 1e-13, at);
          CHECK_MESSAGE(reverse <= bound.reverse + 1e-13, at);
          tightest = std::max({tightest, forward / bound.forward, reverse / bound.reverse});
        }
      });
    }
    CHECK(tightest > 0.5);
  }

  TEST_CASE("a noisy maximum that costs nothing leaves the cost of the check") {
    Random random(302);
    for (int i = 0; i < 1000; ++i) {
      const Step step = random_step(random);
      const std::int64_t v = random.integer(0, step.teachers);
      const double order = 1.0 + random.log_uniform(0.01, 1000.0);
      const JointCost joint = step.at(v, order);
      const double expected = joint.selection_cost(v);
      CHECK_MESSAGE(relative_error(joint.cost(v, kFree), expected) < 1e-11,
                    show({{"T", step.check.threshold},
                          {"sigma1", step.check.sigma1},
                          {"order", order},
                          {"v", static_cast<double>(v)}}));
    }
  }

  TEST_CASE("a check that knows nothing leaves its share of the noisy maximum") {
    for (const double order : {1.5, 5.0, 20.0}) {
      const double excess = 0.3;
      const BothDirections both{std::log(excess), std::log(0.5 * excess)};
      // Answered always, never, and by the toss of a coin.
      const Step always{{-1e6, 100.0}, 1.0, 250};
      const Step coin{{125.0, 1e9}, 1.0, 250};
      const Step never{{1e6, 100.0}, 1.0, 250};
      CHECK(relative_error(always.at(125, order).costs(125, both).forward,
                           std::log1p(excess) / (order - 1.0)) < 1e-9);
      CHECK(relative_error(always.at(125, order).costs(125, both).reverse,
                           std::log1p(0.5 * excess) / (order - 1.0)) < 1e-9);
      CHECK(relative_error(coin.at(125, order).cost(125, both),
                           std::log1p(0.5 * excess) / (order - 1.0)) < 1e-7);
      CHECK(covers(never.at(125, order).cost(125, both), 0.0));
    }
  }

  TEST_CASE("the joint cost lies between its steps and grows with q and the order") {
    Random random(303);
    for (int i = 0; i < 400; ++i) {
      const Step step = random_step(random);
      const std::int64_t v = random.integer(0, step.teachers);
      const double log_q = -random.log_uniform(0.05, 500.0);
      double previous = 0.0;
      for (const double order : {1.01, 1.5, 3.0, 10.0, 40.0, 200.0}) {
        const JointCost joint = step.at(v, order);
        const double cost = joint.cost(v, step.excess(log_q, order));
        const std::string at = show({{"T", step.check.threshold},
                                     {"sigma1", step.check.sigma1},
                                     {"sigma2", step.sigma2},
                                     {"order", order},
                                     {"log_q", log_q},
                                     {"v", static_cast<double>(v)}});
        CHECK_MESSAGE(cost >= joint.selection_cost(v) * (1.0 - 1e-12), at);
        CHECK_MESSAGE(cost <= (threshold_data_independent(step.check.sigma1, order) +
                               data_independent_cost(GaussianNoisyMax{step.sigma2}, order)) *
                                  (1.0 + 1e-15),
                      at);
        CHECK_MESSAGE(joint.cost(v, step.excess(0.9 * log_q, order)) >= cost * (1.0 - 2e-11), at);
        CHECK_MESSAGE(cost >= previous * (1.0 - 2e-11), at);
        previous = cost;
      }
    }
  }

  TEST_CASE("a ladder of all values gives each the cost it has alone") {
    const Step step{{20.0, 7.0}, 5.0, 30};
    const double order = 8.0;
    const JointCost all(AnswerTable(step.check, {}, 0, 30, 30), order,
                        data_independent_cost(GaussianNoisyMax{step.sigma2}, order));
    const BothDirections excess = step.excess(-3.0, order);
    for (std::int64_t v = 0; v <= 30; ++v) {
      CHECK(all.cost(v, excess) == step.at(v, order).cost(v, excess));
      CHECK(all.selection_cost(v) == step.at(v, order).selection_cost(v));
    }
  }

  TEST_CASE("of some values of a ladder each has the cost it has among all") {
    const ThresholdCheck check{180.0, 40.0};
    const AnswerTable ladder(check, {}, 0, 250, 250);
    // Ends of the range, neighbours, and one alone.
    const StatisticPlaces some(ladder, {0, 1, 100, 179, 180, 181, 250});
    for (const double order : {1.5, 7.0, 300.0}) {
      const JointCost all(ladder, order, 0.02);
      const JointCost few(ladder, order, 0.02, &some);
      for (const std::int64_t v : some.statistics()) {
        for (const double log_x : {-kInfinity, -40.0, -3.0, 800.0}) {
          CHECK(few.cost(v, {log_x, log_x - 1.0}) == all.cost(v, {log_x, log_x - 1.0}));
        }
        CHECK(few.selection_cost(v) == all.selection_cost(v));
      }
    }
    CHECK_THROWS(StatisticPlaces(ladder, {251}));
  }

  TEST_CASE("the joint cost of excesses beyond double") {
    const Step step{{20.0, 7.0}, 0.05, 30};
    const double order = 50.0;
    const JointCost joint = step.at(20, order);
    CHECK(joint.cost(20, {5e5, 5e5}) > 0.99 * 5e5 / 49.0);
    CHECK(joint.cost(20, {-5000.0, -5000.0}) == joint.cost(20, kFree));
    CHECK(joint.cost(20, {kInfinity, kInfinity}) ==
          threshold_data_independent(7.0, order) +
              data_independent_cost(GaussianNoisyMax{0.05}, order));
  }

  TEST_CASE("the selection cost against the oracle") {
    for (const OracleRow& row : oracle("threshold_exact")) {
      const ThresholdCheck check{row.number("T"), row.number("sigma1")};
      const std::int64_t v = row.count("max");
      const std::int64_t teachers = row.has("teachers") ? row.count("teachers") : v + 1;
      const double got = selection_cost(check, v, teachers, row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), show({{"got", got}}));
    }
  }

  TEST_CASE("the selection cost is the larger divergence over the neighbours") {
    Random random(221);
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t teachers = random.integer(1, 400);
      const std::int64_t v = random.integer(0, teachers);
      const ThresholdCheck check{random.uniform(0.0, 1.2) * static_cast<double>(teachers),
                                 random.log_uniform(1.0, 300.0)};
      const double order = 1.0 + random.log_uniform(0.05, 60.0);
      double expected = 0.0;
      for (const std::int64_t w : {v - 1, v + 1}) {
        if (w < 0 || w > teachers) continue;
        expected =
            std::max({expected, renyi_divergence(answers(check, v), answers(check, w), order),
                      renyi_divergence(answers(check, w), answers(check, v), order)});
      }
      if (expected < 1e-14) continue;  // long double runs out of digits
      const double got = selection_cost(check, v, teachers, order);
      CHECK_MESSAGE(relative_error(got, expected) < 1e-9, show({{"T", check.threshold},
                                                                {"sigma1", check.sigma1},
                                                                {"order", order},
                                                                {"v", static_cast<double>(v)}}));
    }
  }

  TEST_CASE("the selection cost is at most data-independent and grows with the order") {
    Random random(222);
    for (int i = 0; i < 300; ++i) {
      const ThresholdCheck check{random.uniform(-50.0, 300.0), random.log_uniform(0.05, 1e4)};
      const std::int64_t v = random.integer(0, 250);
      double previous = 0.0;
      for (const double order : default_orders()) {
        const double cost = selection_cost(check, v, 250, order);
        CHECK(cost <= threshold_data_independent(check.sigma1, order));
        CHECK_MESSAGE(cost >= previous * (1.0 - 1e-12), show({{"T", check.threshold},
                                                              {"sigma1", check.sigma1},
                                                              {"order", order},
                                                              {"v", static_cast<double>(v)}}));
        previous = cost;
      }
    }
  }

  TEST_CASE("the selection cost at the ends of the range") {
    // A certain answer is worth nothing; a lone teacher that cannot change costs the least.
    CHECK(covers(selection_cost({1000.0, 1.0}, 10, 250, 20.0), 0.0));
    CHECK(covers(selection_cost({5.0, 1.0}, 0, 0, 20.0), 0.0));
    // Symmetric about the threshold.
    const ThresholdCheck check{100.0, 20.0};
    CHECK(relative_error(selection_cost(check, 90, 250, 5.0),
                         selection_cost(check, 110, 250, 5.0)) < 1e-12);
  }

  TEST_CASE("a check out of its domain is refused") {
    CHECK_THROWS_AS(static_cast<void>(selection_cost({200.0, 0.0}, 1, 250, 2.0)), parameter_error);
    CHECK_THROWS_AS(static_cast<void>(selection_cost({kNaN, 1.0}, 1, 250, 2.0)), parameter_error);
  }
}
