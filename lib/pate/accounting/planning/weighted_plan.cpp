#include "pate/accounting/planning/weighted_plan.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/weighted_run.hpp"
#include "pate/base/error.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

namespace {

// Each is two roundings of the noise; this is more than enough of them.
constexpr int kNudges = 64;

void check_planned(const PlannedRun& run, const TeacherWeights& weights) {
  const bool is_ptr = run.ptr_laplace || run.ptr_sigma || run.ptr_sparse || run.ptr_sparse_sigma;
  require(Asked::weights, Circumstances(run.neighbours)
                              .with(Given::samples, run.sampling.has_value())
                              .with(Given::ptr, is_ptr)
                              .with(Given::one_noise, run.one_noise));
  if (run.sigma1) require_few_units(weights);
}

// A threshold changes no cost.
Aggregator planned_aggregator(const PlannedRun& run) {
  Aggregator result{{}, run.noisy_max().value()};
  if (run.sigma1) result.selection = ThresholdCheck{0.0, *run.sigma1};
  return result;
}

// The same run with the noises of an aggregator, for these neighbours.
PlannedRun run_with(PlannedRun run, const CostedMechanism& paid) {
  const Aggregator& aggregator = paid.mechanism.noisy();
  (run.sigma2 ? run.sigma2 : run.laplace_scale) = aggregator.noisy_max.parameter();
  if (aggregator.selection) run.sigma1 = aggregator.selection->sigma1;
  run.neighbours = paid.neighbours;
  return run;
}

// What teachers of so many units pay, as a run that has no weights.
PlannedRun run_paid_by(const PlannedRun& run, const TeacherWeights& weights, std::int64_t units) {
  return run_with(run, paid_by(in_votes_of(planned_aggregator(run), weights.unit), units));
}

double* noise_to_solve(PlannedRun& run, PlanParameter parameter) {
  if (parameter == PlanParameter::sigma2) return &run.sigma2.emplace(1.0);
  if (parameter == PlanParameter::sigma1) return &run.sigma1.emplace(1.0);
  if (parameter == PlanParameter::laplace_scale) return &run.laplace_scale.emplace(1.0);
  return nullptr;
}

}  // namespace

WeightedPlan plan_weighted(const PlannedRun& run, const TeacherWeights& weights,
                           const PlanSettings& settings) {
  check_planned(run, weights);
  validate(run);
  std::map<std::int64_t, std::int64_t> teachers;  // by units
  for (const std::int64_t units : weights.units) ++teachers[units];
  const std::int64_t heaviest = weights.heaviest();
  WeightedPlan result;
  for (const auto& of_weight : teachers) {
    const std::int64_t units = of_weight.first;
    PlanSettings own = settings;
    if (units != heaviest) own.conversion.reset();  // of these no headline is told
    Plan plan = pate::plan(run_paid_by(run, weights, units), own);
    result.weights.push_back({weights.weight_of(units), of_weight.second,
                              smallest_fixed(plan.costs, Bound::data_independent).value()});
    result.plan = std::move(plan);  // the last is the heaviest
  }
  Plan& plan = result.plan;
  if (run.sigma1) {  // counted in units so far, several of which move
    const Aggregator in_units = in_votes_of(planned_aggregator(run), weights.unit);
    const Aggregator told = in_votes_of(in_units, static_cast<double>(heaviest));
    plan.run = run_with(run, {told, run.neighbours});
    plan.steps = steps_of(told, run.neighbours, run.queries, run.answers());
  }
  plan.notices.push_back(weights_notice(result.weights.back().weight, run.sigma1.has_value()));
  return result;
}

WeightedPlan solve_weighted(PlannedRun run, const TeacherWeights& weights,
                            const PlanSettings& settings, PlanParameter parameter, double epsilon) {
  double* const noise = noise_to_solve(run, parameter);
  if (parameter == PlanParameter::queries) run.queries = 1;
  if (parameter == PlanParameter::max_answers) run.max_answers = 1;
  if (parameter == PlanParameter::max_refusals) run.max_refusals = 1;
  check_planned(run, weights);
  validate(run);
  const Plan solved =
      solve(run_paid_by(run, weights, weights.heaviest()), settings, parameter, epsilon);
  WeightedPlan result;
  double value = solved.solved.value().value;
  if (noise == nullptr) {
    run.queries = solved.run.queries;
    run.max_answers = solved.run.max_answers;
    result = plan_weighted(run, weights, settings);
  } else {
    // With a threshold the plan that was solved is in units, else in votes of the heaviest.
    const double units = run.sigma1 ? 1.0 : static_cast<double>(weights.heaviest());
    value = std::max(value * units * weights.unit, kMinNoise);
    for (int i = 0;; ++i) {
      *noise = value;
      result = plan_weighted(run, weights, settings);
      if (result.plan.costs[result.plan.headline].epsilon <= epsilon || i == kNudges) break;
      // Divided again it was rounded below what was found.
      value *= 1.0 + 2.0 * std::numeric_limits<double>::epsilon();
    }
    if (result.plan.costs[result.plan.headline].epsilon > epsilon) {
      throw validity_error("no noise in votes of weight 1 was found that keeps the target");
    }
  }
  result.plan.solved = Solved{parameter, value, epsilon};
  for (const Notice& notice : solved.notices) {
    if (notice.code == "solved_at_limit") result.plan.notices.push_back(notice);
  }
  return result;
}

bool has_weights(const Plan& plan) {
  const std::string code = weights_notice(1.0, false).code;
  return std::ranges::find(plan.notices, code, &Notice::code) != plan.notices.end();
}

}  // namespace pate
