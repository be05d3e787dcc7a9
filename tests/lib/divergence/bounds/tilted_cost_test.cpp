#include "pate/divergence/bounds/tilted_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/normal.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// log sum P^order P'^(1-order) / (order - 1) of a query and a neighbour, by quadrature.
double exact_forward(const Histogram& counts, const Histogram& moved, double sigma,
                     const std::optional<ThresholdCheck>& check, double order) {
  const Probabilities p = gaussian_outcomes(counts, sigma);
  const Probabilities q = gaussian_outcomes(moved, sigma);
  const auto power = [order](long double a, long double b) {
    return a > 0.0L ? std::exp(order * std::log(a) + (1.0 - order) * std::log(b)) : 0.0L;
  };
  long double sum = 0.0L;
  for (std::size_t j = 0; j < p.size(); ++j) sum += power(p[j], q[j]);
  if (check) {
    const auto x = [&](const Histogram& h) {
      return (*std::max_element(h.begin(), h.end()) - check->threshold) / check->sigma1;
    };
    sum = power(normal_cdf(-x(counts)), normal_cdf(-x(moved))) +
          power(normal_cdf(x(counts)), normal_cdf(x(moved))) * sum;
  }
  return static_cast<double>(std::log(sum)) / (order - 1.0);
}

// Pr[the top class does not win] on a grid far finer than the library's.
long double fine_q(const std::vector<TiltedMoment::Group>& groups, double sigma) {
  constexpr long double kStep = 0.02L;
  long double sum = 0.0L;
  for (int k = -2000; k <= 600; ++k) {
    const long double z = kStep * static_cast<long double>(k);
    long double log_wins = 0.0L;
    for (const TiltedMoment::Group& group : groups) {
      const long double x =
          (z + static_cast<long double>(group.gap) / sigma) / std::numbers::sqrt2_v<long double>;
      const long double log_cdf =
          x < 0.0L ? std::log(0.5L * std::erfc(-x)) : std::log1p(-0.5L * std::erfc(x));
      log_wins += static_cast<long double>(group.classes) * log_cdf;
    }
    sum -= std::exp(-0.5L * z * z) * std::expm1(log_wins);
  }
  return sum * kStep * std::numbers::inv_sqrtpi_v<long double> / std::numbers::sqrt2_v<long double>;
}

}  // namespace

