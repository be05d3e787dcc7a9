#include "pate/release/smooth/release_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/mechanisms/sampling/exact_deviate.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/release/smooth/release_cost.hpp"

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
  require(*confidence >= 0.5 && *confidence < 1.0, "confidence must be >= 0.5 and < 1, got {}",
          *confidence);
  return 1.0 - *confidence;
}

ReleaseGoal goal_of(const ReleaseSettings& settings) {
  validate_delta(settings.delta);
  return {settings.delta, safety_factor(settings.confidence, settings.delta)};
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

std::string how_released(const ReleasePlan& plan) {
  return fmt::format(
      "E depends on the votes and was released with normal noise scaled to its smooth sensitivity; "
      "the cost of releasing it is part of E. {}. {}",
      failure(plan),
      plan.terms.cost == ReleasedCost::realized
          ? "E sums up what the queries cost as they were answered (realized): it holds for "
            "queries that depend on earlier answers too, at an order fixed before the run."
          : "E holds whichever queries are answered (joint), for a list of queries and selection "
            "statistics that does not depend on earlier answers.");
}

std::string about_parameters(const ReleasePlan& plan) {
  if (plan.chosen_from_votes) {
    return " Caution: order, beta and sigma were chosen from these votes, which the statement "
           "does not allow for. Fix them in advance, from public, simulated or earlier votes.";
  }
  std::string text =
      " Order, beta and sigma were fixed in advance; the statement rests on their not depending "
      "on these votes.";
  if (plan.uses_chosen_parameters()) text += kEarlierChosen;
  return text;
}

// The mean of a normal number plus what is positive of it, E[max(x + N(0, 1), 0)].
double positive_mean(double x) {
  return x * normal_cdf(x) + std::exp(log_normal_density(x));
}

// The mean of what is published: z is cut at 0 and at f_max, epsilon at 0.
double mean_published(const ReleaseNumbers& numbers, double k, double rdp, double largest_rdp) {
  const double sd = numbers.noise_sd;
  const double mean = numbers.mean_released;
  const double apart = mean - (rdp + k * sd);
  const double least = std::max(apart, 0.0);
  const double most = std::max(apart + largest_rdp, least);
  if (!(sd > 0.0) || !std::isfinite(sd)) return std::clamp(mean, least, most);
  return std::clamp(
      mean + sd * (positive_mean((least - mean) / sd) - positive_mean((mean - most) / sd)), least,
      most);
}

}  // namespace

double ReleasePlan::epsilon(double released_rdp) const {
  const double total = (released_rdp + numbers.release_cost + earlier_cost) * (1.0 + 1e-15);
  return std::max(epsilon_from_rdp(Conversion::improved, total, parameters.order, delta), 0.0);
}

bool ReleasePlan::uses_chosen_parameters() const {
  return chosen_from_votes || terms.counts_chosen();
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
  plan.run_delta = decimal_sum(settings.delta, failure);
  plan.total_delta = added_entries(settings, plan.run_delta).total_delta;
  plan.terms = static_cast<const ReleaseTerms&>(settings);
  plan.parameters =
      settings.parameters ? *settings.parameters : best_parameters(votes, goal, choice);
  validate(plan.parameters);
  Computed computed = compute(votes, plan.parameters, goal, choice);
  if (!settings.parameters) {
    // The noise once more, for the sensitivity as it is, and as far out as it is known.
    const ReleaseParameters noise = best_noise(computed.cost, goal, true);
    const ReleaseNumbers numbers = release_numbers(computed.cost, noise, goal);
    if (!numbers.at_end && numbers.objective(goal.k) < computed.numbers.objective(goal.k)) {
      plan.parameters = noise;
      computed.numbers = numbers;
    }
  }
  plan.earlier_cost = cost_of_earlier(settings.earlier, plan.parameters.order);
  plan.rdp = computed.cost.rdp;
  plan.largest_rdp = computed.cost.largest_rdp;
  plan.numbers = computed.numbers;
  plan.numbers.mean_released = mean_published(plan.numbers, plan.k, plan.rdp, plan.largest_rdp);
  return plan;
}

ReleasedEpsilon mean_released_epsilon(const VoteProfile& votes, const ReleaseSettings& settings,
                                      bool coarse) {
  if (!coarse) {
    const ReleasePlan plan = release_plan(votes, settings);
    return {plan.numbers.mean_released, plan.numbers.noise_sd, plan.parameters.order,
            plan.parameters.beta, plan.parameters.sigma};
  }
  const ReleaseGoal goal = goal_of(settings);
  CostChoice choice = choice_of(settings);
  const ReleaseParameters parameters =
      settings.parameters ? *settings.parameters : best_parameters(votes, goal, choice);
  validate(parameters);
  choice.resolution = GridResolution::coarse();
  choice.most_votes = votes.teachers;
  const auto cost = cost_at_order(votes, parameters.order, choice);
  const ReleaseNumbers numbers = release_numbers(cost, parameters, goal);
  return {mean_published(numbers, goal.k, cost.rdp, cost.largest_rdp), numbers.noise_sd,
          parameters.order, parameters.beta, parameters.sigma};
}

PublicRelease public_release(const VoteProfile& votes, const ReleaseSettings& settings,
                             const ReleasePlan& plan, double released_rdp) {
  PublicRelease result = public_release(
      votes, plan.terms, plan.chosen_from_votes ? ParameterOrigin::chosen : ParameterOrigin::fixed,
      plan.epsilon(released_rdp), plan.run_delta);
  result.method = ReleaseMethod::gnss;
  result.confidence = plan.confidence;
  result.order = plan.parameters.order;
  result.bound = settings.bound;
  result.statement =
      release_statement(result, plan.terms, how_released(plan), about_parameters(plan));
  return result;
}

double draw_released_rdp(const ReleasePlan& plan, BitSource& source) {
  const Dyadic scale(plan.numbers.noise_sd);
  const Dyadic location = Dyadic(plan.rdp) + scale * Dyadic(plan.k);
  NoisyValue value(location, scale, exact_normal(source));
  return released_on_grid(value, plan.largest_rdp, source);
}

}  // namespace pate
