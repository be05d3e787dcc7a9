// tau voting against the mechanism itself: all ensembles, all ballots that one teacher could have
// cast instead, all answers.

#include "pate/studies/multilabel/tau_vote.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "support/accuracy.hpp"
#include "support/label_ballots.hpp"
#include "support/label_outcomes.hpp"
#include "support/oracle.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const std::vector<double> kOrders{1.1, 2.0, 7.0, 30.0};

struct Case {
  std::int64_t teachers, labels;
  double positives, sigma;
};

// Divergences below this are lost in the rounding of the sums.
constexpr long double kSmallest = 1e-12L;

bool agrees(double cost, long double reference) {
  if (reference < kSmallest) return cost <= 2e-12;
  return cost >= static_cast<double>(reference * (1.0L - 1e-10L)) &&
         cost <= static_cast<double>(reference * (1.0L + 2e-9L));
}

}  // namespace

TEST_SUITE("multilabel") {
  TEST_CASE("what another ballot costs, over all ensembles and all ballots") {
    for (const Case& of :
         {Case{3, 2, 1.0, 0.7}, Case{3, 2, 0.5, 2.0}, Case{2, 3, 1.0, 0.6}, Case{2, 3, 1.5, 1.0},
          Case{2, 3, 2.0, 0.5}, Case{2, 3, 9.0, 1.5}, Case{1, 4, 2.0, 0.8}}) {
      const TauVote vote{of.positives, of.sigma};
      const double mu = vote.as_noisy_max(of.labels).mu();
      const std::uint64_t sets = std::uint64_t{1} << of.labels;
      double furthest = 0.0;
      for (const auto& ensemble : all_ensembles(of.teachers, of.labels)) {
        const auto ballots = ballots_of({ensemble}, of.labels);
        const TauQuery query(vote, *ballots, 0);
        const Probabilities p = tau_outcomes(ensemble, of.labels, of.positives, of.sigma);
        CHECK(relative_error(std::exp(query.log_q()),
                             1.0 - static_cast<double>(*std::ranges::max_element(p))) < 1e-9);
        const auto costs = query.replace_costs(kOrders);
        for (std::size_t t = 0; t < ensemble.size(); ++t) {
          std::vector<long double> forward(kOrders.size(), 0.0L), reverse = forward;
          for (std::uint64_t other = 0; other < sets; ++other) {
            auto neighbour = ensemble;
            neighbour[t] = other;
            const Probabilities n = tau_outcomes(neighbour, of.labels, of.positives, of.sigma);
            for (std::size_t o = 0; o < kOrders.size(); ++o) {
              const long double there = renyi(p, n, kOrders[o]);
              forward[o] = std::max(forward[o], there);
              reverse[o] = std::max(reverse[o], renyi(n, p, kOrders[o]));
              const BothDirections one = query.replace_cost(marks_of(ensemble[t], of.labels),
                                                            marks_of(other, of.labels), kOrders[o]);
              CHECK(agrees(one.forward, there));
            }
          }
          for (std::size_t o = 0; o < kOrders.size(); ++o) {
            const BothDirections cost = costs[o][query.of_teacher()[t]];
            CAPTURE(show({{"T", of.positives}, {"sigma", of.sigma}, {"order", kOrders[o]}}));
            CHECK(agrees(cost.forward, forward[o]));
            CHECK(agrees(cost.reverse, reverse[o]));
            // What holds for any votes, and what follows from q.
            const double most = 0.5 * kOrders[o] * mu * mu;
            CHECK(cost.larger() <= most * (1.0 + 1e-9));
            const BothDirections bound =
                gaussian_tradeoff_log_excess(query.log_q(), mu, kOrders[o]);
            CHECK(static_cast<double>(forward[o]) <=
                  std::log1p(std::exp(bound.forward)) / (kOrders[o] - 1.0) + 1e-12);
            CHECK(static_cast<double>(reverse[o]) <=
                  std::log1p(std::exp(bound.reverse)) / (kOrders[o] - 1.0) + 1e-12);
            furthest = std::max(furthest, cost.larger() / most);
          }
        }
      }
      CHECK(furthest > 0.05);  // the comparisons say something
    }
  }

  TEST_CASE("the oracle's values: any number of teachers, near and far from half") {
    for (const OracleRow& row : oracle("tau_vote")) {
      std::vector<std::uint64_t> sets;
      for (const std::int32_t set : row.counts("ballots")) {
        sets.push_back(static_cast<std::uint64_t>(set));
      }
      const std::int64_t labels = row.count("labels");
      const auto ballots = ballots_of({sets}, labels);
      const TauQuery query(TauVote{row.number("positives"), row.number("sigma")}, *ballots, 0);
      CHECK_MESSAGE(std::abs(query.log_q() - row.number("log_q")) <=
                        1e-12 * std::max(1.0, std::abs(row.number("log_q"))),
                    row.text());
      const std::vector<double> orders{row.number("order")};
      const BothDirections cost = query.replace_costs(orders)[0][query.of_teacher()[0]];
      // What underflows is told as the least number of every label.
      const auto covered = [&](double reported, double reference) {
        if (reference >= kMinReported) return covers(reported, reference);
        return reported > 0.0 && reported <= kMinReported * static_cast<double>(labels);
      };
      CHECK_MESSAGE(covered(cost.forward, row.number("forward")), row.text());
      CHECK_MESSAGE(covered(cost.reverse, row.number("reverse")), row.text());
    }
  }

  TEST_CASE("the sensitivity is attained and never exceeded") {
    for (const std::int64_t labels : {1, 2, 5, 6}) {
      for (const double positives : {0.3, 1.0, 1.7, 2.0, 2.5, 3.0, 6.0, 40.0}) {
        const TauVote vote{positives, 1.0};
        const std::uint64_t sets = std::uint64_t{1} << labels;
        double most = 0.0;
        for (std::uint64_t a = 0; a < sets; ++a) {
          for (std::uint64_t b = 0; b < sets; ++b) {
            const Marks from = marks_of(a, labels);
            const Marks to = marks_of(b, labels);
            const double had = a == 0 ? 0.0 : vote.share(std::count(from.begin(), from.end(), 1));
            const double has = b == 0 ? 0.0 : vote.share(std::count(to.begin(), to.end(), 1));
            double squared = 0.0;
            for (std::size_t k = 0; k < from.size(); ++k) {
              squared += std::pow(had * from[k] - has * to[k], 2);
            }
            most = std::max(most, squared);
          }
        }
        const double stated = vote.squared_sensitivity(labels);
        CAPTURE(labels);
        CAPTURE(positives);
        CHECK(most <= stated * (1.0 + 1e-14));
        // Disjoint ballots of that many labels.
        const bool is_whole = positives == std::floor(positives);
        if (labels > 1 && (is_whole || 2.0 * std::ceil(positives) <= double(labels))) {
          CHECK(most >= stated * (1.0 - 1e-14));
        }
      }
    }
  }

  TEST_CASE("far from half nothing underflows to no cost") {
    // 400 teachers that agree: q is e^-8e4 for each label.
    const auto ballots = ballots_of({std::vector<std::uint64_t>(400, 1)}, 2);
    const TauQuery query(TauVote{1.0, 0.5}, *ballots, 0);
    CHECK(std::isfinite(query.log_q()));
    CHECK(query.log_q() < -1000.0);
    CHECK(query.replace_costs(kOrders)[1][0].larger() > 0.0);
  }

  TEST_CASE("parameters out of their domain") {
    for (const double bad : {0.0, -1.0, kInfinity, kNaN}) {
      CHECK_THROWS_AS(validate(TauVote{bad, 1.0}, 3), parameter_error);
      CHECK_THROWS_AS(validate(TauVote{1.0, bad}, 3), parameter_error);
    }
    CHECK_NOTHROW(validate(TauVote{0.5, 3.0}, 3));
  }
}
