#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/figures/report_figures.hpp"

TEST_SUITE_BEGIN("figures");

namespace {

using pate::FigureKind;
using pate::io::JsonValue;

pate::Figure figure_of(FigureKind kind, const std::string& text) {
  const std::vector<JsonValue> reports{JsonValue::parse(text, "dir/one.json")};
  return pate::figure_of(kind, reports);
}

const std::string kAnalysis = R"({
  "schema": "pate/analyze/v1",
  "headline": {"bound": "tradeoff", "reading": "joint", "direction": "both",
    "conversion": "improved", "epsilon": 2.0, "delta": 1e-05, "parts": {"steps": 1.5, "delta": 0.5}},
  "costs": [
    {"bound": "tradeoff", "reading": "joint", "direction": "both", "conversion": "improved",
      "epsilon": 2.0, "delta": 1e-05, "parts": {"steps": 1.5, "delta": 0.5}},
    {"bound": "tradeoff", "reading": "joint", "direction": "both", "conversion": "classic",
      "epsilon": 2.5, "delta": 1e-05, "parts": {"steps": 1.5, "delta": 1.0}},
    {"bound": "published", "reading": "expected", "direction": "forward", "conversion": "classic",
      "epsilon": 3.0, "delta": 1e-05, "parts": {"selection": 1.0, "noisy_max": 1.75, "delta": 0.25}}],
  "rdp": {"orders": [2, 4, 8],
    "tradeoff": {"selection": [9, 9, 9], "joint": [0.5, 1, 3]},
    "published": {"selection": [0.25, 0.5, 1], "noisy_max": [0.5, 1, null]}},
  "profile": {
    "epsilon_at": {"delta": [1e-3, 1e-5], "upper": {"forward": [0.5, 0.75], "reverse": [0.25, 1]},
      "lower": {"forward": [0.375, 0.5], "reverse": [0.25, 0.5]}},
    "delta_at": {"epsilon": [0, 2], "upper": {"forward": [0.125, 1e-9], "reverse": [0.25, 1e-9]},
      "lower": {"forward": [0.125, 0], "reverse": [0.125, 0]}}},
  "trajectory": [
    {"queries": 10, "answered": 4.5, "epsilon": 1.0, "order": 20},
    {"queries": 20, "answered": 9.5, "epsilon": 2.0, "order": 10}],
  "per_teacher": {"epsilon": [3, 1, 2], "profile": null}
})";

}  // namespace

TEST_CASE("figures: epsilon against answers") {
  const pate::Figure figure = figure_of(FigureKind::cumulative, kAnalysis);
  REQUIRE(figure.panels.size() == 1);
  REQUIRE(figure.panels[0].series.size() == 1);
  CHECK(figure.panels[0].series[0].x == std::vector{4.5, 9.5});
  CHECK(figure.panels[0].series[0].y == std::vector{1.0, 2.0});
  CHECK(figure.panels[0].series[0].name == "one.json: tradeoff, joint, improved");
  CHECK(figure.panels[0].y.label == "ε at δ = 10⁻⁵");
}

TEST_CASE("figures: parts of epsilon, of what is listed first for a bound and a reading") {
  const pate::Figure figure = figure_of(FigureKind::partition, kAnalysis);
  const pate::Panel& panel = figure.panels.at(0);
  CHECK(panel.x.categories == std::vector<std::string>{"tradeoff joint", "published expected"});
  REQUIRE(panel.series.size() == 4);
  CHECK(panel.series[0].name == "steps");
  CHECK(panel.series[0].y == std::vector{1.5, 0.0});
  CHECK(panel.series[1].name == "delta");
  CHECK(panel.series[1].y == std::vector{0.5, 0.25});
  CHECK(panel.series[3].name == "noisy max");
  CHECK(panel.series[3].y == std::vector{0.0, 1.75});
  // Bars are on top of each other: from 0.5 + 1.5, and of the other from 0.25 + 1.
  const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::svg, {});
  CHECK(script.find("$data1 << end_of_data\n0 0.5 1.5 2\n1 0.25 0 0.25\n") != std::string::npos);
  CHECK(script.find("$data3 << end_of_data\n0 0 2 2\n1 1.75 1.25 3\n") != std::string::npos);
}

