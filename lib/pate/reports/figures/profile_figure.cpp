#include "pate/reports/figures/figure_kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

Figure profile(std::span<const JsonValue> reports) {
  Panel panel{"Privacy profile", {"epsilon"}, {"delta", true}};
  const auto worse_of = [](const JsonValue& directions) {
    std::vector<double> result = directions.at("forward").numbers(0.0, kLargest, kLargest);
    const std::vector<double> other = directions.at("reverse").numbers(0.0, kLargest, kLargest);
    if (other.size() != result.size()) directions.fail("as many numbers in both directions");
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::max(result[i], other[i]);
    return result;
  };
  for (const JsonValue& report : reports) {
    const JsonValue curve = part_of(report, "profile", "pate analyze --exact");
    const JsonValue at = curve.at("epsilon_at");
    const std::vector<double> deltas = at.at("delta").numbers(0.0, 1.0);
    const JsonValue by_epsilon = curve.at("delta_at");
    const std::vector<double> epsilons = by_epsilon.at("epsilon").numbers(0.0, kLargest);
    const std::string file = reports.size() > 1 ? name_of(report) + ": " : "";
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
      Series series{file + named, Mark::line, {}, {}};
      for (const auto& [x, y] : points) {
        if (!(y > 0.0 && x < kLargest)) continue;
        series.x.push_back(x);
        series.y.push_back(y);
      }
      if (!series.x.empty()) panel.series.push_back(std::move(series));
    }
    Series rdp{file + "by RDP", Mark::points, {}, {}};
    for (const JsonValue& entry : report.at("costs").elements()) {
      const auto epsilon = entry.find("epsilon");
      if (!epsilon || entry.at("reading").text() != "joint" ||
          entry.at("conversion").text() != "improved" || entry.at("direction").text() != "both") {
        continue;
      }
      rdp.x.push_back(epsilon->number(0.0));
      rdp.y.push_back(entry.at("delta").number(0.0, 1.0));
    }
    if (!rdp.x.empty()) panel.series.push_back(std::move(rdp));
  }
  panel.x.least = 0.0;
  return {"", {panel}};
}

}  // namespace pate::figures
