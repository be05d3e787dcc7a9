#include "pate/accounting/guarantee.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace pate;

namespace {

CostEntry entry(Bound bound, GuaranteeKind reading, double epsilon, bool data_dependent,
                Promise promise = Promise::fixed) {
  CostEntry cost;
  cost.promise = promise;
  cost.bound = bound;
  cost.reading = reading;
  cost.epsilon = epsilon;
  cost.delta = 1e-5;
  cost.data_dependent = data_dependent;
  return cost;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("a guarantee says in words what epsilon and delta say") {
    const Guarantee found =
        guarantee_of(entry(Bound::tradeoff, GuaranteeKind::joint, 2.0, true), "the answers");
    CHECK(found.holds);
    CHECK(contains(found.promise, "concluded from the answers"));
    CHECK(contains(found.promise, "more than 7.39 times"));  // e^2 = 7.389..., never less
    CHECK(contains(found.promise, "1e-05"));
    CHECK(contains(found.promise, "must not be published"));
    CHECK(contains(found.formula, "e^2 "));
    CHECK(found.assumes.size() == 3);
    CHECK(contains(statement_of(found), "Not covered:\n  - parameters that were chosen"));
  }

  TEST_CASE("a guarantee says how many teachers may differ, and how") {
    const CostEntry cost = entry(Bound::tradeoff, GuaranteeKind::joint, 2.0, true);
    Guarantee one = guarantee_of(cost, "the answers");
    const std::string before = statement_of(one);
    protect(one, {});
    CHECK(statement_of(one) == before);

    Guarantee two = guarantee_of(cost, "the answers");
    protect(two, {Adjacency::replace, 2});
    CHECK(two.promise.starts_with("Had any 2 teachers voted differently"));
    CHECK(contains(two.protects, "at most 2 teachers saw"));
    CHECK(contains(two.may_differ, "up to 2 teachers"));
    CHECK(contains(two.assumes.front(), "no"));
    CHECK_FALSE(contains(two.assumes.front(), "disjoint"));

    Guarantee added = guarantee_of(cost, "the answers");
    protect(added, {Adjacency::add_remove, 1});
    CHECK(added.promise.starts_with("Had any one teacher not been there, or one more"));
    CHECK(contains(added.protects, "disjoint"));
    CHECK(contains(added.assumes.back(), "nobody is told how many teachers"));
  }

  TEST_CASE("the factor is never below e^epsilon, however small or large") {
    CHECK(contains(promise_in_words("x", 0.0, 0.0), "than 1 times as likely."));
    CHECK(contains(promise_in_words("x", 1e-12, 0.0), "than 1.01 times"));
    CHECK(contains(promise_in_words("x", 10.0, 0.0), "than 22100 times"));
    CHECK(contains(promise_in_words("x", 1000.0, 0.0), "than e^1000 times"));
  }

  TEST_CASE("what is an expectation, or covers one direction, promises nothing") {
    for (const auto& cost :
         {entry(Bound::tradeoff, GuaranteeKind::expected, 2.0, true, Promise::none),
          entry(Bound::published, GuaranteeKind::joint, 2.0, true, Promise::none),
          entry(Bound::exact, GuaranteeKind::joint, HUGE_VAL, true)}) {
      const Guarantee found = guarantee_of(cost, "the answers");
      CHECK_FALSE(found.holds);
      CHECK(found.promise.starts_with("Nothing is promised"));
      CHECK(found.formula.empty());
      CHECK_FALSE(found.not_covered.empty());
    }
    // Over a selection it is an expectation; without one, only a direction is missing.
    CostEntry mean = entry(Bound::published, GuaranteeKind::expected, 2.0, true, Promise::none);
    CHECK(contains(guarantee_of(mean, "x").promise, "one of the two directions"));
    mean.sd = 0.1;
    CHECK(contains(guarantee_of(mean, "x").promise, "expectation"));
  }

  TEST_CASE("costs of any votes may be published, realized ones rest on a fixed order") {
    const Guarantee any =
        guarantee_of(entry(Bound::data_independent, GuaranteeKind::worst_case, 2.0, false), "x");
    CHECK(contains(any.promise, "whatever the votes are, and may be published"));
    CostEntry released = entry(Bound::released, GuaranteeKind::released, 2.0, false, Promise::none);
    CHECK_FALSE(guarantee_of(released, "x").holds);  // of parameters that were chosen from votes
    released.promise = Promise::outcome;
    CHECK(contains(guarantee_of(released, "x").formula, "e^E(o)"));
    CHECK(contains(guarantee_of(released, "x").formula, "E among it"));
    const Guarantee realized = guarantee_of(
        entry(Bound::tradeoff, GuaranteeKind::realized, 2.0, true, Promise::outcome), "x");
    CHECK(contains(realized.assumes.back(), "order was fixed before the run"));
  }

  TEST_CASE("formula and words follow from the kind of promise, whatever the bound and reading") {
    for (const auto& bound : kNames<Bound>) {
      for (const auto& reading : kNames<GuaranteeKind>) {
        for (const bool data_dependent : {false, true}) {
          const auto of = [&](Promise promise) {
            return guarantee_of(entry(bound.value, reading.value, 2.0, data_dependent, promise),
                                "x");
          };
          const Guarantee fixed = of(Promise::fixed);
          CHECK(fixed.holds);
          CHECK(contains(fixed.formula, "<= e^2 Pr[M(D') in S] + 1e-05"));
          CHECK_FALSE(contains(fixed.formula, "integral"));
          CHECK(contains(fixed.promise, "would be more than 7.39 times as likely"));
          const Guarantee outcome = of(Promise::outcome);
          CHECK(outcome.holds);
          CHECK(contains(outcome.formula, "(integral over outcomes o in S of e^E(o)"));
          CHECK_FALSE(contains(outcome.formula, "e^2"));
          CHECK(contains(outcome.promise, "other outcomes have other numbers"));
          CHECK(contains(conditions_of(outcome), "disjoint data"));
          CHECK_FALSE(of(Promise::none).holds);
          CHECK(of(Promise::none).formula.empty());
        }
      }
    }
  }

  TEST_CASE("records, parts, rounds, searches and weights take the place of what else is said") {
    const auto of = [] {
      return guarantee_of(entry(Bound::tradeoff, GuaranteeKind::joint, 2.0, true), "the answers");
    };
    const std::string before = statement_of(of());
    Guarantee records = of();
    protect_records(records);
    CHECK(records.protects == "one record of the data that the teachers learn from");
    CHECK(records.promise.starts_with("Had any one record been another one"));
    assume_parts(records, 3);
    CHECK(contains(statement_of(records), "each record is in the parts of at most 3 teachers"));
    CHECK_FALSE(contains(statement_of(records), "disjoint"));
    // What promises nothing speaks of nobody.
    Guarantee nothing = guarantee_of(
        entry(Bound::tradeoff, GuaranteeKind::expected, 2.0, true, Promise::none), "the answers");
    const std::string promise = nothing.promise;
    protect_records(nothing);
    CHECK(nothing.promise == promise);
    Guarantee rounds = of();
    assume_rounds_by_answers(rounds);
    CHECK(contains(statement_of(rounds), ", but in the rounds that say so and enter with"));
    CHECK(rounds.assumes.size() == of().assumes.size());
    Guarantee search = of();
    assume_search(search);
    CHECK(contains(before, "parameters that were chosen by looking at these votes"));
    CHECK(contains(statement_of(search), "otherwise than by this search"));
    CHECK(search.not_covered.size() == of().not_covered.size());
    CHECK(contains(search.assumes.back(), "the law of how many are tried"));
    CHECK(contains(weights_notice(2.5, true).message, "2.5: noise and threshold are divided by"));
    CHECK(contains(weights_notice(1.0, false).message, "1: noise is divided by it"));
  }

  TEST_CASE("the guarantee of an account: its outputs, whose votes, how they count") {
    Account account;
    account.costs = {entry(Bound::tradeoff, GuaranteeKind::joint, 2.0, true)};
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{4.0};
    account.aggregator = aggregator;
    CHECK(contains(guarantee_of(account).promise, "concluded from the answers of this run"));
    CHECK_FALSE(has_weights(account));
    const std::size_t assumed = guarantee_of(account).assumes.size();
    account.notices.push_back(weights_notice(2.5, false));
    CHECK(has_weights(account));
    CHECK(guarantee_of(account).assumes.size() == assumed + 1);
    CHECK(contains(guarantee_of(account).assumes.back(), "fixed without looking at any votes"));
    account.steps.sampled_queries[{0.2, 4.0, 0.0}] = 1;
    CHECK(contains(conditions_of(guarantee_of(account)),
                   "each of 1 query is answered by a sample of its own, which every teacher is in "
                   "with probability 0.2"));
    aggregator.selection = ThresholdCheck{10.0, 4.0};
    account.aggregator = aggregator;
    account.steps.neighbours = {Adjacency::replace, 2};
    CHECK(contains(guarantee_of(account).promise, "the answers and refusals of this run"));
    CHECK(guarantee_of(account).promise.starts_with("Had any 2 teachers voted differently"));
    account.costs[0].bound = Bound::declared;
    CHECK(contains(guarantee_of(account).promise, "whether the test passed, and the answers and"));
  }
}
