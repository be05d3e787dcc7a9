#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/three_key_costs.hpp"
#include "pate/release/declared/certificate.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/statistic.hpp"
#include "support/three_keys.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// A query of a small ensemble in which one person reaches S teachers.
struct SmallQuery {
  CostSpec question;
  std::vector<std::int32_t> scores;  // of a student, by class

  [[nodiscard]] std::int64_t moved() const { return question.neighbours.teachers; }
  [[nodiscard]] std::int64_t statistic(const Histogram& counts) const {
    return statistic_of(question, scores, counts);
  }
};

SmallQuery random_query(Random& random) {
  SmallQuery its;
  CostSpec& q = its.question;
  q.teachers = random.integer(2, 11);
  q.classes = random.integer(2, q.teachers > 8 ? 3 : 5);
  q.order = random.log_uniform(1.3, 12.0);
  const double noise = random.log_uniform(.8, 16.0);
  const auto kind = random.integer(0, 9);
  if (kind == 0) {
    q.aggregator.noisy_max = LaplaceNoisyMax{noise};
  } else {
    q.aggregator.noisy_max = GaussianNoisyMax{noise};
    if (kind > 1) {
      q.aggregator.selection = ThresholdCheck{
          random.uniform(0.0, static_cast<double>(q.teachers) + 1.0), random.log_uniform(.8, 12.0)};
      q.aggregator.interactive = kind == 2 || kind == 3;
    }
  }
  const std::int64_t moved = random.integer(2, std::min<std::int64_t>(q.teachers, 5));
  q.neighbours = {Adjacency::replace, moved};
  q.cost = default_cost(q.aggregator, q.neighbours, q.teachers, q.classes);
  if (const auto other = random.integer(0, 3); q.aggregator.is_gaussian() && other < 2) {
    q.cost = other == 0 ? CurveCost::tradeoff : CurveCost::tilted;
  }
  for (std::int64_t j = 0; j < q.classes; ++j) {
    its.scores.push_back(static_cast<std::int32_t>(random.integer(0, 3)));
  }
  return its;
}

std::string described(const SmallQuery& its) {
  const CostSpec& q = its.question;
  const auto& check = q.aggregator.selection;
  return show({{"M", q.teachers},
               {"m", q.classes},
               {"S", its.moved()},
               {"noise", q.aggregator.noisy_max.parameter()},
               {"T", check ? check->threshold : -1.0},
               {"sigma1", check ? check->sigma1 : -1.0},
               {"interactive", q.aggregator.interactive},
               {"cost", static_cast<int>(q.cost)},
               {"order", q.order}});
}

std::vector<double> outcomes_of(const SmallQuery& its, const Histogram& counts) {
  const NoisyMax& noise = its.question.aggregator.noisy_max;
  const Probabilities classes = noise.is_gaussian() ? gaussian_outcomes(counts, noise.parameter())
                                                    : laplace_outcomes(counts, noise.parameter());
  std::vector<double> result;
  double answered = 1.0;
  if (const auto& check = its.question.aggregator.selection) {
    const double x =
        (static_cast<double>(its.statistic(counts)) - check->threshold) / check->sigma1;
    answered = normal_cdf(x);
    result.push_back(normal_cdf(-x));
  }
  for (const long double p : classes) result.push_back(answered * static_cast<double>(p));
  return result;
}

double divergence(const std::vector<double>& p, const std::vector<double>& q, double order) {
  long double sum = 0.0L;
  for (std::size_t o = 0; o < p.size(); ++o) {
    if (p[o] > 0.0) sum += std::exp(order * std::log(p[o]) + (1.0 - order) * std::log(q[o]));
  }
  return static_cast<double>(std::log(sum)) / (order - 1.0);
}

std::vector<CostUnits> within(const CostsWithinDistance& costs, const SmallQuery& its,
                              const Histogram& counts) {
  Histogram sorted = counts;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<CostUnits> sum(static_cast<std::size_t>(its.question.teachers) + 1, 0);
  costs.add(sorted, its.statistic(counts), 1, 1, sum);
  return sum;
}

}  // namespace

TEST_SUITE_BEGIN("release");

