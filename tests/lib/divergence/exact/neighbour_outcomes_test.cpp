#include "pate/divergence/exact/neighbour_outcomes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "pate/divergence/exact/noise_rules.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

std::int64_t sum_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

NeighbourOutcomes gaussian(const Counts& counts, double sigma, int steps = 8) {
  const GroupedVotes votes = group_votes(counts);
  NoiseAtNodes noise;
  const GaussianLattice lattice(sigma, sum_of(counts), steps);
  lattice.at(votes, noise);
  return {votes, noise};
}

NeighbourOutcomes laplace(const Counts& counts, double scale, double panels = 1.0) {
  const GroupedVotes votes = group_votes(counts);
  NoiseAtNodes noise;
  LaplacePanels(scale, panels).at(votes, noise);
  return {votes, noise};
}

std::vector<double> probabilities(const NeighbourOutcomes& outcomes, const Counts& counts) {
  const auto groups = groups_of_classes(group_votes(counts), counts, {}, 0);
  std::vector<double> result;
  for (const auto group : groups) result.push_back(std::exp(outcomes.log_probabilities()[group]));
  return result;
}

// What two rules say of a query must agree.
void check_same(const NeighbourOutcomes& a, const NeighbourOutcomes& b, double tolerance) {
  REQUIRE(a.is_complete());
  REQUIRE(b.is_complete());
  for (std::size_t j = 0; j < a.log_probabilities().size(); ++j) {
    const double log_p = a.log_probabilities()[j];
    CHECK(std::abs(log_p - b.log_probabilities()[j]) < tolerance * (1.0 - log_p));
  }
  for (std::size_t k = 0; k < a.neighbours().size(); ++k) {
    for (const double order : {1.2, 6.0, 40.0}) {
      CHECK(relative_error(a.excess(k, order).forward, b.excess(k, order).forward) <
            100.0 * tolerance);
      CHECK(relative_error(a.excess(k, order).reverse, b.excess(k, order).reverse) <
            100.0 * tolerance);
    }
  }
}

