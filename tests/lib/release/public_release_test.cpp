#include "pate/release/public_release.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "support/curve_votes.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using pate::test::message_of;
using pate_test::Random;

namespace {

bool coin(Random& random) {
  return random.integer(0, 1) == 0;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool assumes(const Guarantee& guarantee, const std::string& part) {
  return std::ranges::any_of(guarantee.assumes, [&](const auto& one) { return says(one, part); });
}

VoteProfile some_votes() {
  return pate_test::favouring_votes(pate_test::curve_question(10, 3, 4.0), 0.8, 5, 3);
}

}  // namespace

TEST_SUITE_BEGIN("release");

TEST_CASE("a number that is published counts its run and the ledger, and never less") {
  Random random(51);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    VoteProfile votes = some_votes();
    votes.has_decisions = coin(random);
    ReleaseTerms terms;
    terms.cost = coin(random) ? ReleasedCost::joint : ReleasedCost::realized;
    terms.others_epsilon = coin(random) ? 0.0 : random.log_uniform(1e-3, 5.0);
    terms.others_delta = coin(random) ? 0.0 : random.log_uniform(1e-9, 1e-3);
    bool chosen = false;
    if (coin(random)) {
      terms.ledger.emplace();
      for (std::int64_t i = random.integer(0, 3); i > 0; --i) {
        terms.ledger->push_back({"a", i, "label", "then", Counted::added, coin(random)});
        chosen = chosen || terms.ledger->back().chosen_from_votes;
      }
    }
    if (coin(random)) {
      terms.earlier.push_back({.beta = 0.01, .sigma = 9.0, .chosen_from_votes = coin(random)});
      chosen = chosen || terms.earlier.back().chosen_from_votes;
    }
    const double epsilon = random.log_uniform(1e-3, 9.0);
    const double delta = random.log_uniform(1e-9, 1e-3);
    const PublicRelease its = public_release(votes, terms, ParameterOrigin::given, epsilon, delta);
    CHECK(its.epsilon >= epsilon + terms.others_epsilon);
    CHECK(its.epsilon <= (epsilon + terms.others_epsilon) * (1.0 + 1e-12));
    CHECK(its.delta >= delta + terms.others_delta - 1e-18);
    CHECK(its.delta == doctest::Approx(delta + terms.others_delta).epsilon(1e-12));
    CHECK(its.run_epsilon == epsilon);
    CHECK(its.run_delta == delta);
    CHECK(its.answered.has_value() == votes.has_decisions);
    CHECK(its.reading == terms.cost);
    CHECK(terms.counts_chosen() == chosen);
    CHECK(its.parameters == (chosen ? ParameterOrigin::chosen : ParameterOrigin::given));
    // Parameters that were chosen from votes, here or before, void what is promised.
    const std::string statement = release_statement(its, terms, "How.", "");
    CHECK(statement.starts_with("Nothing is promised, for parameters were chosen") == chosen);
    CHECK(guarantee_of(its).holds == !chosen);
  }
  ReleaseTerms terms;
  terms.others_delta = 0.75;
  CHECK(message_of<validity_error>([&] { (void)added_entries(terms, 0.25); }) ==
        "delta of this release and of the entries of the ledger it counts add up to 1: a statement "
        "needs less than 1");
  terms.others_delta = std::nan("");
  CHECK_THROWS_AS((void)added_entries(terms, 0.25), validity_error);
}

TEST_CASE("what earlier numbers about the same votes cost adds up, by how each was released") {
  Random random(52);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const double order = random.uniform(1.5, 12.0);
    std::vector<EarlierRelease> earlier;
    double sum = 0.0;
    for (std::int64_t i = random.integer(0, 4); i > 0; --i) {
      EarlierRelease one;
      one.method = static_cast<ReleaseMethod>(random.integer(0, 2));
      one.sigma = random.uniform(0.5, 9.0);
      one.beta = one.method == ReleaseMethod::gnss ? 0.5 * largest_beta(order) : 0.04;
      one.k = coin(random) ? 0.0 : random.uniform(1.0, 5.0);
      sum += one.method == ReleaseMethod::at_most ? pure_rdp(one.sigma, order)
             : one.method == ReleaseMethod::curve
                 ? 0.5 * order / DiscreteGaussian(one.sigma).variance()
                 : release_cost(order, one.beta, one.sigma, one.k);
      earlier.push_back(one);
    }
    const double cost = cost_of_earlier(earlier, order);
    CHECK(cost >= sum * (1.0 - 1e-14));
    CHECK(cost <= sum * (1.0 + 1e-6) + 1e-9);
  }
  // The noise of such a number has moments of small orders alone.
  const std::vector<EarlierRelease> one{{.beta = 0.1, .sigma = 9.0}};
  CHECK(std::isfinite(cost_of_earlier(one, 4.0)));
  CHECK(message_of<validity_error>([&] { (void)cost_of_earlier(one, 8.0); }) ==
        "an earlier release from these votes has no finite cost at order 8: its beta needs a "
        "smaller order; give the order and the other parameters as they were then");
}

