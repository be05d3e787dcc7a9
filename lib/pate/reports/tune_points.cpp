#include "pate/reports/tune_points.hpp"

#include <fmt/format.h>

#include <iterator>
#include <type_traits>

namespace pate::reports {

namespace {

template <class T, class... Domain>
bool is_null(const T& value, const Domain&... domain) {
  if constexpr (std::is_same_v<T, double>) {
    return !std::isfinite(value) || ((domain.null_is == value) || ...);
  }
  return false;
}

// Fields on a line of JSON, each after a comma.
struct JsonLine {
  static constexpr bool kReads = false;
  std::string& text;

  template <class T, class... Domain>
  void operator()(const char* key, const T& value, const Domain&... domain) {
    const auto out = std::back_inserter(text);
    if (is_null(value, domain...)) {
      fmt::format_to(out, ", \"{}\": null", key);
    } else {
      fmt::format_to(out, ", \"{}\": {}", key, value);
    }
  }
};

// Fields on a line of CSV, each after a comma; what is null is empty, truth is 1.
struct CsvLine {
  static constexpr bool kReads = false;
  std::string& text;
  std::string* header;  // of the first line

  template <class T, class... Domain>
  void operator()(const char* key, const T& value, const Domain&... domain) {
    if (header != nullptr) *header += std::string(",") + key;
    text += ',';
    if (is_null(value, domain...)) return;
    if constexpr (std::is_same_v<T, bool>) {
      text += value ? '1' : '0';
    } else {
      fmt::format_to(std::back_inserter(text), "{}", value);
    }
  }
};

// Where a point was refined, what it was before.
template <class Archive>
void grid_fields(Archive& a, Described<Archive, TunedPoint>& p) {
  a("grid_epsilon", p.grid_epsilon, Real{.least = p.point.epsilon, .null_is = kInfinity});
  a("grid_order", p.grid_order, Real{.least = 1.0, .null_is = 0.0});
}

void read_point(FieldReader& a, const Tuning& tuning, const PointShape& shape, TunedPoint& p) {
  a("index", p.index);
  const std::size_t least = tuning.points.empty() ? tuning.first : tuning.points.back().index + 1;
  if (p.index < least || p.index >= tuning.last) {
    a.json().at("index").fail(
        least < tuning.last ? fmt::format("a point of the shard behind the one before, {} to {}",
                                          least, tuning.last - 1)
                            : "no more points: the shard has ended");
  }
  p.point.queries = tuning.queries;
  fields(a, p.point, shape);
  a("refined", p.refined);
  p.grid_epsilon = p.point.epsilon;
  p.grid_order = p.point.order;
  if (p.refined && tuning.grid.has_selection()) grid_fields(a, p);
}

}  // namespace

void fields(FieldWriter& a, const ReleasedEpsilon& released) {
  a("mean_published", released.mean);
  a("noise_sd", released.sd);
  a("order", released.parameters.order);
  a("beta", released.parameters.beta);
  a("sigma_ss", released.parameters.sigma);
}

void append_points(const Tuning& tuning, const TuneSettings& settings, std::string& text) {
  const char* separator = "\n";
  JsonLine line{text};
  for (const TunedPoint& p : tuning.points) {
    fmt::format_to(std::back_inserter(text), "{}    {{\"index\": {}", separator, p.index);
    separator = ",\n";
    point_parameters(line, tuning.grid.aggregator(p.index));
    fields(line, p.point, PointShape(tuning, settings));
    line("pareto", p.pareto);
    line("refined", p.refined);
    if (p.refined && tuning.grid.has_selection()) grid_fields(line, p);
    if (p.release_computed) {
      FieldWriter released;
      if (p.released) fields(released, *p.released);
      text += ", \"released\": " + released.place().line();
    }
    text += '}';
  }
  if (!tuning.points.empty()) text += "\n  ";
}

void read_points(const io::JsonValue& points, const TuneSettings& settings, Tuning& tuning) {
  const PointShape shape(tuning, settings);
  for (const io::JsonValue& point : points.elements()) {
    FieldReader reader(point);
    TunedPoint p;
    read_point(reader, tuning, shape, p);
    tuning.points.push_back(p);
  }
  if (tuning.points.size() > tuning.evaluated) {
    points.fail(fmt::format("at most the {} points that were evaluated", tuning.evaluated));
  }
}

std::string tune_points_csv(const Tuning& tuning, const TuneContext& context) {
  std::string header = "index";
  std::string text;
  for (const TunedPoint& p : tuning.points) {
    CsvLine line{text, text.empty() ? &header : nullptr};
    fmt::format_to(std::back_inserter(text), "{}", p.index);
    point_parameters(line, tuning.grid.aggregator(p.index));
    fields(line, p.point, PointShape(tuning, context.settings));
    line("pareto", p.pareto);
    line("refined", p.refined);
    if (context.settings.release) {
      text += p.released ? fmt::format(",{},{},{},{},{}", p.released->mean, p.released->sd,
                                       p.released->parameters.order, p.released->parameters.beta,
                                       p.released->parameters.sigma)
                         : ",,,,,";
    }
    text += '\n';
  }
  if (tuning.points.empty()) header += ",pareto,refined";
  if (context.settings.release) header += ",mean_published,noise_sd,release_order,beta,sigma_ss";
  return header + '\n' + text;
}

}  // namespace pate::reports
