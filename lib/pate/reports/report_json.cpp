#include "pate/reports/report_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const Settings& settings) {
  Json result = Json::object();
  for (const auto& [key, value] : settings) {
    result[key] = std::visit(
        [](const auto& v) -> Json {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, std::monostate>) {
            return nullptr;
          } else if constexpr (std::is_same_v<T, double>) {
            return std::isfinite(v) ? Json(v) : Json(nullptr);
          } else {
            return v;
          }
        },
        value);
  }
  return result;
}

Json inputs_json(const std::vector<InputFile>& inputs) {
  Json result = Json::object();
  for (const InputFile& input : inputs) {
    Json file = {{"path", input.path}, {"format", input.format}};
    if (input.layout) file["layout"] = *input.layout;
    file["dtype"] = input.dtype;
    file["shape"] = input.shape;
    file["sha256"] = input.sha256;
    if (input.votes_digest) file["votes_digest"] = *input.votes_digest;
    result[input.role] = std::move(file);
  }
  return result;
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
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
                 {"order", cost.order ? Json(*cost.order) : Json(nullptr)}};
  if (cost.sd) result["sd"] = number(*cost.sd);
  result["parts"] = std::move(parts);
  result["data_dependent"] = cost.data_dependent;
  result["releasable"] = cost.releasable;
  return result;
}

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string report_head_json(std::string_view command, const ReportContext& context) {
  Json head;
  head["schema"] = "pate/" + std::string(command) + "/v1";
  head["tool"] = {{"name", "pate"}, {"version", context.version}};
  head["settings"] = settings_json(context.settings);
  head["inputs"] = inputs_json(context.inputs);
  return text(head);
}

std::string mechanism_json(const Aggregator& aggregator) {
  Json result = {{"name", aggregator.name()}};
  if (aggregator.selection) {
    result["threshold"] = aggregator.selection->threshold;
    result["sigma1"] = aggregator.selection->sigma1;
  }
  result[aggregator.noisy_max.names().parameter] = aggregator.noisy_max.parameter();
  return text(result);
}

std::string costs_json(std::span<const CostEntry> costs) {
  Json result = Json::array();
  for (const CostEntry& cost : costs) result.push_back(cost_json(cost));
  return text(result);
}

std::string steps_json(const StepCounts& steps) {
  Json result = {{"threshold_checks", Json::array()}};
  const auto add = [&](const char* list, const char* noise, double value, std::int64_t count) {
    if (count > 0) result[list].push_back({{noise, value}, {"count", count}});
  };
  for (const auto& [sigma1, count] : steps.threshold_checks) {
    add("threshold_checks", "sigma1", sigma1, count);
  }
  for (std::size_t kind = 0; kind < kNoiseKinds; ++kind) {
    result[noise_of(kind, 1.0).names().maxima] = Json::array();
  }
  for (const auto& [noisy_max, count] : steps.maxima) {
    add(noisy_max.names().maxima, noisy_max.names().parameter, noisy_max.parameter(), count);
  }
  return text(result);
}

std::string curves_json(const RdpCurves& curves) {
  Json result;
  const auto add = [&](const char* curve, const std::vector<double>& values) {
    if (!values.empty()) result[curve] = Json::parse(numbers_json(values));
  };
  add("selection", curves.selection);
  add("noisy_max", curves.noisy_max);
  add("joint", curves.joint);
  add("noisy_max_realized", curves.noisy_max_realized);
  add("spent_variance", curves.spent_variance);
  return text(result);
}

std::string curves_json(const ExactCurves& curves) {
  return text({{"joint",
                {{"forward", Json::parse(numbers_json(curves.forward))},
                 {"reverse", Json::parse(numbers_json(curves.reverse))}}}});
}

std::string trajectory_json(std::span<const TrajectoryPoint> trajectory) {
  Json result = Json::array();
  for (const TrajectoryPoint& point : trajectory) {
    result.push_back({{"queries", point.queries},
                      {"answered", number(point.answered)},
                      {"epsilon", number(point.epsilon)},
                      {"order", point.order > 0.0 ? Json(point.order) : Json()}});
  }
  return text(result);
}

std::string numbers_json(std::span<const double> values) {
  Json result = Json::array();
  for (const double value : values) result.push_back(number(value));
  return text(result);
}

std::string parts_json(std::span<const ReportPart> parts) {
  Json result = Json::array();
  for (const ReportPart& part : parts) {
    result.push_back({{"path", part.path},
                      {"sha256", part.sha256},
                      {"schema", part.schema},
                      {"mechanism", part.mechanism},
                      {"queries", part.queries}});
    if (!part.votes_sha256.empty()) result.back()["votes_sha256"] = part.votes_sha256;
    if (!part.votes_digest.empty()) result.back()["votes_digest"] = part.votes_digest;
  }
  return text(result);
}

std::string notices_json(const std::vector<Notice>& notices) {
  Json result = Json::array();
  for (const Notice& notice : notices) {
    result.push_back({{"code", notice.code}, {"message", notice.message}});
  }
  return text(result);
}

}  // namespace pate
