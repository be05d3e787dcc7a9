#include "pate/reports/plan_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json mechanism_json(const PlannedRun& run) {
  if (run.laplace_scale) return {{"name", "lnmax"}, {"laplace_scale", *run.laplace_scale}};
  if (!run.sigma1) return {{"name", "gnmax"}, {"sigma2", *run.sigma2}};
  return {{"name", "confident"}, {"sigma1", *run.sigma1}, {"sigma2", *run.sigma2}};
}

Json solved_json(const Solved& solved) {
  const bool whole =
      solved.parameter == PlanParameter::queries || solved.parameter == PlanParameter::max_answers;
  return {{"for", name(solved.parameter)},
          {"value", whole ? Json(static_cast<std::int64_t>(solved.value)) : Json(solved.value)},
          {"epsilon", solved.epsilon}};
}

}  // namespace

std::string plan_report_json(const Plan& plan, const ReportContext& context) {
  Json report = Json::parse(report_head_json("plan", context));
  report["mechanism"] = mechanism_json(plan.run);
  report["queries"] = plan.run.queries;
  report["max_answers"] = plan.run.answers();
  report["delta"] = plan.delta;
  report["solved"] = plan.solved ? solved_json(*plan.solved) : Json(nullptr);
  Json costs = Json::parse(costs_json(plan.costs));
  report["headline"] = costs[plan.headline];
  report["costs"] = std::move(costs);
  report["steps"] = Json::parse(steps_json(plan.steps));
  std::vector<double> selection;
  std::vector<double> noisy_max;
  for (const QueryCost& cost : plan.rdp) {
    selection.push_back(cost.selection);
    noisy_max.push_back(cost.noisy_max);
  }
  report["rdp"] = {{"orders", Json::parse(numbers_json(plan.orders))},
                   {"data_independent",
                    {{"selection", Json::parse(numbers_json(selection))},
                     {"noisy_max", Json::parse(numbers_json(noisy_max))}}}};
  report["notices"] = Json::parse(notices_json(plan.notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