TEST_CASE("a statement names every entry of the ledger, and how it counts it") {
  const VoteProfile votes = some_votes();
  ReleaseTerms terms;
  const auto statement = [&] {
    const PublicRelease its = public_release(votes, terms, ParameterOrigin::fixed, 1.5, 1e-5);
    return release_statement(its, terms, "How.", " Parameters.");
  };
  CHECK(says(statement(),
             " How. No ledger was kept: nothing else that was released of these "
             "teachers' votes is counted. Parameters."));
  terms.ledger.emplace();
  CHECK(says(statement(), " The ledger of these teachers has no other entry."));
  const auto entry = [](std::int64_t line, const char* kind, Counted counted) {
    return OtherEntry{"id", line, kind, "then", counted, false};
  };
  terms.ledger = {entry(1, "label", Counted::same_answers), entry(2, "release", Counted::noise),
                  entry(3, "label", Counted::within_another)};
  CHECK(says(statement(),
             "M and E count all: line 1 (label, then): its answers are those of this run; line 2 "
             "(release, then): it is about the answers of this run, and the noise in it is "
             "counted; line 3 (label, then): counted within a later entry that is about its "
             "answers. Parameters."));
  terms.ledger = {entry(7, "step", Counted::added)};
  terms.others_epsilon = 0.25;
  terms.others_delta = 1e-6;
  CHECK(says(statement(),
             "line 7 (step, then): counted with the others that are about other "
             "answers. Entries called step are what others say of theirs, for one "
             "record of the data, which was not checked: with them E protects one "
             "record, of which each is in the part of one teacher only. What these "
             "cost together, epsilon 0.25 at delta 1e-06, is added to epsilon 1.5 and "
             "delta 1e-05 of this run"));
  for (const std::size_t earlier : {0U, 1U, 2U}) {
    terms.earlier.assign(earlier, {.beta = 0.01, .sigma = 9.0});
    CHECK(says(statement(), earlier == 0 ? "refusals and the published E"
                            : earlier == 1
                                ? ", the published E and 1 earlier one about the same"
                                : ", the published E and 2 earlier ones about the same"));
  }
}

TEST_CASE("what a number assumes is where its parameters came from, and its reading") {
  const VoteProfile votes = some_votes();
  const std::string kFixed = "did not depend on answers of this run";
  const auto promised = [&](ParameterOrigin origin, ReleasedCost cost, bool complex, bool claim) {
    ReleaseTerms terms;
    terms.cost = cost;
    PublicRelease its = public_release(votes, terms, origin, 1.0, 1e-5);
    if (complex) its.curve.emplace().complex.emplace();
    if (claim) its.at_most = AtMostFacts{true, 1.0, 3.0, CurveCost::tilted, 5, {4.0}};
    return guarantee_of(its);
  };
  using Origin = ParameterOrigin;
  const Guarantee fixed = promised(Origin::fixed, ReleasedCost::joint, false, false);
  CHECK(assumes(fixed, "order, beta and sigma were fixed without these votes"));
  CHECK(assumes(fixed, kFixed));
  CHECK_FALSE(assumes(promised(Origin::fixed, ReleasedCost::realized, false, false), kFixed));
  CHECK(assumes(promised(Origin::public_inputs, ReleasedCost::joint, false, false),
                "the number of queries was fixed before the first answer"));
  CHECK(assumes(promised(Origin::released_labels, ReleasedCost::joint, false, false),
                "the order was fixed before the labels were seen"));
  for (const Origin origin : {Origin::given, Origin::report}) {
    CHECK(assumes(promised(origin, ReleasedCost::joint, false, false),
                  "order, s and beta were fixed without these votes"));
    const Guarantee complex = promised(origin, ReleasedCost::joint, true, false);
    CHECK(assumes(complex, "floor, s, beta and orders were fixed without these votes"));
    CHECK(assumes(complex, kFixed));
  }
  const Guarantee claim = promised(Origin::given, ReleasedCost::joint, false, true);
  CHECK(assumes(claim, "claim, queries, noise and threshold were fixed without these votes"));
  CHECK(says(claim.promise,
             "decided by a private test (certificate by Renyi orders): 1 where it "
             "passes, else 3, which holds whatever the votes are. The run is not "
             "(1, 1e-05)-differentially private"));
  CHECK_FALSE(promised(Origin::chosen, ReleasedCost::joint, false, false).holds);
  const Guarantee none = guarantee_of(std::optional<PublicRelease>(), {Adjacency::replace, 3});
  CHECK_FALSE(none.holds);
  CHECK(says(none.promise, "no number was drawn"));
  CHECK(parameters_name(true) == "chosen from the votes");
  CHECK(parameters_name(false) == "fixed");
}

TEST_SUITE_END();