TEST_CASE("figures: RDP by order, the joint cost where there is one, and what it says") {
  const pate::Figure figure = figure_of(FigureKind::orders, kAnalysis);
  REQUIRE(figure.panels.size() == 2);
  const auto& rdp = figure.panels[0].series;
  REQUIRE(rdp.size() == 2);
  const std::size_t tradeoff = rdp[0].name == "tradeoff, joint" ? 0 : 1;
  CHECK(rdp[tradeoff].name == "tradeoff, joint");
  CHECK(rdp[tradeoff].y == std::vector{0.5, 1.0, 3.0});
  CHECK(rdp[1 - tradeoff].name == "published, expected");
  CHECK(rdp[1 - tradeoff].y[1] == 1.5);
  const auto& epsilon = figure.panels[1].series;
  CHECK(epsilon[tradeoff].y[2] ==
        pate::epsilon_from_rdp(pate::Conversion::improved, 3.0, 8.0, 1e-5));
  // What is infinite, or not above 0 on a logarithmic axis, is not drawn.
  const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::svg, {});
  CHECK(script.find("inf") == std::string::npos);
}

TEST_CASE("figures: a profile has the worse direction, sorted, with what RDP says") {
  const pate::Panel panel = figure_of(FigureKind::profile, kAnalysis).panels.at(0);
  REQUIRE(panel.series.size() == 3);
  CHECK(panel.series[0].name == "certified");
  CHECK(panel.series[2].name == "RDP, tradeoff: ε = 2.00");
  CHECK(panel.series[0].x == std::vector{0.0, 0.5, 1.0});
  CHECK(panel.series[0].y == std::vector{0.25, 1e-3, 1e-5});
  CHECK(panel.series[1].x == std::vector{0.0, 0.375, 0.5});
  CHECK(panel.series[2].x == std::vector{2.0});
}

TEST_CASE("figures: teachers from the cheapest on") {
  const pate::Panel panel = figure_of(FigureKind::teachers, kAnalysis).panels.at(0);
  REQUIRE(panel.series.size() == 1);
  CHECK(panel.series[0].y == std::vector{1.0, 2.0, 3.0});
  CHECK(panel.series[0].x == std::vector{1.0, 2.0, 3.0});
}

TEST_CASE("figures: histograms are shares, outlines around half votes") {
  const std::string report = R"({"schema": "pate/inspect/v1", "teachers": 4, "queries": 10,
    "gap": {"mean": 2, "histogram": {"bin_width": 2, "counts": [5, 4, 1]}},
    "selection": {"gap_histogram": {"bin_width": 2, "counts": [0.5, 2, 1]}}})";
  const pate::Panel panel = figure_of(FigureKind::gaps, report).panels.at(0);
  REQUIRE(panel.series.size() == 2);
  CHECK(panel.series[0].name == "all queries, mean 0.5");
  CHECK(panel.series[0].x == std::vector{0.0, 0.0, 0.375, 0.375, 0.875, 0.875, 1.0, 1.0});
  CHECK(panel.series[0].y == std::vector{0.0, 0.5, 0.5, 0.4, 0.4, 0.1, 0.1, 0.0});
  CHECK(panel.series[1].y == std::vector{0.0, 0.05, 0.05, 0.2, 0.2, 0.1, 0.1, 0.0});
}

