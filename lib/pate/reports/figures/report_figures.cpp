#include "pate/reports/figures/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

namespace {

using io::JsonValue;

constexpr double kLargest = std::numeric_limits<double>::max();

// The file without directories.
std::string name_of(const JsonValue& report) {
  const std::string& file = report.file();
  return file.substr(file.find_last_of('/') + 1);
}

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

JsonValue part_of(const JsonValue& report, const std::string& key, const char* made_by) {
  if (auto found = report.find(key)) return *found;
  throw input_error(
      report.path() == "public"
          ? fmt::format("{}: what may be published of a report has no {}: only the whole report of "
                        "{} has it, which is private",
                        report.file(), key, made_by)
          : fmt::format("{}: {} is missing or null: it is in reports of {}", report.file(), key,
                        made_by));
}

const JsonValue& the_one(FigureKind kind, std::span<const JsonValue> reports) {
  if (reports.size() == 1) return reports.front();
  throw parameter_error(
      fmt::format("--kind {} shows one report, got {}", name(kind), reports.size()));
}

// What an entry of `costs` is.
std::string entry_name(const JsonValue& entry) {
  return fmt::format("{}, {}, {}", entry.at("bound").text(), entry.at("reading").text(),
                     entry.at("conversion").text());
}

std::string epsilon_label(double delta) {
  return fmt::format("epsilon at delta = {}", delta);
}

// Of the headlines, which must agree for an axis to have one.
// The delta that all these have.
double same_delta(std::span<const JsonValue> reports, std::span<const JsonValue> deltas) {
  const double first = deltas.front().number(0.0, 1.0);
  for (const JsonValue& its : deltas) {
    if (its.number(0.0, 1.0) != first) {
      its.fail(
          fmt::format("{}, the delta of {}: epsilons at different deltas do not go into one "
                      "picture",
                      first, reports.front().file()));
    }
  }
  return first;
}

double delta_of(std::span<const JsonValue> reports) {
  std::vector<JsonValue> deltas;
  for (const JsonValue& report : reports) deltas.push_back(report.at("headline").at("delta"));
  return same_delta(reports, deltas);
}

double tuned_delta_of(std::span<const JsonValue> reports) {
  std::vector<JsonValue> deltas;
  for (const JsonValue& report : reports) deltas.push_back(report.at("delta"));
  return same_delta(reports, deltas);
}

Figure cumulative(std::span<const JsonValue> reports) {
  Panel panel{"What answers cost", {"answers, expected"}, {epsilon_label(delta_of(reports))}};
  panel.x.least = panel.y.least = 0.0;
  for (const JsonValue& report : reports) {
    const JsonValue headline = report.at("headline");
    Series series{fmt::format("{}: {}", name_of(report), entry_name(headline)), Mark::line, {}, {}};
    for (const JsonValue& at :
         part_of(report, "trajectory", "pate analyze of one run").elements()) {
      const auto answered = at.find("answered");
      const auto epsilon = at.find("epsilon");
      if (!answered || !epsilon) continue;
      series.x.push_back(answered->number(0.0));
      series.y.push_back(epsilon->number(0.0));
    }
    if (series.x.empty()) {
      report.at("trajectory")
          .fail(
              "how epsilon grows with the answers, which an exact headline has not: leave out "
              "--exact");
    }
    panel.series.push_back(std::move(series));
  }
  return {"", {panel}};
}

Figure partition(std::span<const JsonValue> reports) {
  Panel panel{"Where the budget goes", {""}, {epsilon_label(delta_of(reports))}};
  panel.y.least = 0.0;
  std::vector<std::pair<std::string, JsonValue>> entries;
  for (const JsonValue& report : reports) {
    if (reports.size() > 1) {
      entries.emplace_back(name_of(report), report.at("headline"));
      continue;
    }
    for (const JsonValue& entry : report.at("costs").elements()) {
      if (!entry.find("parts") || entry.at("direction").text() == "reverse") continue;
      const std::string label =
          fmt::format("{} {}", entry.at("bound").text(), entry.at("reading").text());
      const auto known = std::ranges::find(entries, label, &decltype(entries)::value_type::first);
      // The first conversion that is listed is the smallest.
      if (known == entries.end()) entries.emplace_back(label, entry);
    }
  }
  std::vector<Series> stacks;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [label, entry] = entries[i];
    panel.x.categories.push_back(reports.size() > 1 ? label : in_words(label));
    for (const auto& [part, value] :
         part_of(entry, "parts", "RDP, and of a profile it has none").members()) {
      if (value.is_null()) continue;
      auto stack = std::ranges::find(stacks, in_words(part), &Series::name);
      if (stack == stacks.end())
        stack = stacks.insert(stacks.end(), {in_words(part), Mark::stack, {}, {}});
      stack->x.resize(entries.size());
      stack->y.resize(entries.size());
      std::iota(stack->x.begin(), stack->x.end(), 0.0);
      // The conversion can take some off, which no bar shows.
      stack->y[i] = std::max(value.number(), 0.0);
    }
  }
  if (stacks.empty()) reports.front().at("costs").fail("an entry with parts");
  panel.x.least = -0.6;
  panel.x.most = static_cast<double>(entries.size()) - 0.4;
  panel.series = std::move(stacks);
  return {"", {panel}};
}

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

