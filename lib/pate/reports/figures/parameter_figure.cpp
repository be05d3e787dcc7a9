#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/reports/figures/figure_kinds.hpp"
#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

// From this ratio of the largest to the smallest on an axis is logarithmic.
constexpr double kWideRange = 20.0;

// The only parameter that varies.
std::string varied_in(const JsonValue& report) {
  const std::vector<std::string> varied = varied_parameters(report);
  if (varied.size() != 1) report.at("grid").fail("one parameter with several values");
  return varied.front();
}

std::vector<JsonValue> points_of(const JsonValue& report) {
  std::vector<JsonValue> points;
  for (const JsonValue& point : report.at("points").elements()) {
    const auto on_grid = point.find("on_grid");
    if (point.find("epsilon") && (!on_grid || on_grid->boolean())) points.push_back(point);
  }
  if (points.empty()) report.at("points").fail("points with an epsilon");
  return points;
}

// Two members of the points, where both have them.
Series curve(std::string called, const std::vector<JsonValue>& points, const std::string& x,
             const std::string& y) {
  Series series{std::move(called), Mark::line_and_points, {}, {}};
  for (const JsonValue& point : points) {
    const auto its_x = point.find(x);
    const auto its_y = point.find(y);
    if (!its_x || !its_y) continue;
    series.x.push_back(its_x->number());
    series.y.push_back(its_y->number(0.0));
  }
  return series;
}

// Makes an axis logarithmic where its numbers are positive and of different sizes.
void scale(Axis& axis, const std::vector<Series>& all, std::vector<double> Series::*numbers) {
  std::vector<double> values;
  for (const Series& series : all) std::ranges::copy(series.*numbers, std::back_inserter(values));
  if (values.empty()) return;
  const auto [least, most] = std::ranges::minmax(values);
  axis.logarithmic = least > 0.0 && most >= kWideRange * least;
}

}  // namespace

Figure parameter(std::span<const Source> reports) {
  std::vector<std::vector<JsonValue>> points;
  for (const Source& report : reports) points.push_back(points_of(report));
  // A share of no answers is null.
  const bool labelled = std::ranges::all_of(points, [](const auto& all) {
    return std::ranges::any_of(
        all, [](const JsonValue& point) { return point.find("accuracy").has_value(); });
  });
  const std::string share = labelled ? "accuracy" : "agreement";
  const std::string share_label = labelled ? "share of the answers that are right"
                                           : "share of the answers that are the plurality";
  const std::string epsilon = epsilon_label(tuned_delta_of(reports));
  Panel costs{"What it costs", {}, {epsilon}};
  Panel gives{"What it gives", {}, {share_label, false, 0.0, 1.0}};
  Panel trade{"One against the other", {share_label}, {epsilon}};
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::string varied = varied_in(reports[i]);
    if (std::ranges::find(labels, parameter_label(varied)) == labels.end()) {
      labels.push_back(parameter_label(varied));
    }
    const bool several = reports.size() > 1;
    const std::string called = several ? name_of(reports[i]) : "these votes";
    gives.series.push_back(curve(several ? called : "", points[i], varied, share));
    costs.series.push_back(curve(called, points[i], varied, "epsilon"));
    trade.series.push_back(curve(called, points[i], share, "epsilon"));
    if (several) continue;
    for (const auto& [member, bound] : {std::pair("epsilon_data_independent", "whatever the votes"),
                                        {"epsilon_published", "published bound, an expectation"}}) {
      Series by_parameter = curve(bound, points[i], varied, member);
      if (by_parameter.x.empty()) continue;
      costs.series.push_back(std::move(by_parameter));
      trade.series.push_back(curve(bound, points[i], share, member));
    }
  }
  for (const std::string& label : labels) {
    costs.x.label += (costs.x.label.empty() ? "" : "; ") + label;
  }
  gives.x.label = costs.x.label;
  scale(costs.x, costs.series, &Series::x);
  scale(gives.x, costs.series, &Series::x);
  scale(costs.y, costs.series, &Series::y);
  scale(trade.y, trade.series, &Series::y);
  return {"", {costs, gives, trade}};
}

}  // namespace pate::figures
