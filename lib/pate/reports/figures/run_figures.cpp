#include "pate/reports/figures/figure_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/reports/figures/figure_parts.hpp"
#include "pate/reports/figures/report_figures.hpp"

namespace pate::figures {

namespace {

// What a report writes as null: a cost without a bound. It is not drawn.
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// The RDP curves that a report has, by bound.
std::vector<Series> rdp_curves(const JsonValue& report, const std::vector<double>& orders) {
  std::vector<Series> result;
  for (const auto& [bound, curves] : report.at("rdp").members()) {
    if (bound == "orders" || curves.is_null()) continue;
    // The joint cost where there is one: a guarantee. Otherwise the sum of the steps.
    std::vector<double> sum(orders.size(), 0.0);
    bool is_joint = false;
    bool any = false;
    for (const auto& [step, values] : curves.members()) {
      if (values.is_null() || step == "spent_variance" || step == "noisy_max_realized") {
        continue;
      }
      const std::vector<double> its = values.numbers(0.0, kLargest, kUnbounded);
      if (its.size() != orders.size()) values.fail("a number for every order");
      if (step == "joint" || step == "forward" || step == "reverse") {
        const auto larger = [](double a, double b) { return std::max(a, b); };
        if (!is_joint) sum.assign(orders.size(), 0.0);
        std::ranges::transform(sum, its, sum.begin(), larger);
        is_joint = true;
      } else if (!is_joint) {
        std::ranges::transform(sum, its, sum.begin(), std::plus<>());
      }
      any = true;
    }
    const char* const reading = is_joint                      ? "joint"
                                : bound == "data_independent" ? "worst case"
                                                              : "expected";
    if (any) result.push_back({fmt::format("{}, {}", bound, reading), Mark::line, orders, sum});
  }
  return result;
}

using Parts = std::vector<std::pair<std::string, double>>;

struct Bar {
  std::string name;
  Parts parts;
};

Parts parts_of_entry(const JsonValue& entry) {
  Parts parts;
  for (const auto& [part, value] :
       part_of(entry, "parts", "RDP, and of a profile it has none").members()) {
    if (!value.is_null()) parts.emplace_back(in_words(part), value.number());
  }
  return parts;
}

bool is_release(const JsonValue& report) {
  return !report.has("headline") && (report.has("private") || report.has("epsilon"));
}

// Of what is published on average: the cost of the answers, what the conversion to an epsilon adds,
// and what is added so that it may be published. By complex orders the first two are one number.
Parts parts_of_release(const JsonValue& report) {
  const JsonValue its = part_of(report, "private", "pate release without \1public-only");
  if (const auto method = its.find("method"); method && method->text() == "at_most") {
    method->fail(
        "a release that adds noise to a cost: of \1at-most, which publishes the number that "
        "was declared, there are no parts");
  }
  const double before = its.at("epsilon_before").number(0.0);
  const auto earlier = its.find("earlier_releases_cost");
  const double others = earlier ? earlier->number(0.0) : 0.0;
  Parts parts;
  const auto certificate = its.find("certificate");
  if (certificate && certificate->text() == "complex") {
    parts.emplace_back("steps and delta", before);
  } else {
    const double cost = its.at(its.has("rdp") ? "rdp" : "cost").number(0.0);
    parts.emplace_back("steps", cost);
    parts.emplace_back("delta", before - cost);
  }
  if (others > 0.0) parts.emplace_back("earlier releases", others);
  parts.emplace_back("noise of the release",
                     its.at("mean_published").number(0.0) - before - others);
  return parts;
}

}  // namespace

Figure cumulative(std::span<const Source> reports) {
  Panel panel{"What answers cost", {"answers, expected"}, {epsilon_label(delta_of(reports))}};
  panel.x.least = panel.y.least = 0.0;
  for (const Source& report : reports) {
    const JsonValue headline = report.at("headline");
    Series series{
        report.label.empty() ? name_of(report) + ": " + entry_name(headline) : report.label,
        Mark::line,
        {},
        {}};
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
              "\1exact");
    }
    panel.series.push_back(std::move(series));
  }
  return {"", {panel}};
}

Figure partition(std::span<const Source> reports) {
  Panel panel{"Where the budget goes", {""}, {epsilon_label(delta_of(reports))}};
  panel.y.least = 0.0;
  std::vector<Bar> bars;
  for (const Source& report : reports) {
    if (is_release(report)) {
      bars.push_back({reports.size() > 1 || !report.label.empty() ? name_of(report) : "release",
                      parts_of_release(report)});
      continue;
    }
    if (reports.size() > 1) {
      bars.push_back({name_of(report), parts_of_entry(report.at("headline"))});
      continue;
    }
    for (const JsonValue& entry : report.at("costs").elements()) {
      if (!entry.find("parts") || entry.at("direction").text() == "reverse") continue;
      const std::string label =
          fmt::format("{} {}", entry.at("bound").text(), entry.at("reading").text());
      // The first conversion that is listed is the smallest.
      if (std::ranges::find(bars, in_words(label), &Bar::name) == bars.end()) {
        bars.push_back({in_words(label), parts_of_entry(entry)});
      }
    }
  }
  std::vector<Series> stacks;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    panel.x.categories.push_back(bars[i].name);
    for (const auto& [part, value] : bars[i].parts) {
      auto stack = std::ranges::find(stacks, part, &Series::name);
      if (stack == stacks.end()) stack = stacks.insert(stacks.end(), {part, Mark::stack, {}, {}});
      stack->x.resize(bars.size());
      stack->y.resize(bars.size());
      std::iota(stack->x.begin(), stack->x.end(), 0.0);
      // The conversion can take some off, which no bar shows.
      stack->y[i] = std::max(value, 0.0);
    }
  }
  if (stacks.empty()) reports.front().at("costs").fail("an entry with parts");
  panel.x.least = -0.6;
  panel.x.most = static_cast<double>(bars.size()) - 0.4;
  panel.series = std::move(stacks);
  return {"", {panel}};
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

Figure teachers(std::span<const Source> reports) {
  Panel panel{"What every teacher pays",
              {"teachers, from the cheapest on"},
              {epsilon_label(delta_of(reports))}};
  for (const Source& report : reports) {
    const JsonValue all =
        part_of(report, "per_teacher", "pate analyze \1exact \1layout predictions");
    for (const auto& [key, named] :
         {std::pair("epsilon", "exact, RDP"), {"profile", "exact, profile"}}) {
      const auto its = all.find(key);
      if (!its) continue;
      Series series{series_name(reports, report, named),
                    Mark::line,
                    {},
                    its->numbers(0.0, kLargest, kUnbounded)};
      std::ranges::sort(series.y);
      for (std::size_t i = 0; i < series.y.size(); ++i) {
        series.x.push_back(static_cast<double>(i + 1));
      }
      panel.series.push_back(std::move(series));
    }
  }
  return {"", {panel}};
}

}  // namespace pate::figures
