#include "pate/release/curve/curve_plan.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

std::string plan_in_words(const CurvePlan& plan) {
  const CostSpec& question = plan.mechanism.settings().question;
  return curve_in_words(plan.mechanism.curve(), plan.parameters().s, question.neighbours.teachers,
                        plan.terms.cost == ReleasedCost::realized
                            ? "E sums up what the queries cost as they were answered (realized)."
                            : "E holds whichever queries are answered (joint).");
}

std::string curve_parameters_in_words(const CurvePlan& plan) {
  std::string text;
  switch (plan.origin) {
    case ParameterOrigin::public_inputs:
      text =
          " Order, s and beta follow from public inputs alone: the teachers, classes and queries, "
          "the mechanism and delta.";
      break;
    case ParameterOrigin::released_labels:
      text =
          " The order was fixed before the labels were seen, on which the statement rests; s and "
          "beta follow from public inputs and from how many queries were answered.";
      break;
    default:
      text =
          " Order, s and beta were fixed in advance; the statement rests on their not depending on "
          "these votes.";
  }
  if (plan.uses_chosen_parameters()) text += kEarlierChosen;
  return text;
}

CostSpec question_of(const VoteProfile& votes, const CurvePlanSettings& settings) {
  return {votes.aggregator,
          votes.neighbours,
          votes.teachers,
          votes.classes,
          settings.parameters.order,
          settings.bound
              ? *settings.bound
              : default_cost(votes.aggregator, votes.neighbours, votes.teachers, votes.classes),
          settings.cost};
}

}  // namespace

double CurvePlan::epsilon_before() const {
  const CurveSettings& settings = mechanism.settings();
  const CostUnits added = earlier_cost > 0.0 ? units_of(earlier_cost, kCostMargin) : 0;
  return std::max(epsilon_from_rdp(Conversion::improved, cost_of_units(place.ub.front() - added),
                                   settings.parameters.order, settings.delta),
                  0.0);
}

CurvePlan curve_plan(const VoteProfile& votes, const CurvePlanSettings& settings,
                     const CurveTableSource& source, const ProgressCallback& progress) {
  require(votes.queries >= 1, "a release through a curve needs at least one query, got none");
  CurveSettings made;
  made.question = question_of(votes, settings);
  made.parameters = settings.parameters;
  made.delta = settings.delta;
  made.queries = votes.queries;
  made.answered = votes.has_decisions ? votes.answered : 0;
  made.threads = settings.threads;
  validate_delta(settings.delta);
  const double run_delta = settings.delta;
  (void)added_entries(settings, run_delta);
  std::shared_ptr<const CostsWithinDistance> tables;
  if (settings.origin == ParameterOrigin::public_inputs) {
    CurveRecipe recipe =
        source.recipe(made.question, made.queries, made.delta, made.threads, progress);
    made.parameters = recipe.parameters;
    tables = std::move(recipe.costs);
  } else if (settings.origin == ParameterOrigin::released_labels) {
    if (!votes.has_decisions) {
      throw parameter_error("parameters from the labels need to know which queries were answered");
    }
    made.parameters = parameters_from_labels(made.question, made.queries, made.answered, made.delta,
                                             made.threads);
  }
  const double earlier = cost_of_earlier(settings.earlier, made.parameters.order);
  made.added_rdp = earlier;
  if (!tables) {
    made.question.order = made.parameters.order;
    validate(made.parameters);
    tables = source.costs(made.question, made.threads, progress);
  }
  CurveMechanism mechanism(made, std::move(tables));
  CurvePlace place = mechanism.place(votes);
  const ReleaseTerms& terms = settings;
  return {terms, settings.origin, std::move(mechanism), std::move(place), run_delta, earlier};
}

ReleasedEpsilon mean_released_epsilon(const VoteProfile& votes, const CurvePlanSettings& settings,
                                      bool coarse) {
  if (coarse && settings.cost == ReleasedCost::joint && !votes.aggregator.interactive) {
    const CostSpec question = question_of(votes, settings);
    const CurveEstimate found =
        estimated_release(question, votes, settings.delta, settings.threads);
    return {found.published.mean,
            found.published.sd,
            found.parameters.order,
            found.parameters.beta,
            found.parameters.s,
            ReleaseMethod::curve,
            true};
  }
  const CurvePlan plan = curve_plan(votes, settings);
  return {plan.place.published.mean, plan.place.published.sd, plan.parameters().order,
          plan.parameters().beta,    plan.parameters().s,     ReleaseMethod::curve};
}

PublicRelease public_release(const VoteProfile& votes, const CurvePlan& plan,
                             const CurveDraw& drawn) {
  const PublicCurve& curve = plan.mechanism.curve();
  PublicRelease result =
      public_release(votes, plan.terms, plan.origin, drawn.epsilon, plan.run_delta);
  result.method = ReleaseMethod::curve;
  result.order = plan.parameters().order;
  result.curve = {plan.parameters().s,
                  plan.parameters().beta,
                  plan.mechanism.settings().question.cost,
                  cost_of_units(curve.ub_max()),
                  curve.floor(),
                  curve.ceiling(),
                  drawn.y};
  result.statement =
      release_statement(result, plan.terms, plan_in_words(plan), curve_parameters_in_words(plan));
  return result;
}

}  // namespace pate