TEST_CASE("figures: bins of histograms are as many as are asked for, the top one whole") {
  std::mt19937_64 random(41);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::size_t teachers = 1 + random() % 300;
    const std::size_t bins = 1 + random() % 40;
    nlohmann::json counts = nlohmann::json::array();
    std::size_t queries = 0;
    for (std::size_t votes = 0; votes <= teachers; ++votes) {
      counts.push_back(random() % 50);
      queries += counts.back().get<std::size_t>();
    }
    const nlohmann::json report{
        {"schema", "pate/inspect/v1"},
        {"teachers", teachers},
        {"queries", queries + 1},
        {"selection", nullptr},
        {"top_count", {{"mean", 1}, {"histogram", {{"bin_width", 1}, {"counts", counts}}}}}};
    const std::vector<JsonValue> reports{JsonValue::parse(report.dump(), "r.json")};
    const pate::Series series =
        pate::figure_of(FigureKind::votes, reports, {{}, bins}).panels.at(0).series.at(0);
    // Two points for each bin, and one at either end on the axis.
    const std::size_t drawn = (series.x.size() - 2) / 2;
    CHECK(drawn <= bins);
    const std::size_t together = (teachers + bins) / bins;
    double sum = 0.0;
    for (std::size_t bin = 0; bin < drawn; ++bin) {
      CHECK(series.y[2 * bin + 1] == series.y[2 * bin + 2]);
      sum += series.y[2 * bin + 1];
    }
    CHECK(sum == doctest::Approx(static_cast<double>(queries) / static_cast<double>(queries + 1)));
    double top = 0.0;
    for (std::size_t i = 0; i < std::min(together, counts.size()); ++i) {
      top += counts[teachers - i].get<double>();
    }
    CHECK(series.y[series.y.size() - 2] == doctest::Approx(top / static_cast<double>(queries + 1)));
    CHECK(series.x.back() == 1.0);
  }
}

TEST_CASE("figures: grids") {
  const std::string report = R"({"schema": "pate/tune/v1", "delta": 1e-5,
    "grid": {"sigma1": [10, 20], "threshold": [5, 6], "sigma2": [7, 8]},
    "best": {"sigma1": 20, "threshold": 6, "sigma2": 8, "epsilon": 1, "answered": 40},
    "points": [
      {"sigma1": 10, "threshold": 5, "sigma2": 7, "epsilon": 9, "answered": 50, "pareto": false},
      {"sigma1": 10, "threshold": 5, "sigma2": 8, "epsilon": 2, "answered": 60, "pareto": true},
      {"sigma1": 20, "threshold": 5, "sigma2": 8, "epsilon": null, "answered": 60, "pareto": false},
      {"sigma1": 20, "threshold": 6, "sigma2": 8, "epsilon": 1, "answered": 40, "pareto": true}]})";
  const pate::Panel front = figure_of(FigureKind::pareto, report).panels.at(0);
  REQUIRE(front.series.size() == 3);
  CHECK(front.series[0].y == std::vector{9.0, 2.0, 1.0});
  CHECK(front.series[1].x == std::vector{40.0, 60.0});
  CHECK(front.series[1].y == std::vector{1.0, 2.0});
  CHECK(front.series[2].x == std::vector{40.0});
  const pate::Figure cells = figure_of(FigureKind::heatmap, report);
  CHECK(cells.panels.at(0).title == "The grid, sigma2 = 8");
  CHECK(cells.panels[0].x.label == "sigma1, votes");
  CHECK(cells.panels[0].series.at(0).x == std::vector{10.0, 20.0});
  CHECK(cells.panels[0].series[0].z == std::vector{2.0, 1.0});
  // The cell of a point, with epsilon in one panel and what is wanted in the other.
  CHECK(cells.panels[0].colour == "ε at δ = 10⁻⁵, sigma2 = 8");
  CHECK(cells.panels.at(1).colour == "answers, expected, sigma2 = 8");
  CHECK(cells.panels[1].series.at(0).z == std::vector{60.0, 40.0});
  const std::string script = pate::gnuplot_script(cells, pate::ImageFormat::png, {});
  CHECK(script.find("10 5 5 15 4.5 5.5 2\n") != std::string::npos);
  CHECK(script.find("10 5 5 15 4.5 5.5 60\n") != std::string::npos);
  const std::string line = R"({"schema": "pate/tune/v1", "delta": 1e-5,
    "grid": {"sigma2": [7]}, "best": null, "points": []})";
  CHECK_THROWS_WITH_AS((void)figure_of(FigureKind::heatmap, line),
                       doctest::Contains("a parameter with several values"), pate::input_error);
}

