#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/figures/figure_layout.hpp"
#include "pate/reports/figures/grid_axis.hpp"
#include "pate/reports/figures/report_figures.hpp"
#include "pate/reports/tex_text.hpp"
#include "support/random.hpp"

// Reports that lack what a picture shows, or have what it does not show, and axes of odd values.

using pate::Figure;
using pate::FigureKind;
using pate::Panel;
using pate::io::JsonValue;
using Json = nlohmann::ordered_json;

namespace {

Figure drawn(FigureKind kind, const Json& report) {
  const std::vector<JsonValue> reports{JsonValue::parse(report.dump(), "r.json")};
  return pate::figure_of(kind, reports);
}

std::string refusal(FigureKind kind, const Json& report) {
  try {
    (void)drawn(kind, report);
  } catch (const pate::input_error& error) {
    return error.what();
  }
  return "";
}

// A tuning of a grid of two parameters, of which two points have an epsilon.
Json tuning() {
  return Json::parse(R"({"schema": "pate/tune/v1", "delta": 1e-5, "teachers": 9,
    "grid": {"sigma2": [7, 8], "threshold": [3]}, "best": null,
    "points": [{"sigma2": 7, "threshold": 3, "epsilon": 9, "answered": 60, "pareto": true,
        "agreement": 0.5, "accuracy": 0.25},
      {"sigma2": 8, "threshold": 3, "epsilon": 2, "answered": 50, "pareto": true,
        "agreement": 0.5, "accuracy": 0.5}]})");
}

Json analysis() {
  return Json::parse(R"({"schema": "pate/analyze/v1",
    "headline": {"bound": "exact", "reading": "joint", "direction": "both",
      "conversion": "profile", "epsilon": 1.2345, "delta": 1e-05},
    "costs": [
      {"bound": "tradeoff", "reading": "joint", "direction": "both", "conversion": "improved",
        "epsilon": 2.0, "delta": 1e-05, "parts": {"steps": 1.5, "delta": 0.5, "selection": null}},
      {"bound": "published", "reading": "expected", "direction": "forward",
        "conversion": "improved", "epsilon": 3.0, "delta": 1e-05, "parts": {"steps": 3.0}},
      {"bound": "exact", "reading": "joint", "direction": "reverse", "conversion": "improved",
        "epsilon": 1.5, "delta": 1e-05, "parts": {"steps": 1.5}},
      {"bound": "exact", "reading": "joint", "direction": "both", "conversion": "profile",
        "epsilon": 1.2345, "delta": 1e-05}],
    "rdp": {"orders": [2, 4, 8], "published": null,
      "exact": {"joint": null, "spent_variance": [1, 1, 1]},
      "tradeoff": {"selection": [9, 9, 9], "forward": [0.5, 1, 3], "reverse": [1, 0, 2]},
      "data_independent": {"noisy_max": [1, 2, 4]}},
    "profile": {
      "epsilon_at": {"delta": [1e-3, 1e-5],
        "upper": {"forward": [0.5, 0.75], "reverse": [0.25, 1]},
        "lower": {"forward": [null, null], "reverse": [null, null]}},
      "delta_at": {"epsilon": [0, 2], "upper": {"forward": [0.125, 0], "reverse": [0.25, 0]},
        "lower": {"forward": [0, 0], "reverse": [0, 0]}}},
    "trajectory": [{"queries": 10, "answered": 4.5, "epsilon": null},
      {"queries": 20, "answered": null, "epsilon": 2.0}]})");
}

}  // namespace

TEST_SUITE_BEGIN("figures");

TEST_CASE("figures: deltas of a profile and of its mark are probabilities") {
  Json report = analysis();
  report["headline"]["delta"] = 0.75;
  CHECK(drawn(FigureKind::profile, report).panels.at(0).series.back().y == std::vector{0.75});
  report["headline"]["delta"] = 1.5;
  CHECK(refusal(FigureKind::profile, report) ==
        "r.json: headline.delta: expected a number from 0 to 1, found 1.5");
  report = analysis();
  report["profile"]["epsilon_at"]["delta"] = {0.75, 1e-5};
  const std::vector<double> y = drawn(FigureKind::profile, report).panels.at(0).series.at(0).y;
  CHECK(std::ranges::count(y, 0.75) == 1);
  report["profile"]["epsilon_at"]["delta"] = {1.5, 1e-5};
  CHECK(refusal(FigureKind::profile, report).starts_with("r.json: profile.epsilon_at.delta"));
}

