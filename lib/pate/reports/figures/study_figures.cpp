#include "pate/reports/figures/figure_kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pate/reports/figures/figure_parts.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::figures {

Figure sensitivity(const JsonValue& report) {
  const char* const made_by = "pate release \1as-published \1sensitivity-curve";
  const JsonValue its = report.find("private").value_or(report);
  const JsonValue curve = part_of(its, "sensitivity_curve", made_by);
  const std::vector<double> log_q = curve.at("log_q").numbers(-kLargest, 0.0);
  Panel panel{"Sensitivity of the cost of a query", {"log q"}, {"change with one vote"}};
  for (const auto& [key, named] :
       {std::pair("up", "to a larger q"), {"down", "to a smaller q"}, {"bound", "as bounded"}}) {
    Series series{named, Mark::line, log_q, curve.at(key).numbers(0.0, kLargest)};
    if (series.y.size() != log_q.size()) curve.at(key).fail("a number for every log_q");
    panel.series.push_back(std::move(series));
  }
  Series levels{"q0, q1", Mark::level, {}, {}};
  for (const char* const key : {"log_q0", "log_q1"}) {
    if (const auto at = its.find(key)) levels.x.push_back(at->number());
  }
  if (!levels.x.empty()) panel.series.push_back(std::move(levels));
  return {"", {panel}};
}

Figure gamma(std::span<const Source> reports) {
  Panel panel{"Noise function", {"share of the teachers that vote 1"}, {"γ"}};
  panel.x.least = panel.y.least = 0.0;
  panel.x.most = panel.y.most = 1.0;
  for (const Source& report : reports) {
    const double count = report.at("teachers").at("count").number(1.0);
    const auto least = static_cast<std::size_t>(report.at("least_majority").integer(0));
    const auto add = [&](const std::string& shown, const JsonValue& json) {
      const std::vector<double> values = json.numbers(0.0, 1.0);
      Series series{series_name(reports, report, shown), Mark::line_and_points, {}, {}};
      // Those of majorities of zeros are the mirror image.
      for (std::size_t i = values.size(); i-- > 0;) {
        series.x.push_back(1.0 - static_cast<double>(least + i) / count);
        series.y.push_back(values[i]);
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = static_cast<double>(least + i) / count;
        if (x == series.x.back()) continue;
        series.x.push_back(x);
        series.y.push_back(values[i]);
      }
      panel.series.push_back(std::move(series));
    };
    add(in_words(report.at("noise_function").text()), report.at("gamma"));
    if (reports.size() > 1) continue;
    for (const JsonValue& other : report.at("compared").elements()) {
      // What is released is shown already; that of the majority itself is 1.
      const std::string its = other.at("name").text();
      if (its != "released" && its != "majority") add(in_words(its), other.at("gamma"));
    }
  }
  return {"", {panel}};
}

}  // namespace pate::figures
