#include "pate/reports/figures/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/figures/figure_kinds.hpp"

namespace pate {

namespace {

using io::JsonValue;

// Which reports have what a kind shows.
std::vector<std::string> commands_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::partition:
    case FigureKind::orders:
      return {"analyze", "plan", "label"};
    case FigureKind::votes:
    case FigureKind::gaps:
      return {"inspect"};
    case FigureKind::pareto:
    case FigureKind::heatmap:
    case FigureKind::parameter:
      return {"tune"};
    case FigureKind::sensitivity:
      return {"release"};
    case FigureKind::gamma:
      return {"darrm"};
    case FigureKind::cumulative:
    case FigureKind::teachers:
    case FigureKind::profile:
      break;
  }
  return {"analyze"};
}

// What can be drawn of a report: all of it, or what --public-only leaves.
JsonValue body_of(FigureKind kind, const JsonValue& report) {
  const JsonValue its = report.at("schema");
  std::string expected;
  bool any = false;
  for (const std::string& command : commands_of(kind)) {
    const std::string schema = fmt::format("pate/{}/v1", command);
    any = any || its.text() == schema;
    expected += fmt::format("{}\"{}\", a report of pate {}", expected.empty() ? "" : ", or ",
                            schema, command);
  }
  if (!any) its.fail(expected);
  const bool whole = report.has("settings") || report.has("private");
  return whole ? report : report.find("public").value_or(report);
}

const JsonValue& the_one(FigureKind kind, std::span<const JsonValue> reports) {
  if (reports.size() == 1) return reports.front();
  throw parameter_error(
      fmt::format("--kind {} shows one report, got {}", name(kind), reports.size()));
}

Figure drawing(FigureKind kind, std::span<const JsonValue> reports) {
  switch (kind) {
    case FigureKind::cumulative:
      return figures::cumulative(reports);
    case FigureKind::partition:
      return figures::partition(reports);
    case FigureKind::votes:
      return figures::votes(reports);
    case FigureKind::gaps:
      return figures::gaps(reports);
    case FigureKind::orders:
      return figures::by_order(the_one(kind, reports));
    case FigureKind::pareto:
      return figures::pareto(reports);
    case FigureKind::heatmap:
      return figures::heatmap(the_one(kind, reports));
    case FigureKind::parameter:
      return figures::parameter(reports);
    case FigureKind::teachers:
      return figures::teachers(reports);
    case FigureKind::sensitivity:
      return figures::sensitivity(the_one(kind, reports));
    case FigureKind::profile:
      return figures::profile(reports);
    case FigureKind::gamma:
      break;
  }
  return figures::gamma(reports);
}

}  // namespace

std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

Figure figure_of(FigureKind kind, std::span<const io::JsonValue> reports) {
  if (reports.empty()) throw parameter_error("a picture needs a report");
  std::vector<JsonValue> bodies;
  for (const JsonValue& report : reports) bodies.push_back(body_of(kind, report));
  Figure figure = drawing(kind, bodies);
  figure.about = fmt::format("{} of", name(kind));
  for (const JsonValue& report : reports) {
    figure.about += fmt::format("{} {} (sha256 {})", &report == &reports.front() ? "" : ",",
                                report.file(), report.sha256());
  }
  return figure;
}

}  // namespace pate
