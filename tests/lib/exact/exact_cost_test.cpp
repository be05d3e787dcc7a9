#include "pate/exact/exact_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "pate/exact/exact_mechanism.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

Aggregator gnmax(double sigma) {
  return {std::nullopt, GaussianNoisyMax{sigma}, false};
}

// The group of a class in the groups of a histogram without selection.
std::size_t group_of(const GroupedVotes& votes, std::int32_t count) {
  std::size_t g = 0;
  while (votes.groups[g].count != count) ++g;
  return g;
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("outcome probabilities of the lattice against the oracle") {
    for (const OracleRow& row : oracle("outcomes")) {
      const Counts counts = row.counts("n");
      const std::vector<double> expected = row.numbers("pr");
      std::int64_t teachers = 0;
      for (const std::int32_t n : counts) teachers += n;
      const ExactMechanism mechanism(gnmax(row.number("sigma")), teachers);
      const GroupedVotes votes = group_votes(counts);
      const auto outcomes = mechanism.outcomes(votes);
      REQUIRE(outcomes);
      for (std::size_t j = 0; j < counts.size(); ++j) {
        const double got = std::exp(outcomes->log_probabilities()[group_of(votes, counts[j])]);
        CHECK_MESSAGE(probability_error(got, expected[j]) < 1e-12, row.text(), j);
      }
    }
  }

  TEST_CASE("divergences from one neighbour against the oracle") {
    for (const OracleRow& row : oracle("exact_rdp")) {
      const Counts counts = row.counts("n");
      std::int64_t teachers = 0;
      for (const std::int32_t n : counts) teachers += n;
      const ExactMechanism mechanism(gnmax(row.number("sigma")), teachers);
      const GroupedVotes votes = group_votes(counts);
      const auto outcomes = mechanism.outcomes(votes);
      REQUIRE(outcomes);
      const double order = row.number("lambda");
      const auto from = group_of(votes, counts[static_cast<std::size_t>(row.count("from"))]);
      const auto to = group_of(votes, counts[static_cast<std::size_t>(row.count("to"))]);
      bool found = false;
      for (std::size_t k = 0; k < outcomes->neighbours().size(); ++k) {
        const auto neighbour = outcomes->neighbours()[k];
        if (neighbour.from != from || neighbour.to != to) continue;
        found = true;
        const BothDirections excess = outcomes->excess(k, order);
        CHECK_MESSAGE(relative_error(std::log1p(excess.forward) / (order - 1.0),
                                     row.number("forward")) < 1e-10,
                      row.text());
        CHECK_MESSAGE(relative_error(std::log1p(excess.reverse) / (order - 1.0),
                                     row.number("reverse")) < 1e-10,
                      row.text());
      }
      CHECK(found);
    }
  }
}