TEST_CASE(
    "figures: a grid of one parameter is a line, fronts of several tunings are beside each other") {
  const auto report = [](const char* objective, double delta) {
    return nlohmann::json{
        {"schema", "pate/tune/v1"},
        {"delta", delta},
        {"objective", objective},
        {"grid", {{"sigma2", {7, 8}}}},
        {"best", nullptr},
        {"points",
         {{{"sigma2", 7}, {"epsilon", 9}, {"answered", 60}, {"agreeing", 50}, {"pareto", true}},
          {{"sigma2", 8}, {"epsilon", 2}, {"answered", 60}, {"agreeing", 30}, {"pareto", true}}}}}
        .dump();
  };
  const std::string one = report("agreeing", 1e-5);
  const pate::Panel line = figure_of(FigureKind::heatmap, one).panels.at(0);
  REQUIRE(line.series.size() == 1);
  CHECK(line.series[0].x == std::vector{7.0, 8.0});
  CHECK(line.series[0].y == std::vector{9.0, 2.0});
  CHECK(figure_of(FigureKind::pareto, one).panels.at(0).series.at(1).x == std::vector{30.0, 50.0});

  const auto parse = [](const std::string& text) {
    return pate::io::JsonValue::parse(text, "r.json");
  };
  const std::vector both{parse(one), parse(one)};
  CHECK(pate::figure_of(FigureKind::pareto, both).panels.at(0).series.size() == 2);
  for (const std::string& other : {report("agreeing", 1e-6), report("answered", 1e-5)}) {
    const std::vector mixed{parse(one), parse(other)};
    CHECK_THROWS_AS((void)pate::figure_of(FigureKind::pareto, mixed), pate::input_error);
  }
}

TEST_CASE("figures: over one parameter, what it costs and gives, of one tuning and of several") {
  std::mt19937_64 random(39);
  const auto number = [&] { return static_cast<double>(1 + random() % 4000) / 16.0; };
  // Reports of grids of one parameter with numbers drawn at random; some points have no epsilon,
  // and some are off the grid.
  struct Drawn {
    std::string text;
    std::vector<double> x, epsilon, share, any_votes;
  };
  const auto draw = [&](const std::string& parameter, bool labels) {
    Drawn drawn;
    nlohmann::json points = nlohmann::json::array();
    nlohmann::json axis = nlohmann::json::array();
    for (int k = 1; k <= 5; ++k) {
      const double epsilon = number();
      const double share = number() / 250.0;
      const double any = number();
      nlohmann::json point{{parameter, k},         {"answered", 100},
                           {"agreement", share},   {"epsilon", epsilon},
                           {"pareto", k % 2 == 0}, {"epsilon_data_independent", any},
                           {"on_grid", k != 5},    {"epsilon_published", nullptr}};
      if (labels) point["accuracy"] = share / 2.0;
      if (k == 2) point["epsilon"] = nullptr;
      axis.push_back(k);
      points.push_back(point);
      if (k == 2 || k == 5) continue;
      drawn.x.push_back(k);
      drawn.epsilon.push_back(epsilon);
      drawn.share.push_back(labels ? share / 2.0 : share);
      drawn.any_votes.push_back(any);
    }
    drawn.text = nlohmann::json{
        {"schema", "pate/tune/v1"},
        {"delta", 1e-5},
        {"grid", {{parameter, axis}, {"threshold", {3}}}},
        {"best", nullptr},
        {"points",
         points}}.dump();
    return drawn;
  };
  for (int round = 0; round < 20; ++round) {
    const bool labels = round % 2 == 0;
    const Drawn one = draw("sigma2", labels);
    const Drawn two = draw("laplace_scale", labels || round % 4 == 1);
    const pate::Figure alone = figure_of(FigureKind::parameter, one.text);
    REQUIRE(alone.panels.size() == 3);
    REQUIRE(alone.panels[0].series.size() == 2);
    CHECK(alone.panels[0].series[0].x == one.x);
    CHECK(alone.panels[0].series[0].y == one.epsilon);
    CHECK(alone.panels[0].series[1].name == "whatever the votes");
    CHECK(alone.panels[0].series[1].y == one.any_votes);
    CHECK(alone.panels[1].series.at(0).y == one.share);
    CHECK(alone.panels[2].series.at(0).x == one.share);
    CHECK(alone.panels[2].series.at(0).y == one.epsilon);
    CHECK(alone.panels[2].series.at(1).y == one.any_votes);

    const std::vector both{JsonValue::parse(one.text, "a/one.json"),
                           JsonValue::parse(two.text, "b/two.json")};
    const pate::Figure beside = pate::figure_of(FigureKind::parameter, both);
    REQUIRE(beside.panels.at(0).series.size() == 2);
    CHECK(beside.panels[0].x.label == "sigma2, votes; laplace scale, votes");
    CHECK(beside.panels[0].series[0].name == "one.json");
    CHECK(beside.panels[0].series[1].name == "two.json");
    CHECK(beside.panels[0].series[1].y == two.epsilon);
    CHECK(beside.panels[1].y.label == (labels ? "share of the answers that are right"
                                              : "share of the answers that are the plurality"));
    if (!labels && round % 4 != 1) CHECK(beside.panels[1].series[1].y == two.share);
  }
  const std::string two_parameters = R"({"schema": "pate/tune/v1", "delta": 1e-5, "best": null,
    "grid": {"sigma2": [7, 8], "sigma1": [1, 2]}, "points": [{"epsilon": 1}]})";
  CHECK_THROWS_WITH_AS((void)figure_of(FigureKind::parameter, two_parameters),
                       doctest::Contains("one parameter with several values"), pate::input_error);
}

