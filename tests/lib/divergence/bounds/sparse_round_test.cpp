// What a round of AboveThreshold with Gaussian noise costs whatever the votes: the maximum over
// every probability of a refusal against grids, and all runs and neighbours of small ones.

#include "pate/divergence/bounds/sparse_round.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.hpp"
#include "support/sparse_transcripts.hpp"

using pate::log_sparse_moment;
using pate::sparse_round_cost;
using pate::SparseRound;
using pate::StabilityTest;
using pate_test::Random;

namespace {

double phi(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// V by points of a grid, from below.
double moment_on_grid(const SparseRound& round, double order, double step) {
  std::vector<double> refused;
  std::vector<double> moment;
  for (double x = -20.0; x <= 20.0; x += step) {
    refused.push_back(phi(x));
    moment.push_back(
        std::exp(order * std::log(phi(x)) - (order - 1.0) * std::log(phi(x - 2.0 / round.sigma))));
  }
  double v = 1.0;
  for (std::int64_t k = 0; k < round.queries; ++k) {
    double most = v;
    for (std::size_t i = 0; i < refused.size(); ++i) {
      most = std::max(most, moment[i] + (1.0 - refused[i]) * v);
    }
    v = most;
  }
  return v;
}

}  // namespace

TEST_CASE("a round of AboveThreshold: its moment is the largest over all queries") {
  Random random(20261126);
  for (int i = 0; i < 40; ++i) {
    const SparseRound round{random.log_uniform(1.5, 60.0), random.integer(1, 30)};
    const double order = 1.0 + random.log_uniform(0.01, 16.0);
    CAPTURE(round.sigma);
    CAPTURE(round.queries);
    CAPTURE(order);
    const double by_grid = moment_on_grid(round, order, 1.0 / 512.0);
    const double v = std::exp(log_sparse_moment(round, order));
    CHECK(v >= by_grid * (1.0 - 1e-14));
    CHECK(v - 1.0 <= (by_grid - 1.0) * (1.0 + 2e-4) + 1e-13);
  }
}

TEST_CASE("a round of AboveThreshold: many queries are summed in pieces, outwards") {
  for (const double sigma : {3.0, 25.0}) {
    for (const double order : {1.5, 8.0}) {
      const SparseRound round{sigma, 3000};
      CAPTURE(sigma);
      CAPTURE(order);
      const double by_grid = moment_on_grid(round, order, 1.0 / 64.0);
      const double v = std::exp(log_sparse_moment(round, order));
      CHECK(v >= by_grid * (1.0 - 1e-12));
      CHECK(v - 1.0 <= (by_grid - 1.0) * 1.02);
    }
  }
  // However many: a cost, and one that rises.
  double last = 0.0;
  for (std::int64_t queries = 1; queries <= std::int64_t{1} << 53; queries *= 8) {
    const double cost = sparse_round_cost({20.0, queries}, 6.0);
    CHECK(std::isfinite(cost));
    CHECK(cost > last);
    last = cost;
  }
}

TEST_CASE("a round of AboveThreshold: no queries on no neighbours cost more") {
  Random random(11);
  double nearest = 0.0;
  for (int i = 0; i < 30; ++i) {
    const double sigma = random.log_uniform(0.6, 8.0);
    const auto queries = random.integer(1, 5);
    const auto test = StabilityTest::sparse_gaussian(sigma, 0.05, 1, queries);
    const double order = 1.0 + random.log_uniform(0.2, 12.0);
    pate_test::SparseTranscripts runs(test);
    std::vector<std::int64_t> own;
    std::vector<std::int64_t> other;
    const auto most = static_cast<std::int64_t>(3.0 * test.threshold()) + 2;
    // Answers that are as likely on the neighbour and a refusal that is not are the worst.
    const std::int64_t way = random.integer(0, 2);
    for (std::int64_t k = 0; k < queries; ++k) {
      own.push_back(random.integer(1, most));
      other.push_back(own.back() + (way == 2 ? random.integer(-1, 1) : 2 * way - 1));
    }
    const double cost = sparse_round_cost({sigma, queries}, order);
    CAPTURE(sigma);
    CAPTURE(queries);
    CAPTURE(order);
    for (const bool forward : {true, false}) {
      const double its = forward ? pate_test::renyi(runs.of(own), runs.of(other), order)
                                 : pate_test::renyi(runs.of(other), runs.of(own), order);
      CHECK(its <= cost);
      nearest = std::max(nearest, its / cost);
    }
  }
  CHECK(nearest > 0.15);  // the comparison says something
}

TEST_CASE("a round of AboveThreshold: nothing costs nothing, what is no number none") {
  CHECK(log_sparse_moment({4.0, 0}, 3.0) < 1e-290);
  CHECK(std::isnan(log_sparse_moment({0.0, 3}, 3.0)));
  CHECK(std::isnan(log_sparse_moment({std::nan(""), 3}, 3.0)));
  CHECK(std::isnan(log_sparse_moment({1.0, 3}, 1.0)));
  CHECK(std::isnan(sparse_round_cost({1.0, -1}, 2.0)));
  // Of tiny noise V is that of one query at least, g = Phi(-k s): order (order - 1) s^2 / 2 and
  // what its probability has.
  for (const double sigma : {1e-8, 1e-7, 1e-5, 1e-3}) {
    for (const double order : {2.0, 8.0, 100.0, 10000.0}) {
      CAPTURE(sigma);
      CAPTURE(order);
      const double known = 2.0 * order / sigma / sigma;  // of log V / (order - 1)
      CHECK(sparse_round_cost({sigma, 1000}, order) - order / sigma / sigma >= known * (1 - 1e-5));
    }
  }
  // Noise of any size: what tiny noise costs overflows to infinity, and never to NaN.
  for (const double sigma : {1e-100, 1e-3, 1e3, 1e15}) {
    for (const double order : {1.0 + 1e-6, 2.0, 1e4}) {
      CAPTURE(sigma);
      CAPTURE(order);
      CHECK(sparse_round_cost({sigma, 1000}, order) > 0.0);
    }
  }
}
