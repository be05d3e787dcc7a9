#include "pate/reports/figures/figure_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/reports/figures/figure_parts.hpp"
#include "pate/reports/figures/grid_axis.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::figures {

namespace {

// What a tuning set against epsilon, and how it is called.
std::pair<const char*, const char*> worth_of(const JsonValue& report) {
  const auto given = report.find("objective");
  const std::string objective = given ? given->text() : "answered";
  if (objective == "correct") return {"correct", "right answers, expected"};
  const JsonValue points = report.at("points");
  const auto all = points.elements();
  if (objective == "answered" || all.empty() || !all.front().find("agreeing")) {
    return {"answered", "answers, expected"};
  }
  return {"agreeing", "answers that are the plurality, expected"};
}

// The points and the front of one tuning; of several the fronts alone.
void add_pareto(const JsonValue& report, const char* worth, const std::string& file, Panel& panel) {
  Series all{"points of the grid", Mark::dots, {}, {}};
  Series front{file + "Pareto front", Mark::line_and_points, {}, {}};
  std::vector<std::pair<double, double>> on_front;
  for (const JsonValue& point : report.at("points").elements()) {
    const auto epsilon = point.find("epsilon");
    if (!epsilon) continue;
    const double answered = point.at(worth).number(0.0);
    all.x.push_back(answered);
    all.y.push_back(epsilon->number(0.0));
    if (point.at("pareto").boolean()) on_front.emplace_back(answered, all.y.back());
  }
  if (all.x.empty()) report.at("points").fail("points with an epsilon");
  std::ranges::sort(on_front);
  for (const auto& [answered, epsilon] : on_front) {
    front.x.push_back(answered);
    front.y.push_back(epsilon);
  }
  if (file.empty()) panel.series.push_back(std::move(all));
  panel.series.push_back(std::move(front));
  if (const auto best = report.find("best")) {
    panel.series.push_back({file + "best",
                            Mark::points,
                            {best->at(worth).number(0.0)},
                            {best->at("epsilon").number(0.0)}});
  }
}

// Epsilon over the only parameter that varies.
Figure along(const JsonValue& report, const std::string& parameter) {
  Panel panel{"The grid",
              {parameter_label(parameter)},
              {epsilon_label(report.at("delta").number(0.0, 1.0))}};
  Series line{"points of the grid", Mark::line_and_points, {}, {}};
  for (const JsonValue& point : report.at("points").elements()) {
    const auto epsilon = point.find("epsilon");
    if (!epsilon) continue;
    line.x.push_back(point.at(parameter).number());
    line.y.push_back(epsilon->number(0.0));
  }
  if (line.x.empty()) report.at("points").fail("points with an epsilon");
  panel.series = {std::move(line)};
  if (const auto best = report.find("best")) {
    panel.series.push_back(
        {"best", Mark::points, {best->at(parameter).number()}, {best->at("epsilon").number(0.0)}});
  }
  return {"", {panel}};
}

}  // namespace

Figure pareto(std::span<const Source> reports) {
  const auto [worth, called] = worth_of(reports.front());
  Panel panel{reports.size() > 1 ? "Parameters" : "Parameters of the grid",
              {called},
              {epsilon_label(tuned_delta_of(reports))}};
  for (const Source& report : reports) {
    if (worth_of(report).first != std::string_view(worth)) {
      report.at("objective").fail("the objective of the first report");
    }
    add_pareto(report, worth, reports.size() > 1 ? name_of(report) + ": " : "", panel);
  }
  return {"", {panel}};
}

std::vector<std::string> varied_parameters(const JsonValue& report) {
  std::vector<std::string> varied;
  for (const auto& [parameter, values] : report.at("grid").members()) {
    if (values.type() != io::JsonType::array) continue;
    if (values.elements().size() > 1) varied.push_back(parameter);
  }
  return varied;
}

std::string parameter_label(const std::string& parameter) {
  const bool in_votes = !parameter.starts_with("ptr");
  return in_words(parameter) + (in_votes ? ", votes" : "");
}

Figure heatmap(const JsonValue& report) {
  const std::vector<std::string> varied = varied_parameters(report);
  std::string fixed;
  if (varied.empty()) report.at("grid").fail("a parameter with several values");
  if (varied.size() == 1) return along(report, varied.front());
  const auto best = report.find("best");
  // Of a third the value of the best point.
  for (std::size_t i = 2; i < varied.size(); ++i) {
    if (!best)
      static_cast<void>(part_of(report, "best", "pate tune whose limits some point holds"));
    fixed += fmt::format(", {} = {}", varied[i], best->at(varied[i]).number());
  }
  const auto [worth, called] = worth_of(report);
  Series cells{"", Mark::cells, {}, {}};
  std::vector<double> answers;
  for (const JsonValue& point : report.at("points").elements()) {
    const auto epsilon = point.find("epsilon");
    bool shown = epsilon.has_value();
    for (std::size_t i = 2; i < varied.size() && shown; ++i) {
      shown = point.at(varied[i]).number() == best->at(varied[i]).number();
    }
    if (const auto on_grid = point.find("on_grid")) shown = shown && on_grid->boolean();
    if (!shown) continue;
    cells.x.push_back(point.at(varied[0]).number());
    cells.y.push_back(point.at(varied[1]).number());
    cells.z.push_back(epsilon->number(0.0));
    answers.push_back(point.at(worth).number(0.0));
  }
  if (cells.x.empty()) report.at("points").fail("points with an epsilon");
  const GridAxis x(cells.x);
  const GridAxis y(cells.y);
  for (double& at : cells.x) at = x.place(at);
  for (double& at : cells.y) at = y.place(at);
  Panel costs{fmt::format("The grid{}", fixed), x.axis(varied[0] + ", votes"),
              y.axis(varied[1] + ", votes"),
              epsilon_label(report.at("delta").number(0.0, 1.0)) + fixed};
  Panel gives = costs;
  gives.colour = called + fixed;
  costs.series = {cells};
  cells.z = std::move(answers);
  gives.series = {std::move(cells)};
  if (best) {
    const Series mark{"best",
                      Mark::points,
                      {x.place(best->at(varied[0]).number())},
                      {y.place(best->at(varied[1]).number())}};
    costs.series.push_back(mark);
    gives.series.push_back(mark);
  }
  return {"", {costs, gives}};
}

}  // namespace pate::figures
