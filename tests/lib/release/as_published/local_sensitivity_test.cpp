#include "pate/release/as_published/local_sensitivity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/release/as_published/cost_curve.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

using Histogram = std::vector<std::int32_t>;

Histogram sorted(Histogram counts) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

WeightedHistograms one(const Histogram& counts) {
  return {counts.size(), sorted(counts), {1.0}, {1}};
}

std::int64_t teachers_of(const Histogram& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// Algorithm 4 word for word: one histogram, one vote at a time.
std::vector<double> step_by_step(const PublishedCostCurve& curve, Histogram counts) {
  const auto distances = static_cast<std::size_t>(teachers_of(counts));
  const GaussianNoisyMax mechanism{curve.sigma()};
  counts = sorted(counts);
  double log_q = pate::log_q(mechanism, counts);
  const bool above = log_q > curve.log_q0();
  std::vector<double> result;
  while (result.size() < distances) {
    if (above ? log_q <= curve.log_q0() : log_q >= curve.log_q1()) {
      result.resize(distances, curve.largest_local_sensitivity());
      break;
    }
    result.push_back(curve.local_sensitivity(log_q));
    if (above) {
      if (counts[1] == 0) {
        result.resize(distances, result.back());
        break;
      }
      ++counts[0];
      --counts[1];
      std::sort(counts.begin() + 1, counts.end(), std::greater<>());
    } else {
      --counts[0];
      ++counts[1];
    }
    log_q = pate::log_q(mechanism, counts);
  }
  return result;
}

Histogram random_histogram(Random& random, std::size_t classes, std::int64_t teachers) {
  Histogram counts(classes, 0);
  const double share = random.uniform(0.0, 1.0);  // of the first class
  for (std::int64_t t = 0; t < teachers; ++t) {
    const bool first = random.uniform(0.0, 1.0) < share;
    ++counts[first ? 0
                   : static_cast<std::size_t>(
                         random.integer(0, static_cast<std::int64_t>(classes) - 1))];
  }
  return counts;
}

// All histograms, sorted or not.
std::vector<Histogram> all_histograms(std::int64_t teachers, std::size_t classes) {
  std::vector<Histogram> result;
  Histogram counts(classes, 0);
  counts.back() = static_cast<std::int32_t>(teachers);
  while (true) {
    result.push_back(counts);
    // The next one in lexicographic order.
    std::size_t last = classes - 1;
    while (last > 0 && counts[last] == 0) --last;
    if (last == 0) return result;
    const std::int32_t votes = counts[last];
    counts[last] = 0;
    ++counts[last - 1];
    counts.back() = votes - 1;
  }
}

int distance(const Histogram& a, const Histogram& b) {
  int moved = 0;
  for (std::size_t j = 0; j < a.size(); ++j) moved += std::max(0, a[j] - b[j]);
  return moved;
}

}  // namespace