TEST_CASE("figures: the noise function is mirrored at half of the teachers") {
  const std::string report = R"({"schema": "pate/darrm/v1", "noise_function": "optimal",
    "teachers": {"count": 3}, "least_majority": 2, "gamma": [0.25, 0.75],
    "compared": [{"name": "released", "gamma": [0.25, 0.75]},
      {"name": "best_constant", "gamma": [0.5, 0.5]}]})";
  const pate::Panel panel = figure_of(FigureKind::gamma, report).panels.at(0);
  REQUIRE(panel.series.size() == 2);
  CHECK(panel.series[0].y == std::vector{0.75, 0.25, 0.25, 0.75});
  CHECK(panel.series[0].x.front() == 0.0);
  CHECK(panel.series[0].x.back() == 1.0);
  CHECK(panel.series[1].name == "best constant");
}

TEST_CASE("figures: sensitivity") {
  const std::string report = R"({"schema": "pate/release/v1", "private": {"log_q0": -3,
    "log_q1": -4, "sensitivity_curve": {"log_q": [-5, -1], "up": [1, 2], "down": [2, 1],
    "bound": [2, 2]}}})";
  const pate::Figure figure = figure_of(FigureKind::sensitivity, report);
  REQUIRE(figure.panels.at(0).series.size() == 4);
  CHECK(figure.panels[0].series[0].y == std::vector{1.0, 2.0});
  CHECK(figure.panels[0].series[3].x == std::vector{-3.0, -4.0});
  CHECK(
      pate::gnuplot_script(figure, pate::ImageFormat::pdf, {}).find("-3 0\n-3 1\n\n-4 0\n-4 1\n") !=
      std::string::npos);
}

TEST_CASE("figures: what a report does not have is told, with what makes it") {
  CHECK_THROWS_WITH_AS((void)figure_of(FigureKind::votes, kAnalysis),
                       doctest::Contains("dir/one.json: schema: expected \"pate/inspect/v1\""),
                       pate::input_error);
  const std::string bare = R"({"schema": "pate/analyze/v1", "headline": {"delta": 1e-5}})";
  CHECK_THROWS_WITH_AS(
      (void)figure_of(FigureKind::teachers, bare),
      "dir/one.json: per_teacher is missing or null: it is in reports of pate analyze \1exact "
      "\1layout predictions",
      pate::input_error);
  const std::vector<JsonValue> two{JsonValue::parse(kAnalysis, "a"),
                                   JsonValue::parse(kAnalysis, "b")};
  CHECK_THROWS_WITH_AS((void)pate::figure_of(FigureKind::orders, two),
                       "\1kind orders shows one report, got 2", pate::parameter_error);
  std::string other = kAnalysis;
  other.replace(other.find("1e-05"), 5, "1e-06");
  const std::vector<JsonValue> mixed{JsonValue::parse(kAnalysis, "a"),
                                     JsonValue::parse(other, "b")};
  CHECK_THROWS_WITH_AS((void)pate::figure_of(FigureKind::cumulative, mixed),
                       doctest::Contains("b: headline.delta: expected 1e-05, the delta of a"),
                       pate::input_error);
}

