#include "pate/reports/figures/figure_kinds.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

// A histogram by votes as shares of the queries.
Series histogram(const JsonValue& json, std::string series_name, double scale, double queries) {
  const double width = json.at("bin_width").number(1.0);
  Series series{std::move(series_name), Mark::steps, {}, {}};
  double x = width == 1.0 ? 0.0 : 0.5 * (width - 1.0);
  for (const double count : json.at("counts").numbers(0.0, kLargest)) {
    series.x.push_back(x / scale);
    series.y.push_back(count / queries);
    x += width;
  }
  return series;
}

Figure histograms(std::span<const JsonValue> reports, const char* key, const char* selected_key,
                  Panel panel) {
  panel.y.least = 0.0;
  for (const JsonValue& report : reports) {
    const double queries = report.at("queries").number(1.0);
    const double teachers = report.at("teachers").number(1.0);
    const JsonValue its = report.at(key);
    const std::string file = reports.size() > 1 ? name_of(report) + ": " : "";
    panel.series.push_back(histogram(
        its.at("histogram"),
        fmt::format("{}all queries, mean {:.3g}", file, its.at("mean").number() / teachers),
        teachers, queries));
    if (const auto selection = report.find("selection")) {
      panel.series.push_back(
          histogram(selection->at(selected_key), file + "answered, expected", teachers, queries));
    }
  }
  panel.x.least = 0.0;
  panel.x.most = 1.0;
  return {"", {panel}};
}

}  // namespace

Figure votes(std::span<const JsonValue> reports) {
  return histograms(reports, "top_count", "histogram",
                    {"Agreement of the teachers",
                     {"votes for the plurality, share of the teachers"},
                     {"share of the queries"}});
}

Figure gaps(std::span<const JsonValue> reports) {
  return histograms(reports, "gap", "gap_histogram",
                    {"How far the plurality is ahead",
                     {"votes ahead of the next class, share of the teachers"},
                     {"share of the queries"}});
}

}  // namespace pate::figures