TEST_CASE("figures: a tuning without what a picture shows is refused, by what is missing") {
  Json report = tuning();
  for (Json& point : report["points"]) point["epsilon"] = nullptr;
  const std::string none = "r.json: points: expected points with an epsilon, found an array of 2";
  CHECK(refusal(FigureKind::pareto, report) == none);
  CHECK(refusal(FigureKind::heatmap, report) == none);
  CHECK(refusal(FigureKind::parameter, report) == none);
  report["grid"]["threshold"] = {3, 4};
  CHECK(refusal(FigureKind::heatmap, report) == none);
  CHECK(refusal(FigureKind::accuracy, report)
            .starts_with("r.json: grid.threshold: expected one "
                         "value: accuracy is drawn over one"));
  report = tuning();
  report["grid"]["sigma2"] = {7};
  for (const FigureKind kind : {FigureKind::accuracy, FigureKind::heatmap}) {
    CHECK(refusal(kind, report).starts_with("r.json: grid: expected a parameter with several"));
  }
  CHECK(refusal(FigureKind::parameter, report)
            .starts_with("r.json: grid: expected one parameter with several values"));
  report = tuning();
  report["points"] = Json::array();
  CHECK(
      refusal(FigureKind::accuracy, report).starts_with("r.json: points: expected points of the"));
  report = tuning();
  report["points"][1].erase("accuracy");
  CHECK(refusal(FigureKind::accuracy, report) ==
        "r.json: accuracy is missing or null: it is in reports of pate tune \1labels");
  // Of a third parameter the value of the best point is drawn.
  report = tuning();
  report["grid"] = {{"sigma1", {1, 2}}, {"threshold", {3, 4}}, {"sigma2", {7, 8}}};
  CHECK(refusal(FigureKind::heatmap, report) ==
        "r.json: best is missing or null: it is in reports of pate tune whose limits some point "
        "holds");
}

TEST_CASE("figures: the best point of a line of points stands out, PTR's parameter is no vote") {
  Json report = tuning();
  report["best"] = report["points"][1];
  const Panel line = drawn(FigureKind::heatmap, report).panels.at(0);
  REQUIRE(line.series.size() == 2);
  CHECK(line.series[1].name == "best");
  CHECK(line.series[1].x == std::vector{8.0});
  CHECK(line.series[1].y == std::vector{2.0});
  CHECK(line.x.label == "sigma2, votes");
  // Points that a search added are not of the grid.
  report["grid"]["threshold"] = {3, 4};
  report["points"][0]["on_grid"] = false;
  report["points"][1]["on_grid"] = true;
  CHECK(drawn(FigureKind::heatmap, report).panels.at(0).series.at(0).x == std::vector{8.0});
  Json ptr = tuning();
  ptr["grid"] = {{"ptr_sigma", {7, 8}}, {"ptr_delta", {1e-6}}};
  for (Json& point : ptr["points"]) point["ptr_sigma"] = point["sigma2"];
  CHECK(drawn(FigureKind::parameter, ptr).panels.at(0).x.label == "ptr sigma");
  // What was set against epsilon is what is drawn.
  Json correct = tuning();
  correct["objective"] = "correct";
  for (Json& point : correct["points"]) point["correct"] = 5;
  CHECK(drawn(FigureKind::pareto, correct).panels.at(0).x.label == "right answers, expected");
  CHECK(drawn(FigureKind::pareto, correct).panels[0].series.at(0).x == std::vector{5.0, 5.0});
}

