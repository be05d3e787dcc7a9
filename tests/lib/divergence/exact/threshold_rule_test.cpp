// Integrals over the noise of a round's threshold: against another rule, of far more nodes.

#include "pate/divergence/exact/threshold_rule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

using pate::StabilityTest;
using pate::ThresholdRule;
using pate_test::Random;

namespace {

// The logarithm of the integrand: answers at `answered`, and then a refusal at `refused`.
double log_integrand(const StabilityTest& test, const std::vector<std::int64_t>& answered,
                     std::int64_t refused, double z) {
  const auto score = [&](std::int64_t q) {
    return (static_cast<double>(q) - test.threshold() - z) / test.scale();
  };
  double log = pate::log_noise_cdf(test, -score(refused));
  for (const std::int64_t q : answered) log += pate::log_noise_cdf(test, score(q));
  return log;
}

// Romberg's rule on every piece between two kinks, by itself of relative accuracy 1e-12.
double reference(const StabilityTest& test, const std::vector<std::int64_t>& answered,
                 std::int64_t refused, double shift) {
  const double scale = test.scale();
  std::vector<double> ends{0.0};
  for (const std::int64_t q : answered) ends.push_back(static_cast<double>(q) - test.threshold());
  ends.push_back(static_cast<double>(refused) - test.threshold());
  std::ranges::sort(ends);
  const double low = ends.front() - 22.0 * scale;
  const double high = std::max(ends.back(), 0.0) + 36.0 * scale;
  ends.insert(ends.begin(), low);
  ends.push_back(high);
  const auto value = [&](double z) {
    const double width = test.threshold_scale();
    return std::exp(log_integrand(test, answered, refused, z) - std::abs(z) / width - shift) /
           (2.0 * width);
  };
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const int pieces = 1 + static_cast<int>(8.0 * (ends[i + 1] - ends[i]) / scale);
    const double step = (ends[i + 1] - ends[i]) / pieces;
    for (int k = 0; k < pieces; ++k) {
      const double a = ends[i] + k * step;
      std::vector<double> row{0.5 * step * (value(a) + value(a + step))};
      double h = step;
      for (int level = 1; level <= 6; ++level) {
        double middle = 0.0;
        for (int j = 0; j < 1 << (level - 1); ++j) middle += value(a + (j + 0.5) * h);
        std::vector<double> next{0.5 * (row[0] + h * middle)};
        double power = 1.0;
        for (const double before : row) {
          power *= 4.0;
          next.push_back(next.back() + (next.back() - before) / (power - 1.0));
        }
        row = std::move(next);
        h *= 0.5;
      }
      sum += row.back();
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("threshold rule: Laplace noise, against Romberg's rule between the kinks") {
  Random random(3);
  double largest = 0.0;
  for (int i = 0; i < 12; ++i) {
    const auto test =
        StabilityTest::sparse(random.log_uniform(0.1, 8.0), random.log_uniform(1e-12, 1e-2), 2);
    const auto reach = static_cast<std::int64_t>(2.0 + test.threshold() + 6.0 * test.scale());
    std::vector<std::int64_t> answered;
    for (std::int64_t k = random.integer(0, 60); k > 0; --k) {
      answered.push_back(random.integer(0, reach));
    }
    const std::int64_t refused = random.integer(0, reach);
    std::vector<std::int64_t> all = answered;
    all.push_back(refused);
    const auto rule = pate::threshold_rule(test, all);
    REQUIRE(rule);
    std::vector<double> logs;
    for (std::size_t j = 0; j < rule->size(); ++j) {
      logs.push_back(log_integrand(test, answered, refused, rule->at[j]) + rule->log_density[j] +
                     rule->log_step[j]);
    }
    const double shift = *std::ranges::max_element(logs);
    double sum = 0.0;
    for (const double log : logs) sum += std::exp(log - shift);
    const double expected = reference(test, answered, refused, shift);
    CAPTURE(test.scale());
    CAPTURE(answered.size());
    CAPTURE(rule->size());
    CHECK(std::abs(sum / expected - 1.0) < 1e-10);
    largest = std::max(largest, std::abs(sum / expected - 1.0));
    const double left_out = rule->log_left_out([&](std::size_t j) { return logs[j]; });
    CHECK(left_out - shift - std::log(sum) < -25.3);
  }
  CHECK(largest < 1e-10);
}

TEST_CASE("threshold rule: the mass of the noise, and nodes in their order") {
  for (const bool is_gaussian : {false, true}) {
    CAPTURE(is_gaussian);
    const auto test = is_gaussian ? StabilityTest::sparse_gaussian(5.0, 1e-6, 2, 100)
                                  : StabilityTest::sparse(1.0, 1e-6, 2);
    const std::vector<std::int64_t> stabilities{0, 3, 17, 40, 80};
    const auto rule = pate::threshold_rule(test, stabilities);
    REQUIRE(rule);
    CHECK(std::ranges::is_sorted(rule->at));
    double mass = 0.0;
    for (std::size_t j = 0; j < rule->size(); ++j) {
      mass += std::exp(rule->log_density[j] + rule->log_step[j]);
    }
    CHECK(std::abs(mass - 1.0) < 1e-10);
  }
  // Noise that is tiny beside the stabilities.
  CHECK_FALSE(pate::threshold_rule(StabilityTest::sparse_gaussian(0.05, 1e-8, 2, 2),
                                   std::vector<std::int64_t>{900}));
}

TEST_CASE("threshold rule: both sides of the noise of a query") {
  for (const bool is_gaussian : {false, true}) {
    const auto test = is_gaussian ? StabilityTest::sparse_gaussian(5.0, 1e-6, 2, 100)
                                  : StabilityTest::sparse(1.0, 1e-6, 2);
    for (const double x : {-30.0, -2.0, -0.3, 0.0, 0.3, 2.0, 30.0}) {
      CAPTURE(x);
      const double sum =
          std::exp(pate::log_noise_cdf(test, x)) + std::exp(pate::log_noise_cdf(test, -x));
      CHECK(std::abs(sum - 1.0) < 1e-14);
    }
    CHECK(pate::log_noise_cdf(test, -40.0) < -39.0);
  }
}
