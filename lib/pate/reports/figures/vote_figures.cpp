#include "pate/reports/figures/figure_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

// The outline of a histogram by votes, as shares of the teachers and of the queries. Bins of the
// report are taken together until there are at most `bins`, from the top down: agreement of all
// teachers is in a bin as wide as the others, and the lowest bin may be narrower.
Series histogram(const JsonValue& json, std::string shown, double teachers, double queries,
                 std::size_t bins) {
  const double width = json.at("bin_width").number(1.0);
  const std::vector<double> counts = json.at("counts").numbers(0.0, kLargest);
  // Half a vote around a number of votes, but there are no votes below 0 and above all.
  const auto edge = [&](std::size_t bin) {
    return std::clamp((static_cast<double>(bin) * width - 0.5) / teachers, 0.0, 1.0);
  };
  const std::size_t together = (counts.size() + bins - 1) / bins;
  Series series{std::move(shown), Mark::line, {}, {}};
  const auto add = [&](double x, double y) {
    series.x.push_back(x);
    series.y.push_back(y);
  };
  for (std::size_t begin = 0; begin < counts.size();) {
    const std::size_t left = (counts.size() - begin) % together;
    const std::size_t end = begin + (left == 0 ? together : left);
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += counts[i];
    if (begin == 0) add(edge(begin), 0.0);
    add(edge(begin), sum / queries);
    add(edge(end), sum / queries);
    if (end == counts.size()) add(edge(end), 0.0);
    begin = end;
  }
  return series;
}

Figure histograms(std::span<const Source> reports, std::size_t bins, const char* key,
                  const char* selected_key, Panel panel) {
  panel.y.least = 0.0;
  for (const Source& report : reports) {
    const double queries = report.at("queries").number(1.0);
    const double teachers = report.at("teachers").number(1.0);
    const JsonValue its = report.at(key);
    const std::string all =
        fmt::format("all queries, mean {:.3g}", its.at("mean").number() / teachers);
    panel.series.push_back(
        histogram(its.at("histogram"), series_name(reports, report, all), teachers, queries, bins));
    if (const auto selection = report.find("selection")) {
      panel.series.push_back(histogram(selection->at(selected_key),
                                       series_name(reports, report, "answered, expected"), teachers,
                                       queries, bins));
    }
  }
  panel.x.least = 0.0;
  panel.x.most = 1.0;
  return {"", {panel}};
}

}  // namespace

Figure votes(std::span<const Source> reports, std::size_t bins) {
  return histograms(
      reports, bins, "top_count", "histogram",
      {"Agreement of the teachers", {"votes for the plurality, share"}, {"share of the queries"}});
}

Figure gaps(std::span<const Source> reports, std::size_t bins) {
  return histograms(reports, bins, "gap", "gap_histogram",
                    {"How far the plurality is ahead",
                     {"lead over the next class, share"},
                     {"share of the queries"}});
}

}  // namespace pate::figures