TEST_CASE("figures: RDP is the larger direction, and what is null is not drawn") {
  const Figure figure = drawn(FigureKind::orders, analysis());
  const auto& rdp = figure.panels.at(0).series;
  REQUIRE(rdp.size() == 2);
  const std::size_t any = rdp[0].name == "data_independent, worst case" ? 0 : 1;
  CHECK(rdp[any].name == "data_independent, worst case");
  CHECK(rdp[any].y == std::vector{1.0, 2.0, 4.0});
  CHECK(rdp[1 - any].name == "tradeoff, joint");
  CHECK(rdp[1 - any].y == std::vector{1.0, 1.0, 3.0});
  Json report = analysis();
  report["rdp"] = {{"orders", {2, 4}}, {"exact", {{"joint", nullptr}}}};
  CHECK(refusal(FigureKind::orders, report).starts_with("r.json: rdp: expected curves of a bound"));
  report["rdp"]["exact"]["joint"] = {1, 2, 3};
  CHECK(refusal(FigureKind::orders, report) ==
        "r.json: rdp.exact.joint: expected a number for every order, found an array of 3");
  report = analysis();
  report["headline"]["delta"] = 0;
  CHECK(refusal(FigureKind::orders, report) ==
        "r.json: headline.delta: expected a delta > 0, found 0");
  // What costs nothing has no place on a logarithmic axis.
  report = analysis();
  report["rdp"]["data_independent"]["noisy_max"] = {0, 2, 4};
  CHECK(std::isinf(drawn(FigureKind::orders, report).panels[0].series.at(any).y[0]));
}

TEST_CASE("figures: parts, profiles and trajectories of entries that have some") {
  // Entries of one direction alone, and those of a profile, are no bars.
  const Panel bars = drawn(FigureKind::partition, analysis()).panels.at(0);
  CHECK(bars.x.categories == std::vector<std::string>{"tradeoff joint", "published expected"});
  CHECK(bars.series.size() == 2);
  Json report = analysis();
  for (Json& entry : report["costs"]) entry.erase("parts");
  CHECK(refusal(FigureKind::partition, report)
            .starts_with("r.json: costs: expected an entry with "
                         "parts"));
  // The certified headline has its epsilon beside it; what is 0 or unbounded is left out.
  const Panel profile = drawn(FigureKind::profile, analysis()).panels.at(0);
  REQUIRE(profile.series.size() == 3);
  CHECK(profile.series[0].x == std::vector{0.0, 0.5, 1.0});
  CHECK(profile.series[1].name == "RDP, tradeoff: ε = 2.00");
  CHECK(profile.series[2].texts == std::vector<std::string>{"ε = 1.24"});
  CHECK(profile.series[2].x == std::vector{1.2345});
  report = analysis();
  report["profile"]["epsilon_at"]["upper"]["reverse"] = {1};
  CHECK(refusal(FigureKind::profile, report)
            .starts_with("r.json: profile.epsilon_at.upper: expected as many numbers in both"));
  CHECK(refusal(FigureKind::cumulative, analysis())
            .starts_with("r.json: trajectory: expected how epsilon grows with the answers"));
}

TEST_CASE("figures: parts of a release by its certificate, and of a claim none") {
  Json report = Json::parse(R"({"schema": "pate/release/v1", "settings": {"delta": 1e-5},
    "private": {"certificate": "complex", "epsilon_before": 2.5, "mean_published": 3.5}})");
  const Panel panel = drawn(FigureKind::partition, report).panels.at(0);
  REQUIRE(panel.series.size() == 2);
  CHECK(panel.series[0].name == "steps and delta");
  CHECK(panel.series[0].y == std::vector{2.5});
  CHECK(panel.series[1].y == std::vector{1.0});
  report["private"]["method"] = "at_most";
  CHECK(refusal(FigureKind::partition, report)
            .starts_with("r.json: private.method: expected a release that adds noise to a cost: of "
                         "\1at-most, which publishes the number that was declared"));
  Json curve = Json::parse(R"({"schema": "pate/release/v1", "settings": {},
    "private": {"sensitivity_curve": {"log_q": [-2, -1], "up": [1, 2], "down": [1], "bound": [3, 3]}
    }})");
  CHECK(refusal(FigureKind::sensitivity, curve) ==
        "r.json: private.sensitivity_curve.down: expected a number for every log_q, found an array "
        "of 1");
  curve["private"]["sensitivity_curve"]["down"] = {1, 1};
  CHECK(drawn(FigureKind::sensitivity, curve).panels.at(0).series.size() == 3);
}

