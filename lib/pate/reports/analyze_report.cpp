#include "pate/reports/analyze_report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "pate/reports/partials_json.hpp"

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
  return Json::parse(numbers_json(values));
}

}  // namespace

std::string analyze_report_json(const Account& account, const ReportContext& context,
                                const Partials* partials) {
  Json report = Json::parse(report_head_json("analyze", context));
  report["mechanism"] = Json::parse(mechanism_json(account.aggregator));
  report["teachers"] = account.teachers;
  report["classes"] = account.classes;
  report["queries"] = account.queries;
  report["delta"] = account.delta;
  report["answered"] = {{"expected", number(account.answered_expected)},
                        {"sd", number(account.answered_sd)},
                        {"realized", or_null(account.answered_realized)}};
  Json costs = Json::parse(costs_json(account.costs));
  report["headline"] = costs[account.headline];
  report["costs"] = std::move(costs);
  report["steps"] = Json::parse(steps_json(account.steps));
  report["rdp"] = {{"orders", Json::parse(numbers_json(account.orders))}};
  if (account.published) report["rdp"]["published"] = Json::parse(curves_json(*account.published));
  if (account.tradeoff) report["rdp"]["tradeoff"] = Json::parse(curves_json(*account.tradeoff));
  if (account.exact) report["rdp"]["exact"] = Json::parse(curves_json(*account.exact));
  report["trajectory"] = Json::parse(trajectory_json(account.trajectory));
  if (account.utility) {
    report["utility"] = {{"expected_accuracy", number(account.utility->expected_accuracy)},
                         {"plurality_accuracy", number(account.utility->plurality_accuracy)}};
  }
  if (account.per_teacher) {
    report["per_teacher"] = {
        {"epsilon", numbers(account.per_teacher->epsilon)},
        {"quantiles", Json::parse(numbers_json(account.per_teacher->quantiles))}};
  }
  if (partials != nullptr) report.update(Json::parse(partials_json(*partials)));
  if (!context.parts.empty()) report["parts"] = Json::parse(parts_json(context.parts));
  report["notices"] = Json::parse(notices_json(account.notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
