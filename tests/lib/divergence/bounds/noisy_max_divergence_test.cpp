// The bounds against the mechanisms themselves: exact divergences of small ensembles by quadrature.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kOrders[] = {1.1, 2.0, 5.0, 20.0, 60.0};

std::string show_ensemble(const Counts& counts, const Counts& neighbour, double noise,
                          double order) {
  std::ostringstream text;
  text << show({{"noise", noise}, {"order", order}}) << "counts";
  for (const std::int32_t n : counts) text << ' ' << n;
  text << " neighbour";
  for (const std::int32_t n : neighbour) text << ' ' << n;
  return text.str();
}

/// Divergences below this are lost in the rounding of the quadrature.
constexpr double kSmallest = 1e-13;

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the quadrature of outcomes agrees with the oracle") {
    for (const OracleRow& row : oracle("outcomes")) {
      const Probabilities p = gaussian_outcomes(row.counts("n"), row.number("sigma"));
      const std::vector<double> expected = row.numbers("pr");
      REQUIRE(p.size() == expected.size());
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (expected[j] < 1e-25) continue;  // beyond the range of the test's quadrature
        CHECK_MESSAGE(relative_error(static_cast<double>(p[j]), expected[j]) < 1e-11, row.text());
      }
    }
    for (const OracleRow& row : oracle("outcomes_laplace")) {
      const Probabilities p = laplace_outcomes(row.counts("n"), 1.0 / row.number("gamma"));
      const std::vector<double> expected = row.numbers("pr");
      REQUIRE(p.size() == expected.size());
      for (std::size_t j = 0; j < p.size(); ++j) {
        CHECK_MESSAGE(relative_error(static_cast<double>(p[j]), expected[j]) < 1e-11, row.text());
      }
    }
  }

  TEST_CASE("the printed exact divergences come out of the quadrature") {
    // Counts, largest forward and reverse divergence over the neighbours, at sigma 40 and order 20.
    const struct {
      Counts counts;
      double forward, reverse;
    } printed[] = {{{200, 50, 0, 0, 0, 0, 0, 0, 0, 0}, 9.88262e-4, 1.05954e-3},
                   {{240, 10, 0, 0, 0, 0, 0, 0, 0, 0}, 2.62610e-5, 2.91621e-5}};
    for (const auto& row : printed) {
      const Probabilities p = gaussian_outcomes(row.counts, 40.0);
      double forward = 0.0;
      double reverse = 0.0;
      for_each_neighbour(row.counts, [&](const Counts& neighbour) {
        const Probabilities r = gaussian_outcomes(neighbour, 40.0);
        forward = std::max(forward, renyi_divergence(p, r, 20.0));
        reverse = std::max(reverse, renyi_divergence(r, p, 20.0));
      });
      CHECK(relative_error(forward, row.forward) < 1e-5);
      CHECK(relative_error(reverse, row.reverse) < 1e-5);
    }
  }

  TEST_CASE("no neighbour of GNMax diverges by more than the trade-off bound") {
    Random random(271);
    double tightest = 0.0;
    for (int i = 0; i < 60; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 12), random.integer(2, 4));
      const double sigma = random.log_uniform(0.4, 20.0);
      const Probabilities p = gaussian_outcomes(counts, sigma);
      const double q = log_q(GaussianNoisyMax{sigma}, counts);
      for_each_neighbour(counts, [&](const Counts& neighbour) {
        const Probabilities r = gaussian_outcomes(neighbour, sigma);
        for (const double order : kOrders) {
          const BothDirections bound = tradeoff_cost(GaussianNoisyMax{sigma}, q, order);
          const double forward = renyi_divergence(p, r, order);
          const double reverse = renyi_divergence(r, p, order);
          CHECK_MESSAGE(forward <= bound.forward + kSmallest,
                        show_ensemble(counts, neighbour, sigma, order));
          CHECK_MESSAGE(reverse <= bound.reverse + kSmallest,
                        show_ensemble(counts, neighbour, sigma, order));
          tightest = std::max({tightest, forward / bound.forward, reverse / bound.reverse});
        }
      });
    }
    CHECK(tightest > 0.5);  // the ensembles put the bounds to the test
  }

  TEST_CASE("no neighbour of LNMax diverges by more than the trade-off bound") {
    Random random(272);
    double tightest = 0.0;
    for (int i = 0; i < 40; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 12), random.integer(2, 4));
      const double scale = random.log_uniform(0.4, 20.0);
      const Probabilities p = laplace_outcomes(counts, scale);
      const LaplaceNoisyMax mechanism{scale};
      const double q = log_q(mechanism, counts);
      for_each_neighbour(counts, [&](const Counts& neighbour) {
        const Probabilities r = laplace_outcomes(neighbour, scale);
        for (const double order : kOrders) {
          const BothDirections bound = tradeoff_cost(mechanism, q, order);
          const double forward = renyi_divergence(p, r, order);
          const double reverse = renyi_divergence(r, p, order);
          CHECK_MESSAGE(forward <= bound.forward + kSmallest,
                        show_ensemble(counts, neighbour, scale, order));
          CHECK_MESSAGE(reverse <= bound.reverse + kSmallest,
                        show_ensemble(counts, neighbour, scale, order));
          tightest = std::max({tightest, forward / bound.forward, reverse / bound.reverse});
        }
      });
    }
    CHECK(tightest > 0.5);
  }

  // Votes that come and go, where teachers that abstain are left out.
  TEST_CASE("a vote more or less costs no more than the bounds of a vote that moves") {
    const auto for_each = [](const Counts& counts, auto&& f) {
      for (std::size_t a = 0; a < counts.size(); ++a) {
        for (const std::int32_t change : {-1, 1}) {
          Counts neighbour = counts;
          neighbour[a] += change;
          if (neighbour[a] >= 0) f(neighbour);
        }
      }
    };
    double above_moves = 0.0;
    for (std::int32_t n = 0; n < 125; ++n) {  // all of three classes with 0 to 4 votes each
      const Counts counts{n % 5, n / 5 % 5, n / 25};
      for (const double noise : {0.6, 4.0}) {
        const NoisyMax gaussian{GaussianNoisyMax{noise}};
        const NoisyMax laplace{LaplaceNoisyMax{noise}};
        for (const bool is_gaussian : {true, false}) {
          const NoisyMax& noisy_max = is_gaussian ? gaussian : laplace;
          const auto outcomes = [&](const Counts& of) {
            return is_gaussian ? gaussian_outcomes(of, noise) : laplace_outcomes(of, noise);
          };
          const Probabilities p = outcomes(counts);
          const double q = log_q(noisy_max, counts);
          for (const double order : {1.1, 5.0, 20.0}) {
            const BothDirections bound = tradeoff_cost({noisy_max, {}}, q, order);
            const double cap = data_independent_cost({noisy_max, {}}, order);
            const double published = published_cost({noisy_max, {}}, q, order);
            double moved = 0.0;
            for_each_neighbour(counts, [&](const Counts& neighbour) {
              moved = std::max(moved, renyi_divergence(p, outcomes(neighbour), order));
            });
            for_each(counts, [&](const Counts& neighbour) {
              const Probabilities r = outcomes(neighbour);
              const double forward = renyi_divergence(p, r, order);
              const double reverse = renyi_divergence(r, p, order);
              const auto where = show_ensemble(counts, neighbour, noise, order);
              CHECK_MESSAGE(forward <= bound.forward + kSmallest, where);
              CHECK_MESSAGE(reverse <= bound.reverse + kSmallest, where);
              CHECK_MESSAGE(forward <= published + kSmallest, where);
              CHECK_MESSAGE(std::max(forward, reverse) <= cap + kSmallest, where);
              if (forward > kSmallest) above_moves = std::max(above_moves, forward / moved);
            });
          }
        }
      }
    }
    // The largest divergence of moves alone is no bound: costs that are exact do not hold.
    CHECK(above_moves > 1.5);
  }
}