// The RDP curves that a report has, by bound.
std::vector<Series> rdp_curves(const JsonValue& report, const std::vector<double>& orders) {
  std::vector<Series> result;
  for (const auto& [bound, curves] : report.at("rdp").members()) {
    if (bound == "orders" || curves.is_null()) continue;
    // The joint cost where there is one: a guarantee. Otherwise the sum of the steps.
    std::vector<double> sum(orders.size(), 0.0);
    std::string reading = "expected";
    bool any = false;
    for (const auto& [step, values] : curves.members()) {
      if (values.is_null() || step == "spent_variance") continue;
      const std::vector<double> its = values.numbers(0.0, kLargest, kLargest);
      if (its.size() != orders.size()) values.fail("a number for every order");
      if (step == "joint" || step == "forward" || step == "reverse") {
        const auto larger = [](double a, double b) { return std::max(a, b); };
        if (reading == "expected") sum.assign(orders.size(), 0.0);
        std::ranges::transform(sum, its, sum.begin(), larger);
        reading = "joint";
      } else if (reading == "expected") {
        std::ranges::transform(sum, its, sum.begin(), std::plus<>());
      }
      any = true;
    }
    if (any) result.push_back({fmt::format("{}, {}", bound, reading), Mark::line, orders, sum});
  }
  return result;
}

Figure by_order(const JsonValue& report) {
  const std::vector<double> orders =
      part_of(report, "rdp", "pate analyze, plan or label").at("orders").numbers(1.0, kLargest);
  const double delta = report.at("headline").at("delta").number(0.0, 1.0);
  if (!(delta > 0.0)) report.at("headline").at("delta").fail("a delta > 0");
  Panel rdp{"RDP of the run", {"Renyi order", true}, {"RDP", true}};
  Panel epsilon{"and what it says", {"Renyi order", true}, {epsilon_label(delta), true}};
  for (Series& series : rdp_curves(report, orders)) {
    Series converted = series;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const double value = epsilon_from_rdp(Conversion::improved, series.y[i], orders[i], delta);
      // Nothing that a logarithmic axis has.
      converted.y[i] = value > 0.0 ? value : std::numeric_limits<double>::infinity();
      if (!(series.y[i] > 0.0)) series.y[i] = std::numeric_limits<double>::infinity();
    }
    rdp.series.push_back(std::move(series));
    epsilon.series.push_back(std::move(converted));
  }
  if (rdp.series.empty()) report.at("rdp").fail("curves of a bound");
  return {"", {rdp, epsilon}};
}

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

Figure pareto(std::span<const JsonValue> reports) {
  const auto [worth, called] = worth_of(reports.front());
  Panel panel{reports.size() > 1 ? "Parameters" : "Parameters of the grid",
              {called},
              {epsilon_label(tuned_delta_of(reports))}};
  for (const JsonValue& report : reports) {
    if (worth_of(report).first != std::string_view(worth)) {
      report.at("objective").fail("the objective of the first report");
    }
    add_pareto(report, worth, reports.size() > 1 ? name_of(report) + ": " : "", panel);
  }
  return {"", {panel}};
}

