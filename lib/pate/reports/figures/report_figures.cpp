#include "pate/reports/figures/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/reports/figures/figure_kinds.hpp"
#include "pate/reports/figures/figure_parts.hpp"

namespace pate {

namespace {

using figures::Source;
using io::JsonValue;

// Which reports have what a kind shows.
std::vector<std::string> commands_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::partition:
      return {"analyze", "plan", "label", "release"};
    case FigureKind::orders:
      return {"analyze", "plan", "label"};
    case FigureKind::votes:
    case FigureKind::gaps:
    case FigureKind::ensembles:
      return {"inspect"};
    case FigureKind::accuracy:
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

const JsonValue& the_one(FigureKind kind, std::span<const Source> reports) {
  if (reports.size() == 1) return reports.front();
  throw parameter_error(
      fmt::format("\1kind {} shows one report, got {}", name(kind), reports.size()));
}

Figure drawing(FigureKind kind, std::span<const Source> reports, std::size_t bins) {
  switch (kind) {
    case FigureKind::cumulative:
      return figures::cumulative(reports);
    case FigureKind::partition:
      return figures::partition(reports);
    case FigureKind::votes:
      return figures::votes(reports, bins);
    case FigureKind::gaps:
      return figures::gaps(reports, bins);
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
    case FigureKind::ensembles:
      return figures::ensembles(reports);
    case FigureKind::accuracy:
      return figures::accuracy(reports);
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

Figure figure_of(FigureKind kind, std::span<const io::JsonValue> reports,
                 const FigureChoices& choices) {
  if (reports.empty()) throw parameter_error("a picture needs a report");
  require(choices.labels.empty() || choices.labels.size() == reports.size(),
          "expected a label for each of the {} reports, got {}", reports.size(),
          choices.labels.size());
  if (choices.bins < 1) throw parameter_error("expected at least one bin, got 0");
  std::vector<Source> bodies;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    bodies.push_back(
        {body_of(kind, reports[i]), choices.labels.empty() ? std::string() : choices.labels[i]});
  }
  Figure figure = drawing(kind, bodies, choices.bins);
  figure.about = fmt::format("{} of", name(kind));
  for (const JsonValue& report : reports) {
    figure.about += fmt::format("{} {} (sha256 {})", &report == &reports.front() ? "" : ",",
                                report.file(), report.sha256());
  }
  return figure;
}

}  // namespace pate
