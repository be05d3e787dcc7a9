#include "pate/release/curve/complex_plan.hpp"

#include <utility>

#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/release/curve/recipe_choice.hpp"
#include "pate/release/declared/certificate.hpp"

namespace pate {

namespace {

// Of the time of a default curve, what its parameters take.
constexpr double kRecipeShare = 0.6;

std::string plan_in_words(const ComplexPlan& plan) {
  return curve_in_words(
      plan.curve, plan.parameters.s, 1,
      "E holds whichever queries are answered (joint), of a list of queries that was fixed before "
      "the first answer (certificate by complex orders).");
}

std::string parameters_in_words(const ComplexPlan& plan) {
  std::string text =
      plan.origin == ParameterOrigin::public_inputs
          ? " Floor, s, beta and orders of the curve follow from public inputs alone: the "
            "teachers, classes and queries, the mechanism and delta."
          : " Floor, s, beta and orders of the curve were fixed in advance; the statement rests on "
            "their not depending on these votes.";
  if (plan.uses_chosen_parameters()) text += kEarlierChosen;
  return text;
}

}  // namespace

CurveDraw ComplexPlan::draw(BitSource& source) const {
  return drawn_from(curve, index, source);
}

ComplexPlan complex_plan(const VoteProfile& votes, const ComplexPlanSettings& settings,
                         const CurveTableSource& source, const ProgressCallback& progress) {
  require(votes.queries >= 1, "a release through a curve needs at least one query, got none");
  require(settings.cost == ReleasedCost::joint,
          "a curve by complex orders counts every query of a list: its reading is joint, else use "
          "Renyi orders");
  require(settings.earlier.empty(),
          "numbers were told about the same answers before, and a curve by complex orders does not "
          "count their noise, which may have depended on the answers: use Renyi orders");
  validate_delta(settings.delta);
  (void)added_entries(settings, settings.delta);
  CostSpec question =
      joint_question(votes.aggregator, votes.neighbours, votes.teachers, votes.classes);
  question.order = 2.0;  // whatever it is
  check_certificate(Certificate::complex, question);
  validate(question);
  const ComplexParameters parameters =
      settings.origin == ParameterOrigin::public_inputs
          ? source.complex_recipe(question, votes.queries, settings.delta, settings.threads,
                                  part_of(progress, 0.0, kRecipeShare))
          : settings.parameters;
  validate(parameters);
  const ComplexOrders orders = curve_orders(question, parameters.orders_for, settings.delta);
  const ComplexCosts costs =
      std::move(source
                    .complex_costs(question, orders, {&votes, 1}, settings.threads,
                                   part_of(progress, kRecipeShare, 1.0))
                    .front());
  ComplexCurve curve = complex_curve(parameters, orders, settings.delta, costs.units.back(),
                                     votes.teachers, settings.threads);
  const std::int64_t index = curve.index(costs);
  std::vector<double> epsilon_at;
  for (std::size_t d = 0; d < costs.units.size(); ++d) {
    epsilon_at.push_back(costs.certificate(d).epsilon(settings.delta));
  }
  const ReleaseTerms& terms = settings;
  return {terms, settings.origin, parameters, std::move(curve), index, std::move(epsilon_at)};
}

PublicRelease public_release(const VoteProfile& votes, const ComplexPlan& plan,
                             const CurveDraw& drawn) {
  PublicRelease result =
      public_release(votes, plan.terms, plan.origin, drawn.epsilon, plan.terms.delta);
  result.method = ReleaseMethod::curve;
  CurveFacts& facts = result.curve.emplace();
  facts.s = plan.parameters.s;
  facts.beta = plan.parameters.beta;
  facts.floor = plan.curve.floor();
  facts.ceiling = plan.curve.ceiling();
  facts.y = drawn.y;
  facts.complex =
      ComplexFacts{plan.parameters.orders_for, plan.curve.orders().renyi(), plan.curve.orders()};
  result.order = facts.complex->orders.front();
  result.statement =
      release_statement(result, plan.terms, plan_in_words(plan), parameters_in_words(plan));
  return result;
}

}  // namespace pate
