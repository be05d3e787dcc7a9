#include "pate/reports/composed_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string composed_report_json(const Composition& sum, const ReportContext& context) {
  Json report = Json::parse(report_head_json("analyze", context));
  report["mechanism"] = {{"name", "composed"}};
  report["parts"] = Json::parse(parts_json(context.parts));
  report["teachers"] = or_null(sum.teachers);
  report["classes"] = or_null(sum.classes);
  report["queries"] = sum.queries;
  report["delta"] = sum.delta;
  report["answered"] = {{"expected", or_null(sum.answered_expected)},
                        {"sd", sum.answered_expected ? Json(sum.answered_sd) : Json(nullptr)},
                        {"realized", or_null(sum.answered_realized)}};
  if (sum.released) {
    report["released"] = {{"epsilon", sum.released->epsilon}, {"delta", sum.released->delta}};
  }
  Json costs = Json::parse(costs_json(sum.costs));
  report["headline"] = costs[sum.headline];
  report["costs"] = std::move(costs);
  report["steps"] = Json::parse(steps_json(sum.steps));
  report["rdp"] = {{"orders", Json::parse(numbers_json(sum.orders))}};
  for (const auto& [bound, curves] : sum.curves) {
    report["rdp"][std::string(name(bound))] = Json::parse(curves_json(curves));
  }
  if (sum.exact) report["rdp"]["exact"] = Json::parse(curves_json(*sum.exact));
  report["trajectory"] = Json::parse(trajectory_json(sum.trajectory));
  report["notices"] = Json::parse(notices_json(sum.notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
