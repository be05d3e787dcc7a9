#include "pate/studies/multilabel/multilabel_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/run.hpp"
#include "pate/base/error.hpp"
#include "pate/studies/multilabel/tau_account.hpp"
#include "support/accuracy.hpp"
#include "support/label_ballots.hpp"
#include "support/label_outcomes.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kDelta = 1e-5;

MultilabelSettings settings_of(std::vector<LabelMechanism> mechanisms, bool exact) {
  MultilabelSettings settings;
  settings.mechanisms = std::move(mechanisms);
  settings.delta = kDelta;
  settings.exact = exact;
  return settings;
}

double epsilon_of(const MultilabelCosts& costs, Bound bound,
                  EpsilonMethod by = EpsilonMethod::optimal) {
  for (const CostEntry& cost : costs.costs) {
    if (cost.bound == bound && cost.conversion == by) return cost.epsilon;
  }
  return kNaN;
}

Probabilities outcomes_of(const LabelMechanism& mechanism, const std::vector<std::uint64_t>& sets,
                          std::int64_t labels) {
  switch (mechanism.voting) {
    case LabelVoting::binary:
      return binary_outcomes(sets, labels, mechanism.sigma);
    case LabelVoting::tau:
      return tau_outcomes(sets, labels, mechanism.positives, mechanism.sigma);
    case LabelVoting::powerset:
      return powerset_outcomes(sets, labels, mechanism.sigma);
  }
  return {};
}

// The largest RDP over the teachers, of whole answers, by direction.
BothDirections enumerated(const LabelMechanism& mechanism,
                          const std::vector<std::vector<std::uint64_t>>& queries,
                          std::int64_t labels, double order) {
  BothDirections most;
  for (std::size_t t = 0; t < queries.front().size(); ++t) {
    long double forward = 0.0L;
    long double reverse = 0.0L;
    for (const auto& ensemble : queries) {
      const Probabilities p = outcomes_of(mechanism, ensemble, labels);
      long double worst_forward = 0.0L;
      long double worst_reverse = 0.0L;
      for (std::uint64_t other = 0; other < std::uint64_t{1} << labels; ++other) {
        auto neighbour = ensemble;
        neighbour[t] = other;
        const Probabilities n = outcomes_of(mechanism, neighbour, labels);
        worst_forward = std::max(worst_forward, renyi(p, n, order));
        worst_reverse = std::max(worst_reverse, renyi(n, p, order));
      }
      forward += worst_forward;
      reverse += worst_reverse;
    }
    most.forward = std::max(most.forward, static_cast<double>(forward));
    most.reverse = std::max(most.reverse, static_cast<double>(reverse));
  }
  return most;
}

std::vector<std::vector<std::uint64_t>> random_queries(Random& random, std::size_t queries,
                                                       std::size_t teachers, std::int64_t labels) {
  std::vector<std::vector<std::uint64_t>> result(queries, std::vector<std::uint64_t>(teachers));
  for (auto& query : result) {
    const auto agreed = static_cast<std::uint64_t>(random.integer(0, (1 << labels) - 1));
    for (auto& set : query) {
      set = random.uniform(0.0, 1.0) < 0.7
                ? agreed
                : static_cast<std::uint64_t>(random.integer(0, (1 << labels) - 1));
    }
  }
  return result;
}

}  // namespace

