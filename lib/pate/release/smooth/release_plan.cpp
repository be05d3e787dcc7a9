#include "pate/release/smooth/release_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "pate/error.hpp"
#include "pate/math/margin.hpp"
#include "pate/math/normal.hpp"
#include "pate/math/sums.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/sampling/exact_deviate.hpp"

namespace pate {

namespace {

CostChoice choice_of(const ReleaseSettings& settings) {
  CostChoice choice;
  choice.bound = settings.bound;
  choice.cost = settings.cost;
  choice.threads = settings.threads;
  return choice;
}

// Up to this distance everything is computed at once.
constexpr std::int64_t kFewTeachers = 600;

struct Computed {
  CostAtOrder cost;
  ReleaseNumbers numbers;
};

// Computes sensitivities as far out as they can matter.
Computed compute(const VoteProfile& votes, const ReleaseParameters& parameters,
                 const ReleaseGoal& goal, CostChoice choice) {
  if (votes.teachers <= kFewTeachers) {
    choice.most_votes = votes.teachers;
  } else {
    // e^(-beta d) `beyond` falls below the smooth sensitivity before this, which a coarse grid
    // tells well enough.
    CostChoice coarse = choice;
    coarse.resolution = GridResolution::coarse();
    coarse.most_votes = std::min<std::int64_t>(votes.teachers, kFewTeachers);
    const CostAtOrder cost = cost_at_order(votes, parameters.order, coarse);
    double known = 0.0;
    for (std::size_t d = 0; d < cost.local.at.size(); ++d) {
      known =
          std::max(known, std::exp(-parameters.beta * static_cast<double>(d)) * cost.local.at[d]);
    }
    const double far = std::log(cost.local.beyond / known) / parameters.beta * 1.02 + 2.0;
    choice.most_votes = far < static_cast<double>(votes.teachers)
                            ? std::max<std::int64_t>(1, std::llround(std::ceil(far)))
                            : votes.teachers;
  }
  for (;;) {
    Computed result{cost_at_order(votes, parameters.order, choice), {}};
    result.numbers = release_numbers(result.cost, parameters, goal);
    if (!result.numbers.at_end) return result;
    choice.most_votes = std::min(votes.teachers, 2 * choice.most_votes);
  }
}

// Probability that the noise makes the published number too small.
double failure_of(std::optional<double> confidence, double delta) {
  validate_delta(delta);
  if (!confidence) return std::min(delta, 0.5);
  if (!(*confidence >= 0.5 && *confidence < 1.0)) {
    throw parameter_error(fmt::format("confidence must be >= 0.5 and < 1, got {}", *confidence));
  }
  return 1.0 - *confidence;
}

ReleaseGoal goal_of(const ReleaseSettings& settings) {
  validate_delta(settings.delta);
  return {settings.delta, safety_factor(settings.confidence, settings.delta)};
}

std::string outputs(const VoteProfile& votes, std::size_t earlier) {
  std::string text = votes.aggregator.selection ? "the answers and refusals" : "the answers";
  text += earlier == 0 ? " and the published E"
                       : fmt::format(", the published E and {} earlier one{} about the same votes",
                                     earlier, earlier == 1 ? "" : "s");
  return text;
}

std::string failure(const ReleasePlan& plan) {
  if (plan.k == 0.0) {
    return "E is an unbiased estimate and not a bound: with probability 1/2 it lies below what "
           "this run costs, and the delta above counts that";
  }
  return fmt::format(
      "delta is {} for the run and {:.3g} for the noise in E, which with that probability is "
      "below what this run costs",
      plan.delta, plan.run_delta - plan.delta);
}

// Every other entry of the ledger, and how it is counted.
std::string ledger_in_words(const ReleasePlan& plan, double run_epsilon) {
  if (!plan.ledger) {
    return " No ledger was kept: nothing else that was released of these teachers' votes is "
           "counted.";
  }
  if (plan.ledger->empty()) return " The ledger of these teachers has no other entry.";
  std::string text = " The ledger of these teachers has other entries, and M and E count all:";
  bool adds = false;
  for (const OtherEntry& entry : *plan.ledger) {
    fmt::format_to(std::back_inserter(text),
                   "{} line {} ({}, {}): ", &entry == plan.ledger->data() ? "" : ";", entry.line,
                   entry.kind, entry.time);
    switch (entry.counted) {
      case Counted::same_answers:
        text += "its answers are those of this run";
        break;
      case Counted::noise:
        text += "it is about the answers of this run, and the noise in it is counted";
        break;
      case Counted::within_another:
        text += "counted within a later entry that is about its answers";
        break;
      case Counted::added:
        adds = true;
        fmt::format_to(std::back_inserter(text), "epsilon {} and delta {} are added", entry.epsilon,
                       entry.delta);
    }
  }
  return text +
         (adds ? fmt::format(". What is added is added to epsilon {} and delta {} of this run "
                             "(sequential composition: epsilons and deltas add up).",
                             run_epsilon, plan.run_delta)
               : ".");
}

std::string statement(const VoteProfile& votes, const ReleaseSettings& settings,
                      const ReleasePlan& plan, double run_epsilon) {
  const double epsilon = sum_upwards(run_epsilon, plan.added_epsilon);
  std::string text =
      promise_in_words(outputs(votes, plan.earlier.size()), epsilon, plan.total_delta);
  text += fmt::format(
      " In symbols: let M be all that became public of this run of {} queries to {} teachers: {}, "
      "E = {} in "
      "this run. For the votes D, for all votes D' that differ from D in what one teacher votes, "
      "on "
      "every query, and for every set S of outcomes, Pr[M(D) in S] <= (integral over outcomes o in "
      "S of e^E(o) dPr[M(D') = o]) + delta, with delta = {}. E depends on the votes and was "
      "released with normal noise scaled to its smooth sensitivity; the cost of releasing it is "
      "part of E. {}.",
      votes.queries, votes.teachers, outputs(votes, plan.earlier.size()), epsilon, plan.total_delta,
      failure(plan));
  text += settings.cost == ReleasedCost::realized
              ? " E sums up what the queries cost as they were answered (realized): it holds for "
                "queries that depend on earlier answers too, at an order fixed before the run."
              : " E holds whichever queries are answered (joint), for a list of queries and "
                "selection statistics that does not depend on earlier answers.";
  text += ledger_in_words(plan, run_epsilon);
  text += plan.chosen_from_votes
              ? " Caution: order, beta and sigma were chosen from these votes, which the statement "
                "does not allow for. Fix them in advance, from public, simulated or earlier votes."
              : " Order, beta and sigma were fixed in advance; the statement rests on their not "
                "depending on these votes.";
  if (plan.rests_on_chosen() && !plan.chosen_from_votes) {
    text +=
        " Caution: those of an earlier release were chosen from votes, which the statement does "
        "not allow for.";
  }
  return text;
}

}  // namespace

Guarantee guarantee_of(const std::optional<PublicRelease>& published) {
  if (!published) return no_guarantee("no number was drawn.");
  if (published->chosen_from_votes) {
    return no_guarantee(
        "order, beta and sigma, of this release or of one that it counts, were chosen from votes.");
  }
  CostEntry cost;
  cost.bound = Bound::released;
  cost.reading = Reading::released;
  cost.epsilon = published->epsilon;
  cost.delta = published->delta;
  cost.releasable = true;
  Guarantee result = guarantee_of(cost, outputs_of(published->aggregator) + " and the published E");
  result.assumes.emplace_back("order, beta and sigma were fixed without these votes");
  if (published->reading == ReleasedCost::joint) {
    result.assumes.emplace_back(
        "queries, and what their answers are compared with, did not depend on earlier answers");
  }
  return result;
}

double ReleasePlan::epsilon(double released_rdp) const {
  const double total = (released_rdp + numbers.release_cost + earlier_cost) * (1.0 + 1e-15);
  return std::max(epsilon_from_rdp(Conversion::improved, total, parameters.order, delta), 0.0);
}

bool ReleasePlan::rests_on_chosen() const {
  return chosen_from_votes || std::ranges::any_of(earlier, &EarlierRelease::chosen_from_votes) ||
         (ledger && std::ranges::any_of(*ledger, &OtherEntry::chosen_from_votes));
}

double safety_factor(std::optional<double> confidence, double delta) {
  const double failure = failure_of(confidence, delta);
  // The quantile is known to a relative 1e-15; rounded upwards it fails less often.
  return failure == 0.5 ? 0.0 : normal_upper_quantile(std::log(failure)) * (1.0 + 1e-12);
}

ReleasePlan release_plan(const VoteProfile& votes, const ReleaseSettings& settings) {
  const ReleaseGoal goal = goal_of(settings);
  const CostChoice choice = choice_of(settings);
  ReleasePlan plan;
  plan.chosen_from_votes = !settings.parameters || settings.chosen_before;
  plan.delta = settings.delta;
  plan.k = goal.k;
  const double failure = failure_of(settings.confidence, settings.delta);
  plan.confidence = 1.0 - failure;
  plan.run_delta = sum_upwards(settings.delta, failure);
  plan.total_delta = plan.run_delta;
  plan.ledger = settings.ledger;
  for (const OtherEntry& entry : plan.ledger.value_or(std::vector<OtherEntry>{})) {
    if (entry.counted != Counted::added) continue;
    plan.added_epsilon = sum_upwards(plan.added_epsilon, entry.epsilon);
    plan.total_delta = sum_upwards(plan.total_delta, entry.delta);
  }
  if (!(plan.total_delta < 1.0)) {
    throw validity_error(fmt::format(
        "delta of this release and of the entries of the ledger it counts add up to {}: a "
        "statement needs less than 1",
        plan.total_delta));
  }
  plan.parameters =
      settings.parameters ? *settings.parameters : best_parameters(votes, goal, choice);
  validate(plan.parameters);
  Computed computed = compute(votes, plan.parameters, goal, choice);
  if (!settings.parameters) {
    // The noise once more, for the sensitivity as it is.
    const ReleaseParameters noise = best_noise(computed.cost, goal);
    const ReleaseNumbers numbers = release_numbers(computed.cost, noise, goal);
    if (!numbers.at_end && numbers.objective(goal.k) < computed.numbers.objective(goal.k)) {
      plan.parameters = noise;
      computed.numbers = numbers;
    }
  }
  plan.earlier = settings.earlier;
  for (const EarlierRelease& earlier : settings.earlier) {
    plan.earlier_cost += release_cost(plan.parameters.order, earlier.beta * (1.0 + kReleaseMargin),
                                      earlier.sigma, earlier.k);
  }
  if (!std::isfinite(plan.earlier_cost)) {
    throw validity_error(fmt::format(
        "an earlier release from these votes has no finite cost at order {}: its beta needs a "
        "smaller order; give --order, --beta and --sigma-ss as they were then",
        plan.parameters.order));
  }
  plan.rdp = computed.cost.rdp;
  plan.largest_rdp = computed.cost.largest_rdp;
  plan.numbers = computed.numbers;
  return plan;
}

ReleasedEpsilon mean_released_epsilon(const VoteProfile& votes, const ReleaseSettings& settings,
                                      bool coarse) {
  if (!coarse) {
    const ReleasePlan plan = release_plan(votes, settings);
    return {plan.numbers.mean_released, plan.numbers.noise_sd, plan.parameters};
  }
  const ReleaseGoal goal = goal_of(settings);
  CostChoice choice = choice_of(settings);
  const ReleaseParameters parameters =
      settings.parameters ? *settings.parameters : best_parameters(votes, goal, choice);
  validate(parameters);
  choice.resolution = GridResolution::coarse();
  choice.most_votes = votes.teachers;
  const ReleaseNumbers numbers =
      release_numbers(cost_at_order(votes, parameters.order, choice), parameters, goal);
  return {numbers.mean_released, numbers.noise_sd, parameters};
}

std::string_view parameters_name(bool chosen_from_votes) {
  return chosen_from_votes ? "chosen from the votes" : "fixed";
}

PublicRelease public_release(const VoteProfile& votes, const ReleaseSettings& settings,
                             const ReleasePlan& plan, double released_rdp) {
  PublicRelease result;
  result.run_epsilon = plan.epsilon(released_rdp);
  result.run_delta = plan.run_delta;
  result.epsilon = sum_upwards(result.run_epsilon, plan.added_epsilon);
  result.delta = plan.total_delta;
  result.confidence = plan.confidence;
  result.order = plan.parameters.order;
  result.queries = votes.queries;
  result.teachers = votes.teachers;
  result.classes = votes.classes;
  if (votes.has_decisions) result.answered = votes.answered;
  result.aggregator = votes.aggregator;
  result.bound = settings.bound;
  result.reading = settings.cost;
  result.chosen_from_votes = plan.rests_on_chosen();
  result.ledger = plan.ledger;
  result.statement = statement(votes, settings, plan, result.run_epsilon);
  return result;
}

double draw_released_rdp(const ReleasePlan& plan, BitSource& source) {
  const Dyadic scale(plan.numbers.noise_sd);
  const Dyadic location = Dyadic(plan.rdp) + scale * Dyadic(plan.k);
  NoisyValue value(location, scale, exact_normal(source));
  return released_on_grid(value, plan.largest_rdp, source);
}

}  // namespace pate