TEST_CASE("figures: what may be published is drawn, and what may not is not there") {
  const std::string costs = R"("headline": {"delta": 1e-05}, "costs": [
    {"bound": "data_independent", "reading": "worst_case", "direction": "both",
      "conversion": "improved", "epsilon": 2.0, "parts": {"steps": 1.5, "delta": 0.5}}])";
  for (const char* const command : {"analyze", "plan", "label"}) {
    CAPTURE(command);
    const std::string report =
        R"({"schema": "pate/)" + std::string(command) + R"(/v1", "public": {)" + costs + "}}";
    const pate::Panel panel = figure_of(FigureKind::partition, report).panels.at(0);
    CHECK(panel.x.categories == std::vector<std::string>{"data independent worst case"});
    CHECK(panel.series.at(0).y == std::vector{1.5});
    CHECK_THROWS_WITH_AS((void)figure_of(FigureKind::orders, report),
                         "dir/one.json: what may be published of a report has no rdp: only the "
                         "whole report of pate analyze, plan or label has it, which is private",
                         pate::input_error);
  }
  // A whole report that has a public part besides is drawn as a whole.
  const std::string whole =
      R"({"schema": "pate/analyze/v1", "settings": {}, "public": {}, )" + costs + "}";
  CHECK(figure_of(FigureKind::partition, whole).panels.at(0).series.size() == 2);
  const std::string release = R"({"schema": "pate/release/v1", "public": {"epsilon": 1}})";
  CHECK_THROWS_WITH_AS((void)figure_of(FigureKind::sensitivity, release),
                       doctest::Contains("has no sensitivity_curve"), pate::input_error);
}

TEST_CASE("figures: names of files cannot become commands") {
  pate::Figure figure;
  figure.about = "one\n!rm -rf /";
  figure.panels.push_back({"it's\n'; system('x') #", {"x"}, {"y"}, "", {}});
  figure.panels[0].series.push_back({"a\nend_of_data\n!x", pate::Mark::line, {1.0}, {2.0}, {}});
  const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::svg, {});
  CHECK(script.starts_with("# one\\x0a!rm -rf /\n# it's\\x0a'; system('x') #\n"));
  pate::Look look;
  look.title = figure.panels[0].title;
  CHECK(pate::gnuplot_script(figure, pate::ImageFormat::svg, look)
            .find("set label 'it''s\\x0a''; system(''x'') #' at screen") != std::string::npos);
  CHECK(script.find("title 'a\\x0aend_of_data\\x0a!x'") != std::string::npos);
}

TEST_CASE("figures: text of any characters is one string of gnuplot") {
  std::mt19937_64 random(38);
  const std::string letters = "''''a\"`$@\\\n\x1b\xc3\xbc\xff#";
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) text += letters[random() % letters.size()];
    pate::Figure figure;
    figure.panels.push_back({"", {text + "."}, {"y"}, "", {}});
    const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::svg, {});
    const std::size_t begin = script.find("set label ") + 10;
    const std::size_t end_of_line = script.rfind(" at screen", script.find('\n', begin));
    std::string_view left = std::string_view(script).substr(begin, end_of_line - begin);
    CAPTURE(left);
    // Quotes in front in double quotes, where nothing else is; then single quotes, doubled inside.
    std::string read;
    if (left.starts_with('"')) {
      const std::size_t end = left.find('"', 1);
      REQUIRE(end != std::string_view::npos);
      read = left.substr(1, end - 1);
      CHECK(read.find_first_not_of('\'') == std::string::npos);
      left.remove_prefix(end + 1);
      REQUIRE(left.starts_with('.'));
      left.remove_prefix(1);
    }
    REQUIRE(left.starts_with('\''));
    left.remove_prefix(1);
    CHECK_FALSE(left.starts_with("''"));  // there gnuplot would see the end
    while (!left.empty() && (left.front() != '\'' || left.starts_with("''"))) {
      read += left.front();
      left.remove_prefix(left.starts_with("''") ? 2 : 1);
    }
    CHECK(left == "'");
    CHECK(read == pate::io::printable(text, 200, pate::io::Letters::any) + ".");
  }
}