TEST_SUITE("multilabel") {
  TEST_CASE("votes on labels and on sets cost what whole answers lose, by enumeration") {
    Random random(45);
    for (int round = 0; round < 12; ++round) {
      const std::int64_t labels = round % 2 == 0 ? 2 : 3;
      const auto queries = random_queries(random, 2, round % 3 == 0 ? 2 : 4, labels);
      const auto ballots = ballots_of(queries, labels);
      for (const LabelVoting voting : {LabelVoting::binary, LabelVoting::powerset}) {
        const LabelMechanism mechanism{voting, random.log_uniform(0.7, 4.0)};
        const auto votes = votes_of(
            ballots, voting == LabelVoting::binary ? BallotClasses::labels : BallotClasses::sets);
        const Aggregator gnmax{{}, NoisyMax{GaussianNoisyMax{mechanism.sigma}}};
        for (const double order : {1.5, 4.0, 20.0}) {
          AccountSettings wanted;
          wanted.delta = kDelta;
          wanted.models.insert(Bound::exact);
          wanted.orders = std::vector{order};
          const Account costs = account(
              Run{*votes, RowSelection::all(votes->queries()), gnmax, {}, nullptr, {}, {}, {}},
              wanted);
          const auto classic = [&](Bound bound) {
            const auto found = std::ranges::find_if(costs.costs, [&](const CostEntry& cost) {
              return cost.bound == bound && cost.conversion == EpsilonMethod::classic &&
                     is_forward_only(bound) == (cost.promise == Promise::none);
            });
            return found->epsilon + std::log(kDelta) / (order - 1.0);
          };
          const BothDirections reference = enumerated(mechanism, queries, labels, order);
          const double own = classic(Bound::exact_per_teacher);
          CAPTURE(name(voting));
          CAPTURE(order);
          CHECK(own >= reference.larger() * (1.0 - 1e-9) - 1e-13);
          CHECK(own <= reference.larger() * (1.0 + 1e-8) + 1e-12);
          CHECK(classic(Bound::exact) >= own * (1.0 - 1e-9));
          CHECK(classic(Bound::tradeoff) >= classic(Bound::exact) * (1.0 - 1e-9));
          CHECK(classic(Bound::data_independent) >= classic(Bound::tradeoff) * (1.0 - 1e-9));
        }
      }
    }
  }

  TEST_CASE("bounds are in order, and a teacher pays no more than the worst") {
    Random random(4523);
    for (int round = 0; round < 4; ++round) {
      const auto queries = random_queries(random, 6, 9, 4);
      const auto ballots = ballots_of(queries, 4);
      const double sigma = random.log_uniform(1.0, 6.0);
      const auto analysis =
          analyze_multilabel(ballots, settings_of({{LabelVoting::binary, sigma, 0.0},
                                                   {LabelVoting::tau, sigma, 1.0},
                                                   {LabelVoting::tau, sigma, 1.5},
                                                   {LabelVoting::tau, sigma, 8.0},
                                                   {LabelVoting::powerset, sigma, 0.0}},
                                                  true));
      for (const MultilabelCosts& of : analysis.mechanisms) {
        CAPTURE(of.mechanism.called());
        const double any = epsilon_of(of, Bound::data_independent);
        const double tradeoff = epsilon_of(of, Bound::tradeoff);
        const double exact = epsilon_of(of, Bound::exact);
        const double own = epsilon_of(of, Bound::exact_per_teacher);
        CHECK(tradeoff <= any * (1.0 + 1e-7));
        CHECK(exact <= tradeoff * (1.0 + 1e-7));
        CHECK(own <= exact);
        REQUIRE(of.teachers);
        CHECK(of.teachers->size() == 9);
        for (const double epsilon : *of.teachers) CHECK(epsilon <= own * (1.0 + 1e-9));
        CHECK(of.costs[of.headline].promise == Promise::fixed);
      }
      // No tau costs less than what it costs for any votes: mu of all queries.
      CHECK(relative_error(analysis.mechanisms[1].query_mu, std::sqrt(2.0) / sigma) < 1e-12);
      CHECK(relative_error(analysis.mechanisms[3].query_mu, 2.0 / sigma) < 1e-12);
      CHECK(relative_error(analysis.mechanisms[0].query_mu, std::sqrt(8.0) / sigma) < 1e-12);
      CHECK(relative_error(analysis.mechanisms[4].query_mu, std::sqrt(2.0) / sigma) < 1e-12);
    }
  }

  TEST_CASE("ballots that are not scaled, with noise on both counts, are a vote on every label") {
    Random random(7);
    const auto ballots = ballots_of(random_queries(random, 5, 7, 3), 3);
    const double sigma = 2.0;
    const auto analysis =
        analyze_multilabel(ballots, settings_of({{LabelVoting::binary, sigma, 0.0},
                                                 {LabelVoting::tau, sigma / std::sqrt(2.0), 3.0}},
                                                true));
    const auto& [binary, tau] = std::pair(analysis.mechanisms[0], analysis.mechanisms[1]);
    CHECK(relative_error(tau.query_mu, binary.query_mu) < 1e-12);
    CHECK(relative_error(tau.agreement.labels, binary.agreement.labels) < 1e-12);
    CHECK(relative_error(tau.agreement.answers, binary.agreement.answers) < 1e-12);
    for (std::size_t t = 0; t < 7; ++t) {
      // Orders are those of a grid.
      CHECK(relative_error((*tau.teachers)[t], (*binary.teachers)[t]) < 1e-3);
    }
  }

  TEST_CASE("agreement is that of the answers, by enumeration") {
    Random random(99);
    const std::int64_t labels = 3;
    const auto queries = random_queries(random, 4, 5, labels);
    const auto ballots = ballots_of(queries, labels);
    for (const LabelMechanism& mechanism :
         {LabelMechanism{LabelVoting::binary, 1.3, 0.0}, LabelMechanism{LabelVoting::tau, 0.9, 1.0},
          LabelMechanism{LabelVoting::powerset, 1.1, 0.0}}) {
      double expected = 0.0;
      for (const auto& ensemble : queries) {
        const Probabilities p = outcomes_of(mechanism, ensemble, labels);
        for (std::uint64_t set = 0; set < p.size(); ++set) {
          int same = 0;
          for (std::int64_t k = 0; k < labels; ++k) {
            const auto positive = std::ranges::count_if(
                ensemble, [&](std::uint64_t one) { return (one >> k & 1U) != 0; });
            if ((positive > 2) == ((set >> k & 1U) != 0)) ++same;
          }
          expected += static_cast<double>(p[set]) * same;
        }
      }
      const auto analysis = analyze_multilabel(ballots, settings_of({mechanism}, false));
      CAPTURE(mechanism.called());
      CHECK(relative_error(analysis.mechanisms[0].agreement.labels, expected / 12.0) < 1e-9);
    }
  }

  TEST_CASE("neither threads nor the order of teachers changes a bit") {
    Random random(3);
    auto queries = random_queries(random, 7, 8, 3);
    const std::vector<LabelMechanism> mechanisms{{LabelVoting::binary, 2.0, 0.0},
                                                 {LabelVoting::tau, 2.0, 1.3},
                                                 {LabelVoting::powerset, 2.0, 0.0}};
    auto wanted = settings_of(mechanisms, true);
    wanted.threads = 1;
    const auto first = analyze_multilabel(ballots_of(queries, 3), wanted);
    for (auto& query : queries) std::ranges::reverse(query);
    wanted.threads = 3;
    const auto second = analyze_multilabel(ballots_of(queries, 3), wanted);
    for (std::size_t i = 0; i < mechanisms.size(); ++i) {
      const auto& a = first.mechanisms[i];
      const auto& b = second.mechanisms[i];
      REQUIRE(a.costs.size() == b.costs.size());
      for (std::size_t j = 0; j < a.costs.size(); ++j) {
        CHECK(a.costs[j].epsilon == b.costs[j].epsilon);
      }
      std::vector<double> reversed(b.teachers->rbegin(), b.teachers->rend());
      CHECK(*a.teachers == reversed);
      CHECK(a.agreement.labels == b.agreement.labels);
    }
  }

  TEST_CASE("counts say enough of votes on every label, and of nothing else") {
    Random random(11);
    const auto ballots = ballots_of(random_queries(random, 5, 6, 4), 4);
    const auto counts = std::make_shared<const LabelCounts>(*ballots);
    const auto wanted = settings_of({{LabelVoting::binary, 2.0, 0.0}}, false);
    const auto of_ballots = analyze_multilabel(ballots, wanted);
    const auto of_counts = analyze_multilabel(counts, wanted);
    CHECK(epsilon_of(of_counts.mechanisms[0], Bound::tradeoff) ==
          epsilon_of(of_ballots.mechanisms[0], Bound::tradeoff));
    CHECK(of_counts.mechanisms[0].agreement.labels == of_ballots.mechanisms[0].agreement.labels);
    for (const LabelVoting voting : {LabelVoting::tau, LabelVoting::powerset}) {
      CHECK_THROWS_AS((void)analyze_multilabel(counts, settings_of({{voting, 2.0, 1.0}}, false)),
                      parameter_error);
    }
  }

  TEST_CASE("what one mechanism promises, and several do not") {
    const auto ballots = ballots_of({{1, 1, 3}}, 2);
    const LabelMechanism binary{LabelVoting::binary, 2.0, 0.0};
    CHECK(guarantee_of(analyze_multilabel(ballots, settings_of({binary}, false))).holds);
    CHECK_FALSE(
        guarantee_of(analyze_multilabel(ballots, settings_of({binary, binary}, false))).holds);
    CHECK_THROWS_AS((void)analyze_multilabel(ballots, settings_of({}, false)), parameter_error);
  }

  TEST_CASE("names of mechanisms") {
    CHECK(parse_label_mechanism("binary").voting == LabelVoting::binary);
    CHECK(parse_label_mechanism("tau:2.5").positives == 2.5);
    CHECK(parse_label_mechanism("tau:2.5").called() == "tau:2.5");
    CHECK(parse_label_mechanism("powerset").called() == "powerset");
    for (const char* bad : {"", "tau", "tau:", "tau:0", "tau:-1", "tau:nan", "tau:inf", "tau:1x",
                            "binary:1", "powerset:", "all"}) {
      CHECK_THROWS_AS((void)parse_label_mechanism(bad), parameter_error);
    }
  }
}