TEST_SUITE("as_published") {
  TEST_CASE("local sensitivities of GNMax against the oracle") {
    for (const OracleRow& row : oracle("local_sensitivity_gnmax")) {
      const auto counts = row.counts("n");
      const PublishedCostCurve curve(row.number("sigma"), row.number("lambda"),
                                     static_cast<std::int64_t>(counts.size()));
      const auto expected = row.numbers("ls");
      const auto got = published_noisy_max_sensitivity(curve, one(counts), row.count("M"), 1);
      REQUIRE(got.size() == expected.size());
      for (std::size_t d = 0; d < got.size(); ++d) {
        CHECK_MESSAGE(probability_error(got[d], expected[d]) < 1e-9, row.text(),
                      show({{"d", double(d)}, {"got", got[d]}, {"expected", expected[d]}}));
      }
    }
  }

  TEST_CASE("walks are Algorithm 4, one vote at a time") {
    Random random(421);
    for (int i = 0; i < 400; ++i) {
      const std::int64_t teachers = random.integer(1, 120);
      const auto classes = static_cast<std::size_t>(random.integer(2, 12));
      const Histogram counts = random_histogram(random, classes, teachers);
      const PublishedCostCurve curve(random.log_uniform(0.3, 60.0),
                                     1.0 + random.log_uniform(0.1, 30.0),
                                     static_cast<std::int64_t>(classes));
      const auto expected = step_by_step(curve, counts);
      const auto got = published_noisy_max_sensitivity(curve, one(counts), teachers, 1);
      REQUIRE(got.size() == expected.size());
      for (std::size_t d = 0; d < got.size(); ++d) {
        // Differences of nearly equal costs have the rounding of the costs.
        const double rounding = 1e-12 * curve.data_independent();
        CHECK_MESSAGE(std::abs(got[d] - expected[d]) <= 1e-9 * expected[d] + rounding,
                      show({{"sigma", curve.sigma()},
                            {"order", curve.order()},
                            {"i", double(i)},
                            {"d", double(d)},
                            {"got", got[d]},
                            {"expected", expected[d]}}));
      }
    }
  }

  TEST_CASE("many histograms are the sum of each") {
    Random random(422);
    const PublishedCostCurve curve(40.0, 14.0, 10);
    constexpr std::int64_t teachers = 250;
    WeightedHistograms all{10, {}, {}, {}};
    std::vector<double> expected(teachers, 0.0);
    std::map<Histogram, std::vector<double>> known;
    for (int i = 0; i < 1500; ++i) {
      // Few votes beside the two largest counts, so that many histograms share their paths.
      Histogram counts(10, 0);
      counts[0] = static_cast<std::int32_t>(random.integer(120, 250));
      const std::int64_t rest = std::min<std::int64_t>(250 - counts[0], random.integer(0, 6));
      for (std::int64_t k = 0; k < rest; ++k) {
        ++counts[static_cast<std::size_t>(random.integer(2, 9))];
      }
      counts[1] = static_cast<std::int32_t>(250 - counts[0] - rest);
      counts = sorted(counts);
      const double weight = i % 7 == 0 ? 0.0 : random.uniform(0.0, 1.0);
      all.counts.insert(all.counts.end(), counts.begin(), counts.end());
      all.weights.push_back(weight);
      all.times.push_back(1);
      auto& alone = known[counts];
      if (alone.empty()) alone = step_by_step(curve, counts);
      for (std::size_t d = 0; d < expected.size(); ++d) expected[d] += weight * alone[d];
    }
    const auto got = published_noisy_max_sensitivity(curve, all, teachers, 3);
    for (std::size_t d = 0; d < got.size(); ++d) CHECK(relative_error(got[d], expected[d]) < 1e-9);

    // Neither threads nor the order of the queries change a bit.
    CHECK(published_noisy_max_sensitivity(curve, all, teachers, 1) == got);
    WeightedHistograms backwards{10, {}, {}, {}};
    for (std::size_t i = all.weights.size(); i-- > 0;) {
      const auto* row = &all.counts[10 * i];
      backwards.counts.insert(backwards.counts.end(), row, row + 10);
      backwards.weights.push_back(all.weights[i]);
      backwards.times.push_back(1);
    }
    CHECK(published_noisy_max_sensitivity(curve, backwards, teachers, 2) == got);
  }

  TEST_CASE("no two neighbours at a distance differ by more, over all histograms") {
    struct Ensemble {
      std::int64_t teachers;
      std::size_t classes;
      double sigma;
      double order;
    };
    for (const Ensemble& e :
         {Ensemble{20, 2, 4.0, 3.0}, Ensemble{20, 2, 6.0, 5.0}, Ensemble{12, 3, 2.0, 1.5},
          Ensemble{14, 3, 3.0, 2.0}, Ensemble{9, 4, 1.5, 1.5}}) {
      const std::string text = show({{"teachers", double(e.teachers)}, {"sigma", e.sigma}});
      const PublishedCostCurve curve(e.sigma, e.order, static_cast<std::int64_t>(e.classes));
      const CurveConditions conditions = check_conditions(
          curve, unanimous_log_q(e.sigma, static_cast<std::int64_t>(e.classes), e.teachers));
      REQUIRE_MESSAGE((conditions.c5() && conditions.c6()), text);
      const std::vector<Histogram> all = all_histograms(e.teachers, e.classes);
      std::vector<double> cost;
      for (const Histogram& counts : all) {
        cost.push_back(curve.cost(log_q(GaussianNoisyMax{e.sigma}, counts)));
      }
      // By how much the cost changes at most when one vote moves away from a histogram.
      std::vector<double> change(all.size(), 0.0);
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (distance(all[i], all[j]) != 1) continue;
          const double difference = std::abs(cost[i] - cost[j]);
          change[i] = std::max(change[i], difference);
          change[j] = std::max(change[j], difference);
        }
      }
      double largest = 0.0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!std::is_sorted(all[i].begin(), all[i].end(), std::greater<>())) continue;
        const auto bound = published_noisy_max_sensitivity(curve, one(all[i]), e.teachers, 1);
        std::vector<double> truth(bound.size(), 0.0);
        for (std::size_t j = 0; j < all.size(); ++j) {
          for (auto d = static_cast<std::size_t>(distance(all[i], all[j])); d < truth.size(); ++d) {
            truth[d] = std::max(truth[d], change[j]);
          }
        }
        for (std::size_t d = 0; d < bound.size(); ++d) {
          CHECK_MESSAGE(bound[d] >= truth[d] * (1.0 - 1e-9), text, show({{"d", double(d)}}));
          largest = std::max(largest, truth[d]);
        }
      }
      CHECK(largest > 0.0);
    }
  }

  TEST_CASE("an ensemble without queries has no sensitivity") {
    const PublishedCostCurve curve(40.0, 14.0, 10);
    CHECK(published_noisy_max_sensitivity(curve, {10, {}, {}, {}}, 5, 1) ==
          std::vector<double>(5, 0.0));
  }

  TEST_CASE("log q of the unanimous histogram") {
    for (const double sigma : {1.0, 40.0, 1e4}) {
      for (const std::size_t classes : {2U, 10U}) {
        Histogram counts(classes, 0);
        counts[0] = 250;
        CHECK(relative_error(unanimous_log_q(sigma, static_cast<std::int64_t>(classes), 250),
                             log_q(GaussianNoisyMax{sigma}, counts)) < 1e-13);
      }
    }
  }

  TEST_CASE("no two neighbours at a distance have threshold costs that differ by more") {
    Random random(431);
    for (int i = 0; i < 60; ++i) {
      const std::int64_t teachers = random.integer(1, 40);
      const ThresholdCheck check{random.uniform(-5.0, 50.0), random.log_uniform(1.0, 60.0)};
      const double order = 1.0 + random.log_uniform(0.2, 20.0);
      const auto cost = [&](std::int64_t v) {
        return threshold_published(log_q(check, v), check.sigma1, order);
      };
      const WeightedStatistic query{random.integer(0, teachers), 1.0};
      const auto got = published_threshold_sensitivity(check, order, std::vector{query}, teachers);
      REQUIRE(static_cast<std::int64_t>(got.size()) == teachers);
      for (std::int64_t d = 0; d < teachers; ++d) {
        double truth = 0.0;
        for (std::int64_t v = 0; v <= teachers; ++v) {
          if (std::abs(v - query.statistic) > d) continue;
          if (v > 0) truth = std::max(truth, std::abs(cost(v) - cost(v - 1)));
          if (v < teachers) truth = std::max(truth, std::abs(cost(v) - cost(v + 1)));
        }
        CHECK(got[static_cast<std::size_t>(d)] == truth);
      }
      CHECK(std::is_sorted(got.begin(), got.end()));
    }
  }

  TEST_CASE("threshold sensitivities of several queries add up with their weights") {
    const ThresholdCheck check{200.0, 150.0};
    const std::vector<WeightedStatistic> both{{240, 3.0}, {90, 0.5}};
    const auto sum = published_threshold_sensitivity(check, 14.0, both, 250);
    const auto a = published_threshold_sensitivity(check, 14.0, std::span(both).first(1), 250);
    const auto b = published_threshold_sensitivity(check, 14.0, std::span(both).last(1), 250);
    for (std::size_t d = 0; d < sum.size(); ++d) CHECK(sum[d] == a[d] + b[d]);
  }
}
