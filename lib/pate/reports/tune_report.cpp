#include "pate/reports/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace pate {

namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

constexpr std::string_view kPoints = "\n  \"points\": [";

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The fields of a point by name; `put` takes a name and a number or a truth value.
template <class Put>
void for_each_parameter(const Aggregator& aggregator, Put&& put) {
  if (aggregator.selection) {
    put("sigma1", aggregator.selection->sigma1);
    put("threshold", aggregator.selection->threshold);
  }
  put(aggregator.noisy_max.names().parameter, aggregator.noisy_max.parameter());
}

double or_nan(double value, bool exists) {
  return exists ? value : std::numeric_limits<double>::quiet_NaN();
}

template <class Put>
void for_each_result(const TuningPoint& point, const Tuning& tuning, const TuneSettings& settings,
                     Put&& put) {
  put("epsilon", point.epsilon);
  put("order", or_nan(point.order, point.order > 0.0));
  put("answered", point.answered);
  if (tuning.has_labels) {
    put("correct", point.right);
    put("accuracy", or_nan(point.right / point.answered, point.answered > 0.0));
  }
  if (settings.grid.max_answers) put("queries", static_cast<double>(point.queries));
}

Json point_json(const Tuning& tuning, const TuneContext& context, const Aggregator& aggregator,
                const TuningPoint& point) {
  Json result = Json::object();
  const auto put = [&](const char* field, double value) { result[field] = number(value); };
  for_each_parameter(aggregator, put);
  for_each_result(point, tuning, context.settings, put);
  if (context.settings.grid.max_answers) result["queries"] = point.queries;
  return result;
}

Json released_json(const TunedPoint& p) {
  if (!p.released) return nullptr;
  return {{"mean_published", number(p.released->mean)},
          {"noise_sd", number(p.released->sd)},
          {"order", p.released->parameters.order},
          {"beta", p.released->parameters.beta},
          {"sigma_ss", p.released->parameters.sigma}};
}

Json grid_json(const TuningGrid& grid) {
  Json result = Json::object();
  if (grid.has_selection()) {
    result["sigma1"] = grid.sigma1;
    result["threshold"] = grid.threshold;
  }
  result[grid.laplace ? "laplace_scale" : "sigma2"] = grid.noise;
  return result;
}

Json grid_point_json(const Tuning& tuning, const TuneContext& context, std::size_t position) {
  const TunedPoint& p = tuning.points[position];
  Json result = point_json(tuning, context, tuning.grid.aggregator(p.index), p.point);
  result["index"] = p.index;
  if (p.release_computed) result["released"] = released_json(p);
  return result;
}

Json best_json(const Tuning& tuning, const TuneContext& context) {
  if (!tuning.choice.best) return nullptr;
  Json best = tuning.continuum ? point_json(tuning, context, tuning.continuum->aggregator,
                                            tuning.continuum->point)
                               : grid_point_json(tuning, context, *tuning.choice.best);
  best["on_grid"] = !tuning.continuum.has_value();
  if (!context.best_command.empty()) best["command"] = context.best_command;
  if (!context.release_command.empty()) best["release_command"] = context.release_command;
  return best;
}

Json misses_json(const Tuning& tuning, const TuneContext& context) {
  Json misses = Json::array();
  for (const NearestMiss& miss : tuning.choice.nearest_misses) {
    misses.push_back({{"limit", miss.of_max_epsilon ? "max_epsilon" : "min_answered"},
                      {"point", grid_point_json(tuning, context, miss.position)}});
  }
  return misses;
}

void append_points(const Tuning& tuning, const TuneContext& context, std::string& text) {
  const Out out = std::back_inserter(text);
  const char* separator = "\n";
  for (const TunedPoint& p : tuning.points) {
    fmt::format_to(out, "{}    {{\"index\": {}", separator, p.index);
    separator = ",\n";
    const auto put = [&](const char* field, double value) {
      if (std::isfinite(value)) {
        fmt::format_to(out, ", \"{}\": {}", field, value);
      } else {
        fmt::format_to(out, ", \"{}\": null", field);
      }
    };
    for_each_parameter(tuning.grid.aggregator(p.index), put);
    for_each_result(p.point, tuning, context.settings, put);
    fmt::format_to(out, ", \"pareto\": {}, \"refined\": {}", p.pareto, p.refined);
    if (p.refined && tuning.grid.has_selection()) {
      put("grid_epsilon", p.grid_epsilon);
      put("grid_order", or_nan(p.grid_order, p.grid_order > 0.0));
    }
    if (p.release_computed) text += ", \"released\": " + released_json(p).dump();
    text += '}';
  }
  if (!tuning.points.empty()) text += "\n  ";
}

}  // namespace