TEST_CASE("tilted cost: q is that of a finer rule, from two classes to a million") {
  Random random(11);
  for (const std::int64_t classes :
       {2, 3, 5, 6, 10, 11, 20, 21, 150, 151, 1000, 1001, 20'000, 100'000, 100'001, 1'000'000}) {
    const double sigma = 30.0;
    const TiltedMoment moment(GaussianNoisyMax{sigma}, 400, classes, 3.0);
    for (int trial = 0; trial < 12; ++trial) {
      std::vector<TiltedMoment::Group> groups;
      std::int64_t left = classes - 1;
      while (left > 0) {
        const std::int64_t some = groups.size() == 4 ? left : random.integer(1, left);
        groups.push_back(
            {random.integer(trial % 3 == 0 ? 0 : 60, trial % 2 == 0 ? 80 : 400), some});
        left -= some;
      }
      const long double reference = fine_q(groups, sigma);
      CAPTURE(classes);
      CHECK(std::abs(static_cast<long double>(moment.wins({{}, groups}).q) - reference) <=
            1e-12L * reference);
    }
  }
}

// With more teachers gaps share rows of other nodes: the same sums by another rule.
TEST_CASE("tilted cost: with rows that gaps share it is what it is with rows of their own") {
  Random random(29);
  for (const std::int64_t classes : {3, 10, 150}) {
    for (const double sigma : {.7, 5.0, 30.0}) {
      for (const double order : {1.5, 2.37, 9.0}) {
        const TiltedMoment own(GaussianNoisyMax{sigma}, 400, classes, order);
        const TiltedMoment shared(GaussianNoisyMax{sigma}, 1200, classes, order);
        for (int trial = 0; trial < 20; ++trial) {
          std::vector<TiltedMoment::Group> cells;
          std::vector<TiltedMoment::Group> others;
          // A vote from the top class to the first one behind it.
          const auto gap = [&] { return random.integer(0, trial % 2 == 0 ? 6 : 300); };
          const bool has_cell = trial % 3 > 0;
          const std::int64_t first = gap();
          if (has_cell) cells.push_back({std::min<std::int64_t>(first, 6), 1, -2});
          if (!has_cell) others.push_back({first, 1, -2});
          others.push_back({gap(), classes - 2, -1});
          CAPTURE(classes);
          CAPTURE(sigma);
          CAPTURE(order);
          const auto before = own.wins({cells, others});
          const double its = own.excess(before, {cells, others});
          const double found = shared.excess(shared.wins({cells, others}), {cells, others});
          if (!std::isfinite(its)) {
            CHECK(found == its);
            continue;
          }
          // Where the top class hardly ever wins its logarithm has fewer digits.
          const double left = 1.0 - own.wins_after({cells, others}).q;
          CHECK(std::abs(found - its) <= 1e-11 * (1.0 + its) / left);
          // Who wins is the same at any order.
          const TiltedMoment other(GaussianNoisyMax{sigma}, 1200, classes, 1.0 + 0x1p-20);
          const double mixed = shared.excess(other.wins({cells, others}),
                                             other.wins_after({cells, others}), {cells, others});
          CHECK(std::abs(mixed - its) <= 1e-11 * (1.0 + its) / left);
        }
      }
    }
  }
}

// Both with few teachers and few trials.
TEST_CASE("tilted cost: every rule by classes, and rows that are shared, at one point each") {
  for (const std::int64_t classes : {4, 8, 15, 100, 500, 20'000, 200'000}) {
    CAPTURE(classes);
    const TiltedMoment moment(GaussianNoisyMax{10.0}, 40, classes, 2.0);
    const std::vector<TiltedMoment::Group> groups{{12, 1}, {40, classes - 2}};
    const long double reference = fine_q(groups, 10.0);
    CHECK(std::abs(static_cast<long double>(moment.wins({{}, groups}).q) - reference) <=
          1e-12L * reference);
  }
  const TiltedMoment own(GaussianNoisyMax{5.0}, 400, 10, 2.37);
  const TiltedMoment shared(GaussianNoisyMax{5.0}, 401, 10, 2.37);
  for (const std::int64_t gap : {0, 3, 40, 300}) {
    const std::array<TiltedMoment::Group, 1> cells{{{std::min<std::int64_t>(gap, 6), 1, -2}}};
    const std::array<TiltedMoment::Group, 1> others{{{gap, 8, -1}}};
    const double its = own.excess(own.wins({cells, others}), {cells, others});
    const double found = shared.excess(shared.wins({cells, others}), {cells, others});
    CHECK(found == doctest::Approx(its).epsilon(1e-11));
  }
}

TEST_CASE("tilted moment: where all are so far behind, no move costs more than is said of them") {
  for (const double order : {1.5, 4.0}) {
    const TiltedMoment moment(GaussianNoisyMax{4.0}, 100, 5, order);
    CHECK(moment.excess_far_behind(0) == kInfinity);
    CHECK(moment.excess_far_behind(3) == kInfinity);  // any of them may win
    double before = kInfinity;
    for (const std::int64_t gap : {15, 30, 45, 60}) {
      const double bound = moment.excess_far_behind(gap);
      CHECK(bound < before);
      before = bound;
      for (const std::int64_t further : {0, 20}) {
        const std::array<TiltedMoment::Group, 2> others{{{gap, 1, -2}, {gap + further, 3, -1}}};
        CHECK(moment.excess(moment.wins({{}, others}), {{}, others}) <= bound);
      }
    }
    CHECK(before < 1e-9);
  }
}

TEST_CASE("tilted cost: between the exact cost and the trade-off bound, ties included") {
  Random random(3);
  for (int config = 0; config < 25; ++config) {
    const auto teachers = static_cast<std::int32_t>(random.integer(1, 7));
    const auto classes = static_cast<std::size_t>(random.integer(2, teachers > 5 ? 4 : 5));
    const double sigma = random.log_uniform(.8, 12.0);
    const double order = random.log_uniform(1.3, 12.0);
    std::optional<ThresholdCheck> check;
    if (random.integer(0, 2) > 0) {
      check = ThresholdCheck{random.uniform(0.0, teachers + 2.0), random.log_uniform(1.0, 20.0)};
    }
    CAPTURE(show({{"M", teachers},
                  {"m", static_cast<double>(classes)},
                  {"sigma", sigma},
                  {"order", order},
                  {"T", check ? check->threshold : -1.0},
                  {"sigma1", check ? check->sigma1 : -1.0}}));
    const GaussianNoisyMax noise{sigma};
    const TiltedCost tilted(noise, check, teachers, static_cast<std::int64_t>(classes), order);
    const double noise_cap = data_independent_cost(noise, order);
    const TiltedCost one_cell(noise, check, teachers, static_cast<std::int64_t>(classes), order, 1,
                              0);
    bool above_exact = true;
    bool below_tradeoff = true;
    bool below_one_cell = true;
    bool is_exact = true;
    for (const Histogram& counts : all_histograms(teachers, classes)) {
      const double cost = tilted.cost(counts);
      double exact = 0.0;
      for (std::size_t a = 0; a < classes; ++a) {
        for (std::size_t b = 0; b < classes; ++b) {
          if (a == b || counts[a] == 0) continue;
          Histogram moved = counts;
          --moved[a];
          ++moved[b];
          exact = std::max(exact, exact_forward(counts, moved, sigma, check, order));
        }
      }
      above_exact = above_exact && cost >= exact - 1e-14;
      below_one_cell = below_one_cell && cost <= one_cell.cost(counts) * (1.0 + 1e-9) + 1e-12;
      // All classes are cells.
      if (classes <= 3) is_exact = is_exact && cost <= exact * (1.0 + 1e-8) + 1e-11;
      const double excess = tradeoff_log_excess(noise, log_q(noise, counts), order).forward;
      const std::int64_t v = *std::max_element(counts.begin(), counts.end());
      const double tradeoff =
          check ? JointCost(AnswerTable(*check, {}, 0, teachers, teachers), order, noise_cap)
                      .costs(v, {excess, excess})
                      .forward
                : cost_of_log_excess(excess, order, noise_cap);
      below_tradeoff = below_tradeoff && cost <= tradeoff * (1.0 + 1e-9);
    }
    CHECK(above_exact);
    CHECK(below_tradeoff);
    CHECK(below_one_cell);
    CHECK(is_exact);
  }
}

TEST_CASE("tilted cost: noise far below one vote, where the top class all but never wins on n'") {
  for (const double sigma : {.05, .074, .12, .2, .3}) {
    for (const double order : {1.05, 1.42, 2.0}) {
      for (const Histogram& counts : {Histogram{1, 0, 0}, Histogram{2, 1, 0}, Histogram{5, 5, 4}}) {
        CAPTURE(sigma);
        CAPTURE(order);
        const auto teachers = std::accumulate(counts.begin(), counts.end(), 0);
        const GaussianNoisyMax noise{sigma};
        // What one outcome costs: the top class, which lost a vote to another.
        const double gap = static_cast<double>(counts[0] - counts[1]);
        const double wins = 1.0 - (counts[2] == 4 ? .6 : 2.0 * normal_cdf(-gap / sigma / 1.4143));
        const double log_wins_after = log_normal_cdf(-(2.0 - gap) / sigma / 1.4143);
        const double least =
            (order * std::log(wins) - (order - 1.0) * log_wins_after) / (order - 1.0);
        const double cost = TiltedCost(noise, std::nullopt, teachers, 3, order).cost(counts);
        CHECK(cost >= least * (1.0 - 1e-9));
        CHECK(cost <= data_independent_cost(noise, order));
      }
    }
  }
}

// On tilted counts a cell may be far ahead: at the noise of the top class that leads to its density
// all of the others' probability is in the last digits of 1 - x.
TEST_CASE("tilted moment: a cell that is far ahead on tilted counts loses no digits") {
  const TiltedMoment moment(GaussianNoisyMax{1.0}, 20, 3, 16.0);
  const std::array<TiltedMoment::Group, 1> cells{{{6, 1, 0}}};
  const std::array<TiltedMoment::Group, 1> others{{{13, 1, 0}}};
  const std::array<TiltedMoment::Group, 1> moved_cells{{{6, 1, 2}}};
  const std::array<TiltedMoment::Group, 1> moved_others{{{13, 1, 1}}};
  // e^240 times the probability that 0 is above -2 and 22 with noise of 1, at 30 digits.
  const double excess = moment.excess(moment.wins({cells, others}), {moved_cells, moved_others});
  CHECK(excess == doctest::Approx(1.22537579148366e50).epsilon(1e-7));
}

TEST_CASE("tilted cost: what it refuses, and where nothing but the data-independent cost is left") {
  const GaussianNoisyMax noise{0.1};
  const TiltedCost cost(noise, std::nullopt, 10, 3, 8.0);
  CHECK(cost.cost(Histogram{10, 0, 0}) == data_independent_cost(noise, 8.0));
  CHECK_THROWS_AS(static_cast<void>(cost.cost(Histogram{9, 0, 0})), parameter_error);
  CHECK_THROWS_AS(static_cast<void>(cost.cost(Histogram{10, 0})), parameter_error);
  CHECK_THROWS_AS(TiltedCost(noise, std::nullopt, 10, 1, 8.0), parameter_error);
  CHECK_THROWS_AS(TiltedCost(noise, std::nullopt, 10, 3, 1.0), parameter_error);
  CHECK_THROWS_AS(TiltedCost(GaussianNoisyMax{kNaN}, std::nullopt, 10, 3, 8.0), parameter_error);
}
