#include "pate/io/analyze_report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
  Json result = Json::array();
  for (const double value : values) result.push_back(number(value));
  return result;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json mechanism_json(const Aggregator& aggregator) {
  Json result = {{"name", aggregator.name()}};
  if (aggregator.selection) {
    result["threshold"] = aggregator.selection->threshold;
    result["sigma1"] = aggregator.selection->sigma1;
  }
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    result["sigma2"] = gaussian->sigma;
  } else {
    result["laplace_scale"] = std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale;
  }
  return result;
}

Json cost_json(const CostEntry& cost) {
  Json parts = Json::object();
  for (const auto& [part, value] : cost.parts) parts[part] = number(value);
  Json result = {{"bound", name(cost.bound)},
                 {"reading", name(cost.reading)},
                 {"direction", direction_name(cost.bound)},
                 {"conversion", name(cost.conversion)},
                 {"epsilon", number(cost.epsilon)},
                 {"delta", cost.delta},
                 {"order", or_null(cost.order)}};
  if (cost.sd) result["sd"] = number(*cost.sd);
  result["parts"] = std::move(parts);
  result["data_dependent"] = cost.data_dependent;
  result["releasable"] = cost.releasable;
  return result;
}

Json curves_json(const RdpCurves& curves) {
  Json result = {{"selection", numbers(curves.selection)},
                 {"noisy_max", numbers(curves.noisy_max)}};
  if (!curves.joint.empty()) result["joint"] = numbers(curves.joint);
  return result;
}

}  // namespace

std::string analyze_report_json(const Account& account, const ReportContext& context) {
  Json report = Json::parse(report_head_json("analyze", context));
  report["mechanism"] = mechanism_json(account.aggregator);
  report["teachers"] = account.teachers;
  report["classes"] = account.classes;
  report["queries"] = account.queries;
  report["delta"] = account.delta;
  report["answered"] = {{"expected", number(account.answered_expected)},
                        {"sd", number(account.answered_sd)},
                        {"realized", or_null(account.answered_realized)}};
  Json costs = Json::array();
  for (const CostEntry& cost : account.costs) costs.push_back(cost_json(cost));
  report["headline"] = costs[account.headline];
  report["costs"] = std::move(costs);
  report["rdp"] = {{"orders", numbers(account.orders)}};
  if (account.published) report["rdp"]["published"] = curves_json(*account.published);
  if (account.tradeoff) report["rdp"]["tradeoff"] = curves_json(*account.tradeoff);
  report["trajectory"] = Json::array();
  for (const TrajectoryPoint& point : account.trajectory) {
    report["trajectory"].push_back({{"queries", point.queries},
                                    {"answered", number(point.answered)},
                                    {"epsilon", number(point.epsilon)},
                                    {"order", point.order > 0.0 ? Json(point.order) : Json()}});
  }
  if (account.utility) {
    report["utility"] = {{"expected_accuracy", number(account.utility->expected_accuracy)},
                         {"plurality_accuracy", number(account.utility->plurality_accuracy)}};
  }
  report["notices"] = Json::parse(notices_json(account.notices));
  return report.dump(2) + "\n";
}

}  // namespace pate