TEST_CASE("figures: a picture needs a report, and bins") {
  CHECK_THROWS_WITH_AS((void)pate::figure_of(FigureKind::votes, {}), "a picture needs a report",
                       pate::parameter_error);
  const std::vector<JsonValue> one{JsonValue::parse(R"({"schema": "pate/inspect/v1"})", "r")};
  CHECK_THROWS_WITH_AS((void)pate::figure_of(FigureKind::votes, one, {{}, 0}),
                       "expected at least one bin, got 0", pate::parameter_error);
  for (const auto& [name, format] : {std::pair("a.svg", pate::ImageFormat::svg),
                                     {"a.b.pdf", pate::ImageFormat::pdf},
                                     {"a.png", pate::ImageFormat::png},
                                     {"d/a.tex", pate::ImageFormat::tex}}) {
    CHECK(pate::image_format(name) == format);
  }
  for (const char* const name : {"", "svg", "a.svg.gz", "a.SVG", "a.gif"}) {
    CHECK_FALSE(pate::image_format(name));
  }
}

TEST_CASE("figures: axes of one value, of no span and of all doubles have tics at their ends") {
  using pate::figures::Scale;
  const auto scale_of = [](const pate::Axis& axis, const std::vector<double>& values) {
    return pate::figures::scale_of(axis, values, 6);
  };
  const auto holds = [](const Scale& scale, double value) {
    return scale.least <= value && value <= scale.most && scale.least < scale.most;
  };
  for (const double value : {0.0, 3.0, -7.5, 1e-300, 1e300}) {
    CAPTURE(value);
    for (const bool has_least : {false, true}) {
      for (const bool has_most : {false, true}) {
        if (has_least && has_most) continue;
        pate::Axis axis{""};
        if (has_least) axis.least = value;
        if (has_most) axis.most = value;
        const Scale scale = scale_of(axis, {value});
        CHECK(holds(scale, value));
        if (has_least) CHECK(scale.least == value);
        if (has_most) CHECK(scale.most == value);
      }
    }
  }
  const Scale all = scale_of({""}, {-1.7e308, 1.7e308});
  CHECK(all.tics.size() == 2);
  CHECK(holds(all, 0.0));
  // Nothing that a logarithmic axis can show.
  CHECK(holds(scale_of({"", true}, {-1.0, 0.0}), 1.0));
  // Ends that are given, a little apart, have tics between them.
  pate_test::Random random(65);
  for (int i = 0; i < 500; ++i) {
    pate::Axis axis{"", i % 2 == 0};
    axis.least = random.log_uniform(1e-3, 1e3);
    axis.most = *axis.least * random.uniform(1.2, 30.0);
    const Scale scale = scale_of(axis, {*axis.least});
    CHECK(scale.least == axis.least);
    CHECK(scale.most == axis.most);
    for (const pate::Tic& tic : scale.tics) CHECK(holds(scale, tic.at));
  }
}

TEST_CASE("figures: values beside a grid stand at its ends, gaps at an end are shown") {
  const pate::figures::GridAxis axis({1, 2, 3, 50});
  CHECK(axis.place(0.5) == 0.0);
  CHECK(axis.place(99) == 3.0);
  CHECK(pate::figures::GridAxis({1, 50, 51, 52}).axis("x").breaks == std::vector{0.5});
  CHECK(pate::figures::GridAxis({1, 2, 50, 51}).axis("x").breaks == std::vector{1.5});
}

TEST_CASE("texts for TeX: raised and lowered signs after each other are so together") {
  CHECK(pate::tex_text("10⁻⁵") == "10$^{-5}$");
  CHECK(pate::tex_text("σ₁²") == "$\\sigma _{1}^{2}$");
  CHECK(pate::tex_text("x₁₂") == "x$_{12}$");
  // TeX stops at two raised parts of one sign.
  CHECK(pate::tex_text("σ²₁³") == "$\\sigma ^{2}_{1}{}^{3}$");
  CHECK(pate::tex_text("σ²₁τ²") == "$\\sigma ^{2}_{1}\\tau ^{2}$");
  CHECK(pate::tex_text("σ₁²₁₂²⁵") == "$\\sigma _{1}^{2}{}_{12}^{25}$");
  CHECK(pate::tex_power("1e-05") == "$10^{-5}$");
  CHECK(pate::tex_power("2.5e+07") == "$2.5 \\cdot 10^{7}$");
  CHECK(pate::tex_power("0.25") == "0.25");
}

TEST_SUITE_END();