// One step is all that a person may do to a query: up to S votes.
TEST_CASE("costs within persons: above every neighbour's, and nested for all of them") {
  Random random(2026);
  bool above = true;
  bool nested = true;
  bool ends = true;
  bool one_vote_falls_short = false;
  std::int64_t pairs = 0;
  for (int config = 0; config < 150; ++config) {
    const SmallQuery its = random_query(random);
    CAPTURE(described(its));
    const CostsWithinDistance costs(its.question, 1);
    CostSpec of_one = its.question;
    of_one.neighbours = {};
    of_one.cost =
        default_cost(of_one.aggregator, of_one.neighbours, of_one.teachers, of_one.classes);
    const CostsWithinDistance one_vote(of_one, 1);
    const auto histograms = all_histograms(static_cast<std::int32_t>(its.question.teachers),
                                           static_cast<std::size_t>(its.question.classes));
    std::vector<std::vector<CostUnits>> ub;
    std::vector<std::vector<double>> outcomes;
    for (const Histogram& counts : histograms) {
      ub.push_back(within(costs, its, counts));
      outcomes.push_back(outcomes_of(its, counts));
    }
    const auto last = static_cast<std::size_t>(its.question.teachers);
    bool here = true;
    for (std::size_t a = 0; a < histograms.size(); ++a) {
      double exact = 0.0;
      for (std::size_t b = 0; b < histograms.size(); ++b) {
        if (distance(histograms[a], histograms[b]) > its.moved()) continue;
        exact = std::max(exact, divergence(outcomes[a], outcomes[b], its.question.order));
        for (std::size_t d = 0; d < last; ++d) nested = nested && ub[b][d] <= ub[a][d + 1];
        ++pairs;
      }
      here = here && cost_of_units(ub[a][0]) >= exact * (1.0 - 1e-9) - 1e-12;
      const auto by_one = within(one_vote, its, histograms[a]);
      one_vote_falls_short = one_vote_falls_short || cost_of_units(by_one[0]) < .9 * exact;
      // All votes are within ceil(M / S) persons.
      const std::size_t all = (last + static_cast<std::size_t>(its.moved()) - 1) /
                              static_cast<std::size_t>(its.moved());
      ends = ends && ub[a][all] == costs.largest(1, 1) && ub[a][last] == ub[a][all];
    }
    CHECK(here);
    above = above && here;
  }
  MESSAGE(pairs << " pairs");
  CHECK(above);
  CHECK(nested);
  CHECK(ends);
  CHECK(one_vote_falls_short);
}

TEST_CASE("costs within persons: fewer distances are the first ones of all") {
  Random random(5);
  for (int config = 0; config < 20; ++config) {
    const SmallQuery its = random_query(random);
    CAPTURE(described(its));
    const CostsWithinDistance costs(its.question, 1);
    std::vector<ProfiledQuery> queries;
    for (int i = 0; i < 3; ++i) {
      Histogram counts(static_cast<std::size_t>(its.question.classes), 0);
      for (std::int64_t t = 0; t < its.question.teachers; ++t) {
        ++counts[static_cast<std::size_t>(random.integer(0, its.question.classes - 1))];
      }
      queries.push_back({counts, its.statistic(counts), true});
    }
    const VoteProfile votes = profile_of(its.question.aggregator, queries, its.question.neighbours);
    const std::vector<CostUnits> all = costs.upper(votes, 1);
    for (std::size_t size = 1; size <= all.size(); ++size) {
      std::vector<CostUnits> expected(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
      expected.back() = all.back();
      CHECK(costs.upper(votes, 1, size) == expected);
    }
  }
}

// Keys at several orders at once, against the sums of each move.
TEST_CASE("three keys: of several votes they are those of each move summed for itself") {
  Random random(84);
  int compared = 0;
  struct Run {
    std::int64_t teachers, classes, moved;
    double threshold, sigma1, sigma2;
  };
  for (const Run& run :
       {Run{250, 10, 2, 200, 150, 40}, Run{100, 10, 3, 60, 15, 15}, Run{60, 4, 7, 40, 10, 9},
        Run{20, 3, 2, 12, 4, 1}, Run{40, 2, 5, 20, 12, 8}, Run{90, 7, 2, 40, 30, 2}}) {
    CAPTURE(run.teachers);
    CAPTURE(run.moved);
    std::vector<TiltedCost> costs;
    for (const double order : {1.5, 4.0, 7.25, 12.0}) {
      costs.emplace_back(GaussianNoisyMax{run.sigma2}, ThresholdCheck{run.threshold, run.sigma1},
                         run.teachers, run.classes, order, 1U, TiltedMoment::kMostCells, run.moved);
    }
    compared += compare_three_keys(costs, random, 1e-10);
  }
  CHECK(compared > 1500);
}

TEST_CASE("costs within persons: what there is for whom") {
  CostSpec question;
  question.teachers = 500;
  question.classes = 10;
  question.order = 4.0;
  const auto with = [&](const Neighbours& neighbours) {
    CostSpec its = question;
    its.aggregator.noisy_max = GaussianNoisyMax{40.0};
    its.neighbours = neighbours;
    its.cost = default_cost(its.aggregator, its.neighbours, its.teachers, its.classes);
    return its;
  };
  // Two keys know one vote.
  CHECK(with({}).cost == CurveCost::tilted);
  CHECK(with({Adjacency::replace, 2}).cost == CurveCost::tradeoff);
  CostSpec tilted = with({Adjacency::replace, 2});
  tilted.cost = CurveCost::tilted;
  CHECK_THROWS_AS(validate(tilted), parameter_error);
  tilted.teachers = 400;
  CHECK_NOTHROW(validate(tilted));
  CHECK(default_certificate(tilted) == Certificate::renyi);
  CHECK_THROWS_AS(check_certificate(Certificate::complex, tilted), parameter_error);
  CHECK_THROWS_AS(validate(with({Adjacency::add_remove, 1})), parameter_error);
  question.teachers = 3;
  CHECK_THROWS_AS(validate(with({Adjacency::replace, 4})), parameter_error);
  CHECK_NOTHROW(validate(with({Adjacency::replace, 3})));
}

TEST_SUITE_END();