TEST_CASE("figures: labels are the names of reports, and there is one for each") {
  const std::vector<JsonValue> two{JsonValue::parse(kAnalysis, "dir/a"),
                                   JsonValue::parse(kAnalysis, "dir/b")};
  const pate::Panel panel =
      pate::figure_of(FigureKind::cumulative, two, {{"x/y", "z"}}).panels.at(0);
  CHECK(panel.series.at(0).name == "x/y");
  CHECK(panel.series.at(1).name == "z");
  const pate::Panel bars = pate::figure_of(FigureKind::partition, two, {{"x/y", "z"}}).panels.at(0);
  CHECK(bars.x.categories == std::vector<std::string>{"x/y", "z"});
  CHECK_THROWS_WITH_AS((void)pate::figure_of(FigureKind::cumulative, two, {{"one"}}),
                       "expected a label for each of the 2 reports, got 1", pate::parameter_error);
}

TEST_CASE("figures: parts of a release add up to what is published on average") {
  const std::string report = R"({"schema": "pate/release/v1", "settings": {"delta": 1e-5},
    "private": {"epsilon_before": 2.5, "cost": 1.25, "earlier_releases_cost": 0.25,
    "mean_published": 3.5}})";
  const pate::Panel panel = figure_of(FigureKind::partition, report).panels.at(0);
  REQUIRE(panel.series.size() == 4);
  double sum = 0.0;
  for (const pate::Series& series : panel.series) sum += series.y.at(0);
  CHECK(sum == 3.5);
  CHECK(panel.series[3].name == "noise of the release");
  CHECK(panel.series[3].y[0] == 0.75);
}

TEST_CASE("figures: ensembles of one name are one line, by size") {
  const auto report = [](int teachers, double gap) {
    return JsonValue::parse(
        nlohmann::json{
            {"schema", "pate/inspect/v1"}, {"teachers", teachers}, {"gap", {{"mean", gap}}}}
            .dump(),
        std::to_string(teachers));
  };
  const std::vector reports{report(20, 10), report(10, 2), report(10, 4)};
  const pate::Panel panel =
      pate::figure_of(FigureKind::ensembles, reports, {{"a", "a", "b"}}).panels.at(0);
  REQUIRE(panel.series.size() == 2);
  CHECK(panel.series[0].x == std::vector{10.0, 20.0});
  CHECK(panel.series[0].y == std::vector{0.2, 0.5});
  CHECK(panel.series[1].y == std::vector{0.4});
  CHECK_THROWS_WITH_AS((void)pate::figure_of(FigureKind::ensembles, reports),
                       doctest::Contains("\1label tells ensembles apart"), pate::input_error);
}

TEST_CASE("figures: accuracy over the noise, that of Laplace noise by its epsilon") {
  const auto report = [](const char* parameter) {
    return nlohmann::json{
        {"schema", "pate/tune/v1"},
        {"teachers", 5},
        {"grid", {{parameter, {10, 20}}}},
        {"points", {{{parameter, 10}, {"accuracy", 0.75}}, {{parameter, 20}, {"accuracy", 0.5}}}}}
        .dump();
  };
  const pate::Panel laplace = figure_of(FigureKind::accuracy, report("laplace_scale")).panels.at(0);
  CHECK(laplace.series.at(0).name == "5 teachers");
  CHECK(laplace.series[0].x == std::vector{0.1, 0.2});
  CHECK(laplace.series[0].y == std::vector{0.5, 0.75});
  CHECK(figure_of(FigureKind::accuracy, report("sigma2")).panels.at(0).series.at(0).x ==
        std::vector{10.0, 20.0});
  const std::vector mixed{JsonValue::parse(report("sigma2"), "a"),
                          JsonValue::parse(report("laplace_scale"), "b")};
  CHECK_THROWS_AS((void)pate::figure_of(FigureKind::accuracy, mixed), pate::input_error);
}

TEST_SUITE_END();
