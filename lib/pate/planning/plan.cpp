#include "pate/planning/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

namespace {

StepCounts steps_of(const PlannedRun& run) {
  StepCounts steps;
  if (run.sigma1) steps.threshold_checks[*run.sigma1] = run.queries;
  if (run.sigma2) steps.maxima[{GaussianNoisyMax{*run.sigma2}}] = run.answers();
  if (run.laplace_scale) steps.maxima[{LaplaceNoisyMax{*run.laplace_scale}}] = run.answers();
  return steps;
}

void require_conversion(const std::vector<CostEntry>& costs, ReportedConversion conversion) {
  std::string computed;
  for (const CostEntry& cost : costs) {
    if (cost.conversion == conversion) return;
    computed += (computed.empty() ? "" : ", ") + std::string(name(cost.conversion));
  }
  throw parameter_error(fmt::format("conversion {} does not go with this noise; computed are {}",
                                    name(conversion), computed));
}

}  // namespace

std::int64_t PlannedRun::answers() const {
  return max_answers ? std::min(*max_answers, queries) : queries;
}

void validate(const PlannedRun& run) {
  if (run.sigma2.has_value() == run.laplace_scale.has_value()) {
    throw parameter_error("a plan needs the noise of the maximum: sigma2 or laplace-scale, one");
  }
  if (run.sigma1 && !run.sigma2) {
    throw parameter_error(
        "a threshold check (sigma1) goes with Gaussian noise (sigma2), not with Laplace");
  }
  if (run.max_answers && !run.sigma1) {
    throw parameter_error("max-answers needs sigma1: without a threshold every query is answered");
  }
  if (run.sigma2) require_positive(*run.sigma2, "sigma2");
  if (run.sigma1) require_positive(*run.sigma1, "sigma1");
  if (run.laplace_scale) require_positive(*run.laplace_scale, "laplace-scale");
  if (run.queries < 1 || run.queries > kMostPlannedQueries) {
    throw parameter_error(fmt::format("queries must be at least 1 and at most {}, got {}",
                                      kMostPlannedQueries, run.queries));
  }
  if (run.max_answers && *run.max_answers < 1) {
    throw parameter_error(fmt::format("max-answers must be at least 1, got {}", *run.max_answers));
  }
}

Plan plan(const PlannedRun& run, const PlanSettings& settings) {
  validate(run);
  validate_delta(settings.delta);
  Plan result;
  result.run = run;
  result.delta = settings.delta;
  result.steps = steps_of(run);
  result.orders = settings.orders
                      ? validated_orders(*settings.orders)
                      : std::vector<double>(default_orders().begin(), default_orders().end());
  for (const double order : result.orders) result.rdp.push_back(result.steps.rdp(order));
  const OrderSearch search{settings.delta, settings.orders.has_value()};
  result.costs = data_independent_entries(result.steps, result.orders, search, result.notices);
  add_order_notices(result.costs, result.orders, search.grid_only, result.notices);
  if (settings.conversion) require_conversion(result.costs, *settings.conversion);
  result.headline = headline_of(result.costs, {std::nullopt, settings.conversion});
  return result;
}

}  // namespace pate
