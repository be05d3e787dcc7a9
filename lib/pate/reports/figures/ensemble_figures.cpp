#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/figures/figure_kinds.hpp"
#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

// The only parameter of a grid that has several values.
std::string only_varied(const JsonValue& report) {
  std::string result;
  for (const auto& [parameter, values] : report.at("grid").members()) {
    if (values.type() != io::JsonType::array || values.elements().size() < 2) continue;
    if (!result.empty()) values.fail("one value: accuracy is drawn over one parameter");
    result = parameter;
  }
  if (result.empty()) report.at("grid").fail("a parameter with several values");
  return result;
}

// Sorts the points of a line by x.
void sort_by_x(Series& line) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < line.x.size(); ++i) points.emplace_back(line.x[i], line.y[i]);
  std::ranges::sort(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::tie(line.x[i], line.y[i]) = points[i];
  }
}

}  // namespace

Figure ensembles(std::span<const Source> reports) {
  Panel panel{"How far the plurality is ahead, by the size of the ensemble",
              {"teachers"},
              {"mean lead, share"}};
  panel.x.least = panel.y.least = 0.0;
  for (const Source& report : reports) {
    // Ensembles that people gave the same name are one line.
    const std::string& shown = report.label;
    auto line = std::ranges::find(panel.series, shown, &Series::name);
    if (line == panel.series.end()) {
      line = panel.series.insert(panel.series.end(), {shown, Mark::line_and_points, {}, {}});
    }
    const double teachers = report.at("teachers").number(1.0);
    if (std::ranges::find(line->x, teachers) != line->x.end()) {
      report.at("teachers")
          .fail(
              "another number of teachers than those of the reports before that have the same "
              "label: "
              "\1label tells ensembles apart");
    }
    line->x.push_back(teachers);
    line->y.push_back(report.at("gap").at("mean").number(0.0, teachers) / teachers);
  }
  for (Series& line : panel.series) sort_by_x(line);
  return {"", {panel}};
}

Figure accuracy(std::span<const Source> reports) {
  const std::string parameter = only_varied(reports.front());
  // Laplace noise by the epsilon that an answer costs whatever the votes are, as in S17, Figure 2.
  const bool laplace = parameter == "laplace_scale";
  Panel panel{"How right noisy answers are",
              {laplace ? "ε of an answer, any votes" : parameter + ", votes"},
              {"right answers, share"}};
  panel.y.most = 1.0;
  for (const Source& report : reports) {
    if (only_varied(report) != parameter) {
      report.at("grid").fail(
          fmt::format("several values of {}, as in {}", parameter, reports.front().file()));
    }
    const std::string teachers = fmt::format("{} teachers", report.at("teachers").integer(1));
    Series line{report.label.empty() ? series_name(reports, report, teachers) : report.label,
                Mark::line_and_points,
                {},
                {}};
    for (const JsonValue& point : report.at("points").elements()) {
      const double value = point.at(parameter).number();
      line.x.push_back(laplace ? 2.0 / value : value);
      line.y.push_back(part_of(point, "accuracy", "pate tune \1labels").number(0.0, 1.0));
    }
    if (line.x.empty()) report.at("points").fail("points of the grid");
    sort_by_x(line);
    panel.series.push_back(std::move(line));
  }
  return {"", {panel}};
}

}  // namespace pate::figures