// Epsilon over the only parameter that varies.
Figure along(const JsonValue& report, const std::string& parameter) {
  Panel panel{
      "The grid", {parameter + ", votes"}, {epsilon_label(report.at("delta").number(0.0, 1.0))}};
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

Figure heatmap(const JsonValue& report) {
  std::vector<std::string> varied;
  std::string fixed;
  for (const auto& [parameter, values] : report.at("grid").members()) {
    if (values.type() != io::JsonType::array) continue;
    if (values.elements().size() > 1) varied.push_back(parameter);
  }
  if (varied.empty()) report.at("grid").fail("a parameter with several values");
  if (varied.size() == 1) return along(report, varied.front());
  const auto best = report.find("best");
  // Of a third the value of the best point.
  for (std::size_t i = 2; i < varied.size(); ++i) {
    if (!best) part_of(report, "best", "pate tune whose limits some point holds");
    fixed += fmt::format(", {} = {}", varied[i], best->at(varied[i]).number());
  }
  Panel panel{fmt::format("The grid{}", fixed),
              {varied[0] + ", votes"},
              {varied[1] + ", votes"},
              epsilon_label(report.at("delta").number(0.0, 1.0))};
  Series cells{"", Mark::cells, {}, {}};
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
  }
  if (cells.x.empty()) report.at("points").fail("points with an epsilon");
  panel.series = {std::move(cells)};
  if (best) {
    panel.series.push_back(
        {"best", Mark::points, {best->at(varied[0]).number()}, {best->at(varied[1]).number()}});
  }
  return {"", {panel}};
}

Figure teachers(std::span<const JsonValue> reports) {
  Panel panel{"What every teacher pays",
              {"teachers, from the cheapest on"},
              {epsilon_label(delta_of(reports))}};
  for (const JsonValue& report : reports) {
    const JsonValue all =
        part_of(report, "per_teacher", "pate analyze --exact --layout predictions");
    const std::string file = reports.size() > 1 ? name_of(report) + ": " : "";
    for (const auto& [key, named] :
         {std::pair("epsilon", "exact, RDP"), {"profile", "exact, profile"}}) {
      const auto its = all.find(key);
      if (!its) continue;
      Series series{file + named, Mark::line, {}, its->numbers(0.0, kLargest, kLargest)};
      std::ranges::sort(series.y);
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        series.x.push_back(static_cast<double>(i + 1));
      }
      panel.series.push_back(std::move(series));
    }
  }
  return {"", {panel}};
}

Figure sensitivity(const JsonValue& report) {
  const char* const made_by = "pate release --as-published --sensitivity-curve";
  const JsonValue its = report.find("private").value_or(report);
  const JsonValue curve = part_of(its, "sensitivity_curve", made_by);
  const std::vector<double> log_q = curve.at("log_q").numbers(-kLargest, 0.0);
  Panel panel{"Sensitivity of the cost of a query", {"log q"}, {"change of RDP with one vote"}};
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

Figure gamma(std::span<const JsonValue> reports) {
  Panel panel{"Noise function", {"share of the teachers that vote 1"}, {"gamma"}};
  panel.x.least = panel.y.least = 0.0;
  panel.x.most = 1.0;
  for (const JsonValue& report : reports) {
    const std::string file = reports.size() > 1 ? name_of(report) + ": " : "";
    const double count = report.at("teachers").at("count").number(1.0);
    const auto least = static_cast<std::size_t>(report.at("least_majority").integer(0));
    const auto add = [&](const std::string& series_name, const JsonValue& json) {
      const std::vector<double> values = json.numbers(0.0, 1.0);
      Series series{file + series_name, Mark::line_and_points, {}, {}};
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

Figure drawing(FigureKind kind, std::span<const JsonValue> reports) {
  switch (kind) {
    case FigureKind::cumulative:
      return cumulative(reports);
    case FigureKind::partition:
      return partition(reports);
    case FigureKind::votes:
      return histograms(reports, "top_count", "histogram",
                        {"Agreement of the teachers",
                         {"votes for the plurality, share of the teachers"},
                         {"share of the queries"}});
    case FigureKind::gaps:
      return histograms(reports, "gap", "gap_histogram",
                        {"How far the plurality is ahead",
                         {"votes ahead of the next class, share of the teachers"},
                         {"share of the queries"}});
    case FigureKind::orders:
      return by_order(the_one(kind, reports));
    case FigureKind::pareto:
      return pareto(reports);
    case FigureKind::heatmap:
      return heatmap(the_one(kind, reports));
    case FigureKind::teachers:
      return teachers(reports);
    case FigureKind::sensitivity:
      return sensitivity(the_one(kind, reports));
    case FigureKind::profile:
      return profile(reports);
    case FigureKind::gamma:
      break;
  }
  return gamma(reports);
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