std::string tune_report_json(const Tuning& tuning, const TuneContext& context) {
  const TuneSettings& settings = context.settings;
  const EpsilonKind& kind = settings.grid.kind;
  Json report = Json::parse(report_head_json("tune", context.report));
  report["mechanism"] = {{"name", tuning.grid.laplace            ? "lnmax"
                                  : !tuning.grid.has_selection() ? "gnmax"
                                  : tuning.grid.interactive      ? "interactive"
                                                                 : "confident"}};
  report["teachers"] = tuning.teachers;
  report["classes"] = tuning.classes;
  report["queries"] = tuning.queries;
  report["delta"] = kind.delta;
  report["bound"] = name(kind.cost.bound);
  report["reading"] = name(kind.cost.reading);
  report["direction"] = direction_name(kind.cost.bound);
  report["conversion"] = name(kind.conversion);
  report["objective"] = name(settings.goal.objective);
  report["limits"] = {{"max_epsilon", or_null(settings.goal.max_epsilon)},
                      {"min_answered", or_null(settings.goal.min_answered)},
                      {"max_answers", or_null(settings.grid.max_answers)}};
  report["grid"] = grid_json(tuning.grid);
  report["grid_accuracy"] = tuning.grid.has_selection() ? kGridAccuracy : 0.0;
  report["shard"] = {{"index", settings.shard.index},
                     {"of", settings.shard.of},
                     {"first_point", tuning.first},
                     {"last_point", tuning.last}};
  report["complete"] = tuning.complete;
  report["points_evaluated"] = tuning.evaluated;
  report["points_listed"] = tuning.points.size();
  if (settings.release) {
    report["ranked_by"] = tuning.ranked_by_release ? "mean_published" : "epsilon";
    report["releases_computed"] =
        std::count_if(tuning.points.begin(), tuning.points.end(),
                      [](const TunedPoint& p) { return p.release_computed; });
  }
  report["best"] = best_json(tuning, context);
  if (settings.continuum) {
    report["best_on_grid"] =
        tuning.choice.best ? grid_point_json(tuning, context, *tuning.choice.best) : Json(nullptr);
  }
  report["nearest_misses"] = misses_json(tuning, context);
  report["notices"] = Json::parse(notices_json(context.notices));
  std::string text = report.dump(2);
  text.erase(text.rfind('\n'));
  text += ',';
  text += kPoints;
  append_points(tuning, context, text);
  text += "]\n}\n";
  return text;
}

std::string tune_points_csv(const Tuning& tuning, const TuneContext& context) {
  std::string header = "index";
  std::string text;
  const Out out = std::back_inserter(text);
  bool first = true;
  for (const TunedPoint& p : tuning.points) {
    fmt::format_to(out, "{}", p.index);
    const auto put = [&](const char* field, double value) {
      if (first) header += std::string(",") + field;
      if (std::isfinite(value)) {
        fmt::format_to(out, ",{}", value);
      } else {
        text += ',';
      }
    };
    for_each_parameter(tuning.grid.aggregator(p.index), put);
    for_each_result(p.point, tuning, context.settings, put);
    fmt::format_to(out, ",{:d},{:d}", p.pareto, p.refined);
    if (context.settings.release) {
      text += p.released ? fmt::format(",{},{},{},{},{}", p.released->mean, p.released->sd,
                                       p.released->parameters.order, p.released->parameters.beta,
                                       p.released->parameters.sigma)
                         : ",,,,,";
    }
    text += '\n';
    first = false;
  }
  header += ",pareto,refined";
  if (context.settings.release) header += ",mean_published,noise_sd,release_order,beta,sigma_ss";
  return header + '\n' + text;
}

}  // namespace pate
