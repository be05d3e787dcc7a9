#include "pate/release/declared/at_most_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/release/declared/certificate.hpp"
#include "pate/release/declared/declared_run.hpp"

namespace pate {

namespace {

std::string at_most_in_words(const AtMostPlan& plan) {
  AtMostFacts facts;
  facts.claim = plan.claim.claim();
  facts.failed_claim = plan.claim.failed_claim();
  facts.certificate = plan.claim.test().certificate();
  return "There is this one delta and no other failure probability. " +
         two_numbers_in_words(facts, plan.terms.delta, plan.terms.others_epsilon);
}

}  // namespace

double AtMostPlan::mean_published() const {
  const double failed = ladder().fail(level);
  return (1.0 - failed) * claim.claim() + failed * claim.failed_claim();
}

double AtMostPlan::telling_epsilon() const {
  double largest = 0.0;
  for (std::size_t j = 1; j <= ladder().last(); ++j) {
    largest = std::max({largest, ladder().fall(j - 1), ladder().rise(j)});
  }
  return largest;
}

AtMostPlan at_most_plan(const VoteProfile& votes, const AtMostSettings& settings,
                        const CurveTableSource& source, const ProgressCallback& progress) {
  if (votes.queries < 1) throw parameter_error("a claim needs at least one query, got none");
  require(settings.cost == ReleasedCost::joint, "a claim counts every query: its reading is joint");
  validate_delta(settings.delta);
  (void)added_entries(settings, settings.delta);
  CostSpec question =
      joint_question(votes.aggregator, votes.neighbours, votes.teachers, votes.classes);
  if (settings.bound) question.cost = *settings.bound;
  require(!settings.bound || settings.certificate != Certificate::complex,
          "a cost is one of Renyi orders: a certificate by complex orders has none");
  const CertificateRule rule =
      certificate_rule(settings.bound ? Certificate::renyi : settings.certificate, question);
  const AtMostClaim claim(
      settings.claim, settings.delta,
      [&](double delta) {
        return epsilon_for_any_votes(votes.aggregator, votes.neighbours, votes.queries, delta);
      },
      rule);
  const double best = claim.test().ladder().pass(claim.test().best_level());
  if (!(best >= DeclaredMechanism::kHopeless)) {
    throw validity_error(fmt::format(
        "the claim {} at delta = {} is out of reach: even answers that cost nothing would pass "
        "with probability {:.3g} at most; claim a larger epsilon, or choose a larger delta",
        settings.claim, settings.delta, best));
  }
  if (!(settings.claim < claim.failed_claim())) {
    throw validity_error(fmt::format(
        "the claim {} is not below {}, which holds whatever the votes are and is said where the "
        "test does not pass: it needs no test",
        settings.claim, claim.failed_claim()));
  }
  if (!std::isfinite(claim.failed_claim())) {
    throw validity_error(
        "of this run no epsilon is known that holds whatever the votes are, which is said where "
        "the test does not pass");
  }
  question.order = claim.test().renyi_orders().front();
  validate(question);
  const RunCosts costs =
      std::move(run_costs(question, {&votes, 1}, claim.test().orders(), source, settings.threads,
                          progress, enough_distances(claim.test().ladder()))
                    .front());
  const ReleaseTerms& terms = settings;
  return {terms, claim, question.cost, claim.test().level(costs), question.neighbours};
}

PublicRelease public_release(const VoteProfile& votes, const AtMostPlan& plan, bool passed) {
  const double told = passed ? plan.claim.claim() : plan.claim.failed_claim();
  PublicRelease result =
      public_release(votes, plan.terms, ParameterOrigin::given, told, plan.terms.delta);
  result.method = ReleaseMethod::at_most;
  const BudgetTest& test = plan.claim.test();
  result.at_most = {passed,
                    plan.claim.claim(),
                    plan.claim.failed_claim(),
                    plan.cost,
                    static_cast<std::int64_t>(plan.ladder().last()) + 1,
                    test.renyi_orders(),
                    test.certificate()};
  if (const ComplexOrders* const complex = test.complex_orders()) {
    result.at_most->complex_orders = *complex;
  }
  result.order = result.at_most->orders.front();
  result.statement = release_statement(
      result, plan.terms, at_most_in_words(plan),
      " Claim, queries, noise and threshold were fixed without these votes, on which the statement "
      "rests.");
  return result;
}

}  // namespace pate
