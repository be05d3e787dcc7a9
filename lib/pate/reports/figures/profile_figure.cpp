#include "pate/reports/figures/figure_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pate/reports/figures/figure_parts.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::figures {

namespace {

// Two digits after the point, rounded up.
std::string two_digits_up(double value) {
  return fmt::format("{:.2f}", std::ceil(100.0 * value * (1.0 - 1e-12)) / 100.0);
}

// The headline on the curve, where it is one of the profile, with its epsilon beside it.
void add_certified_mark(const JsonValue& report, Panel& panel) {
  const JsonValue headline = report.at("headline");
  const auto conversion = headline.find("conversion");
  const auto epsilon = headline.find("epsilon");
  if (!epsilon || !conversion || conversion->text() != "profile") return;
  const double value = epsilon->number(0.0);
  panel.series.push_back({"",
                          Mark::points,
                          {value},
                          {headline.at("delta").number(0.0, 1.0)},
                          {},
                          {"ε = " + two_digits_up(value)}});
}

}  // namespace

Figure profile(std::span<const Source> reports) {
  Panel panel{"Privacy profile", {"ε"}, {"δ", true}};
  const auto worse_of = [](const JsonValue& directions) {
    std::vector<double> result = directions.at("forward").numbers(0.0, kLargest, kLargest);
    const std::vector<double> other = directions.at("reverse").numbers(0.0, kLargest, kLargest);
    if (other.size() != result.size()) directions.fail("as many numbers in both directions");
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::max(result[i], other[i]);
    return result;
  };
  for (const Source& report : reports) {
    const JsonValue curve = part_of(report, "profile", "pate analyze \1exact");
    const JsonValue at = curve.at("epsilon_at");
    const std::vector<double> deltas = at.at("delta").numbers(0.0, 1.0);
    const JsonValue by_epsilon = curve.at("delta_at");
    const std::vector<double> epsilons = by_epsilon.at("epsilon").numbers(0.0, kLargest);
    for (const auto& [key, named] : {std::pair("upper", "certified"), {"lower", "not below"}}) {
      const std::vector<double> epsilon = worse_of(at.at(key));
      const std::vector<double> delta = worse_of(by_epsilon.at(key));
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 0; i < std::min(epsilon.size(), deltas.size()); ++i) {
        points.emplace_back(epsilon[i], deltas[i]);
      }
      for (std::size_t i = 0; i < std::min(delta.size(), epsilons.size()); ++i) {
        if (!deltas.empty() && delta[i] >= *std::ranges::min_element(deltas)) {
          points.emplace_back(epsilons[i], delta[i]);
        }
      }
      std::ranges::sort(points);
      Series series{series_name(reports, report, named), Mark::line, {}, {}};
      for (const auto& [x, y] : points) {
        if (!(y > 0.0 && x < kLargest)) continue;
        series.x.push_back(x);
        series.y.push_back(y);
      }
      if (!series.x.empty()) panel.series.push_back(std::move(series));
    }
    // What RDP says, each bound in the legend with its epsilon.
    for (const JsonValue& entry : report.at("costs").elements()) {
      const auto epsilon = entry.find("epsilon");
      if (!epsilon || entry.at("reading").text() != "joint" ||
          entry.at("conversion").text() != "improved" || entry.at("direction").text() != "both") {
        continue;
      }
      const double value = epsilon->number(0.0);
      panel.series.push_back(
          {series_name(reports, report,
                       fmt::format("RDP, {}: ε = {}", in_words(entry.at("bound").text()),
                                   two_digits_up(value))),
           Mark::points,
           {value},
           {entry.at("delta").number(0.0, 1.0)}});
    }
    add_certified_mark(report, panel);
  }
  panel.x.least = 0.0;
  panel.y.most = 1.0;
  return {"", {panel}};
}

}  // namespace pate::figures