Counts many_classes(Random& random, std::int64_t teachers, std::int64_t classes) {
  return random_histogram(random, teachers, classes);
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("outcome probabilities of the rules against the oracle") {
    for (const OracleRow& row : oracle("outcomes")) {
      const Counts counts = row.counts("n");
      const auto got = probabilities(gaussian(counts, row.number("sigma")), counts);
      const auto expected = row.numbers("pr");
      for (std::size_t j = 0; j < counts.size(); ++j) {
        CHECK_MESSAGE(probability_error(got[j], expected[j]) < 1e-12, row.text());
      }
    }
    for (const OracleRow& row : oracle("outcomes_laplace")) {
      const Counts counts = row.counts("n");
      const auto got = probabilities(laplace(counts, 1.0 / row.number("gamma")), counts);
      const auto expected = row.numbers("pr");
      for (std::size_t j = 0; j < counts.size(); ++j) {
        CHECK_MESSAGE(probability_error(got[j], expected[j]) < 1e-11, row.text());
      }
    }
  }

  TEST_CASE("half the step says the same") {
    Random random(621);
    for (int i = 0; i < 40; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 250), random.integer(2, 8));
      const double sigma = random.log_uniform(0.25, 2000.0);
      INFO("sigma ", sigma, " trial ", i);
      check_same(gaussian(counts, sigma), gaussian(counts, sigma, 16), 1e-12);
      const double scale = random.log_uniform(0.1, 2000.0);
      INFO("scale ", scale);
      check_same(laplace(counts, scale), laplace(counts, scale, 2.0), 1e-11);
    }
  }

  TEST_CASE("half the step says the same of very many classes") {
    Random random(622);
    Counts tied(150, 30);
    check_same(gaussian(tied, 40.0), gaussian(tied, 40.0, 16), 1e-12);
    check_same(laplace(tied, 40.0), laplace(tied, 40.0, 2.0), 1e-11);
    tied[0] = 0;  // beaten by all the others
    tied[1] = 31;
    for (const double sigma : {1.0, 3.0, 10.0, 400.0}) {
      check_same(gaussian(tied, sigma), gaussian(tied, sigma, 16), 1e-11);
      check_same(laplace(tied, sigma), laplace(tied, sigma, 2.0), 1e-10);
    }
    const Counts counts = many_classes(random, 5000, 150);
    check_same(gaussian(counts, 100.0), gaussian(counts, 100.0, 16), 1e-12);
    check_same(laplace(counts, 100.0), laplace(counts, 100.0, 2.0), 1e-11);
  }

  TEST_CASE("probabilities add up to one, on the votes and on every neighbour") {
    Random random(623);
    for (int i = 0; i < 40; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 60), random.integer(2, 9));
      const double noise = random.log_uniform(0.4, 300.0);
      const GroupedVotes votes = group_votes(counts);
      for (const NeighbourOutcomes& outcomes : {gaussian(counts, noise), laplace(counts, noise)}) {
        const auto& log_p = outcomes.log_probabilities();
        for (std::size_t k = 0; k <= outcomes.neighbours().size(); ++k) {
          const bool on_votes = k == outcomes.neighbours().size();
          double sum = 0.0;
          for (std::size_t j = 0; j < votes.groups.size(); ++j) {
            double classes = votes.groups[j].classes;
            double ratio = 1.0;
            if (!on_votes) {
              const auto neighbour = outcomes.neighbours()[k];
              const double* const l = outcomes.log_ratios(k);
              ratio = std::exp(l[j]);
              if (neighbour.from == j) {
                classes -= 1.0;
                sum += std::exp(log_p[j] + l[votes.groups.size()]);
              }
              if (neighbour.to == j) {
                classes -= 1.0;
                sum += std::exp(log_p[j] + l[votes.groups.size() + 1]);
              }
            }
            sum += classes * std::exp(log_p[j]) * ratio;
          }
          CHECK(std::abs(sum - 1.0) < 1e-11);
        }
      }
    }
  }

  TEST_CASE("the one class that all votes are for wins with what the others leave") {
    for (const std::int32_t votes : {1, 2, 3, 9}) {
      for (const double sigma : {0.25, 0.3, 0.6, 1.0, 3.0}) {
        const NeighbourOutcomes outcomes = gaussian({votes, 0}, sigma);
        CAPTURE(votes);
        CAPTURE(sigma);
        const double lead = votes / (2.0 * sigma);
        CHECK(relative_error(std::exp(outcomes.log_probabilities()[0]),
                             1.0 - 0.5 * std::erfc(lead)) < 1e-11);
        CHECK(probability_error(std::exp(outcomes.log_probabilities()[1]), 0.5 * std::erfc(lead)) <
              1e-11);
      }
    }
  }

  TEST_CASE("half the step says the same of one class far below many") {
    for (const std::int32_t many : {5, 12, 25, 60}) {
      Counts counts(static_cast<std::size_t>(many), 100);
      counts.push_back(0);
      for (const double scale : {5.0, 12.0, 30.0}) {
        CAPTURE(many);
        CAPTURE(scale);
        check_same(laplace(counts, scale), laplace(counts, scale, 2.0), 1e-11);
      }
      counts[0] = 101;
      check_same(laplace(counts, 3.0), laplace(counts, 3.0, 2.0), 1e-11);
    }
  }

  TEST_CASE("a lattice too large for its table says the same") {
    // 900,000 teachers: rows are filled query by query.
    Counts counts{500'000, 399'000, 1'000};
    const NeighbourOutcomes outcomes = gaussian(counts, 60'000.0);
    const long double lead = 101'000.0L / (2.0L * 60'000.0L);
    const double second = std::exp(outcomes.log_probabilities()[1]);
    // The third is 6.6 deviations behind the second: nearly a duel of two.
    CHECK(relative_error(second, static_cast<double>(0.5L * std::erfc(lead))) < 1e-6);
    check_same(outcomes, gaussian(counts, 60'000.0, 16), 1e-12);
  }

  TEST_CASE("the mechanism itself, drawn, agrees within five standard errors") {
    Random random(624);
    constexpr int kDraws = 200'000;
    const Counts counts{21, 17, 16, 4, 0, 0};
    for (const bool is_gaussian : {true, false}) {
      const double noise = 7.0;
      std::vector<int> wins(counts.size(), 0);
      for (int i = 0; i < kDraws; ++i) {
        std::size_t best = 0;
        double highest = -kInfinity;
        for (std::size_t j = 0; j < counts.size(); ++j) {
          const double u = random.uniform(0.0, 1.0) + 1e-17;
          const double w = random.uniform(0.0, 1.0);
          const double draw =
              is_gaussian ? std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * w)
                          : (w < 0.5 ? 1.0 : -1.0) * std::log(u);
          const double value = counts[j] + noise * draw;
          if (value > highest) {
            highest = value;
            best = j;
          }
        }
        ++wins[best];
      }
      const auto p =
          probabilities(is_gaussian ? gaussian(counts, noise) : laplace(counts, noise), counts);
      for (std::size_t j = 0; j < counts.size(); ++j) {
        const double error = std::sqrt(p[j] * (1.0 - p[j]) / kDraws);
        CHECK(std::abs(wins[j] / static_cast<double>(kDraws) - p[j]) < 5.0 * error);
      }
    }
  }
}
