#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "pate/reports/figures/figure.hpp"
#include "pate/reports/figures/figure_layout.hpp"
#include "pate/reports/tex_text.hpp"
#include "support/random.hpp"

// What both kinds of script draw: numbers that any figure may have, drawn at random.

using pate::Axis;
using pate::Figure;
using pate::Mark;
using pate::Panel;
using pate::Series;
using pate::figures::PanelLayout;
using pate_test::Random;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kHalfBar = 0.35;

using Rows = std::vector<std::vector<double>>;

std::string letters(Random& random, std::int64_t most) {
  return std::string(static_cast<std::size_t>(random.integer(1, most)), 'n');
}

Series random_series(Random& random, Mark mark, bool positive, std::size_t bars) {
  Series series{random.integer(0, 4) == 0 ? "" : letters(random, 12), mark, {}, {}};
  if (mark == Mark::stack) {
    for (std::size_t i = 0; i < bars; ++i) {
      series.x.push_back(static_cast<double>(i));
      series.y.push_back(random.uniform(0.0, 3.0));
    }
    return series;
  }
  const std::int64_t points = mark == Mark::level ? random.integer(1, 3) : random.integer(1, 25);
  const bool has_texts = mark == Mark::points && random.integer(0, 1) == 0;
  for (std::int64_t i = 0; i < points; ++i) {
    const bool hidden = points > 4 && i > 1 && random.integer(0, 8) == 0;
    series.x.push_back(hidden && i % 2 == 0 ? kNone : random.uniform(0.5, 9.5));
    series.y.push_back(hidden && i % 2 == 1 ? kNone : random.uniform(positive ? 0.1 : -3.0, 20.0));
    if (has_texts) series.texts.push_back(letters(random, 6));
  }
  return series;
}

Panel random_panel(Random& random) {
  Panel panel{letters(random, 9), {"x"}, {random.integer(0, 5) == 0 ? "" : "y"}};
  panel.y.logarithmic = random.integer(0, 3) == 0;
  if (random.integer(0, 3) == 0) panel.y.most = random.uniform(20.0, 40.0);
  if (random.integer(0, 5) == 0) panel.x.label = "";
  const bool has_bars = !panel.y.logarithmic && random.integer(0, 2) == 0;
  const auto bars = static_cast<std::size_t>(random.integer(1, 5));
  if (has_bars) {
    const std::int64_t longest = random.integer(1, 2) == 1 ? 3 : 40;
    for (std::size_t i = 0; i < bars; ++i) panel.x.categories.push_back(letters(random, longest));
    panel.x.least = -0.6;
    panel.x.most = static_cast<double>(bars) - 0.4;
  }
  constexpr std::array kMarks{Mark::line, Mark::line_and_points, Mark::points, Mark::dots,
                              Mark::level};
  for (std::int64_t more = random.integer(1, 5); more > 0; --more) {
    const Mark mark =
        has_bars ? Mark::stack : kMarks.at(static_cast<std::size_t>(random.integer(0, 4)));
    panel.series.push_back(random_series(random, mark, panel.y.logarithmic, bars));
  }
  if (!has_bars && random.integer(0, 4) == 0) panel.x.breaks = {random.uniform(1.0, 9.0)};
  if (!has_bars && random.integer(0, 4) == 0) panel.y.breaks = {random.uniform(1.0, 9.0)};
  return panel;
}

// A grid some of whose cells have no value.
Panel random_cells(Random& random) {
  Panel panel{"cells", {"x"}, {"y"}, "colour", {}};
  Series cells{"", Mark::cells, {}, {}};
  std::vector<double> columns;
  std::vector<double> rows;
  for (std::int64_t i = random.integer(1, 5); i > 0; --i) columns.push_back(random.uniform(1, 99));
  for (std::int64_t i = random.integer(1, 5); i > 0; --i) rows.push_back(random.uniform(1, 99));
  const bool alike = random.integer(0, 5) == 0;
  for (const double x : columns) {
    for (const double y : rows) {
      if (!cells.x.empty() && random.integer(0, 4) == 0) continue;
      cells.x.push_back(x);
      cells.y.push_back(y);
      cells.z.push_back(alike ? 2.5 : random.uniform(-1.0, 7.0));
    }
  }
  panel.series = {cells, {"best", Mark::points, {cells.x.front()}, {cells.y.front()}}};
  return panel;
}

Rows rows_of(const std::string& text) {
  Rows rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    std::istringstream numbers(line);
    std::vector<double> row;
    for (std::string word; numbers >> word;) row.push_back(std::stod(word));
    rows.push_back(row);
  }
  return rows;
}

// What stands between all places of two words, in order.
std::vector<std::string> between(const std::string& text, const std::string& first,
                                 const std::string& last) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(first); at != std::string::npos; at = text.find(first, at)) {
    at += first.size();
    const std::size_t end = text.find(last, at);
    REQUIRE(end != std::string::npos);
    found.push_back(text.substr(at, end - at));
  }
  return found;
}

// All numbers in a text, whatever is between them.
std::vector<double> numbers_in(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::string_view("(){},").find(c) != std::string_view::npos; },
      ' ');
  std::istringstream words(text);
  std::vector<double> numbers;
  for (std::string word; words >> word;) numbers.push_back(std::stod(word));
  return numbers;
}

Rows shown_points(const Series& series) {
  Rows rows;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) {
      rows.push_back({series.x[i], series.y[i]});
    }
  }
  return rows;
}

}  // namespace

TEST_SUITE_BEGIN("figures");

TEST_CASE("figures: gnuplot and LaTeX draw all points of any figure where they are") {
  Random random(61);
  std::array<int, 7> drawn{};
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    Figure figure{"about", {}};
    for (std::int64_t i = random.integer(1, 2); i > 0; --i) {
      figure.panels.push_back(random_panel(random));
    }
    const pate::Look look = random.integer(0, 3) == 0
                                ? pate::Look{}
                                : pate::look_of(static_cast<pate::FigureSize>(random.integer(0, 2)),
                                                random.integer(0, 1) == 0 ? "" : "A title");
    const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::svg, look);
    const std::string picture = pate::pgfplots_picture(figure, look);
    const std::vector<std::string> blocks = between(script, " << end_of_data\n", "end_of_data\n");
    std::vector<std::string> tables = between(picture, "] table {\n", "};\n");
    std::vector<std::string> bars = between(picture, "area legend] coordinates {", "} -- cycle;");
    std::size_t block = 0;
    std::size_t table = 0;
    std::size_t bar = 0;
    std::size_t named = 0;
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
      const Panel& panel = figure.panels[p];
      const PanelLayout layout = pate::figures::layout_of(panel, look, figure.panels.size() == 1);
      std::vector<double> below;
      for (const Series& series : panel.series) {
        ++drawn.at(static_cast<std::size_t>(series.mark));
        named += series.name.empty() ? 0U : 1U;
        const Rows rows = rows_of(blocks.at(block++));
        if (series.mark == Mark::level) {
          Rows expected;
          for (const double x : series.x) {
            expected.push_back({x, 0.0});
            expected.push_back({x, 1.0});
            CHECK(rows_of(tables.at(table++)) == Rows{{x, layout.y.least}, {x, layout.y.most}});
          }
          CHECK(rows == expected);
        } else if (series.mark == Mark::stack) {
          below.resize(series.x.size(), 0.0);
          REQUIRE(rows.size() == series.x.size());
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const double x = series.x[i];
            const double top = below[i] + series.y[i];
            CHECK(rows[i] == std::vector{x, series.y[i], below[i], top});
            CHECK(numbers_in(bars.at(bar++)) == std::vector{x - kHalfBar, below[i], x + kHalfBar,
                                                            below[i], x + kHalfBar, top,
                                                            x - kHalfBar, top});
            below[i] = top;
          }
        } else {
          CHECK(rows == shown_points(series));
          CHECK(rows_of(tables.at(table++)) == rows);
        }
      }
      for (const auto& [key, scale] : {std::pair("x", layout.x), {"y", layout.y}}) {
        CHECK(script.find(fmt::format("set {}range [{}:{}]\n", key, scale.least, scale.most)) !=
              std::string::npos);
        CHECK(picture.find(fmt::format("  {0}min={1}, {0}max={2},", key, scale.least,
                                       scale.most)) != std::string::npos);
      }
      // A legend in a corner or at a side is held there by its own.
      if (!layout.legend || layout.legend->below) continue;
      const double up = layout.legend->up;
      const double across = layout.legend->across;
      std::string anchor = up == 1.0 ? "north" : up == 0.0 ? "south" : "";
      if (across != 0.5)
        anchor += std::string(anchor.empty() ? "" : " ") + (across == 1.0 ? "east" : "west");
      CHECK(picture.find(fmt::format("at={{({},{})}}, anchor={}}}", across, up, anchor)) !=
            std::string::npos);
    }
    CHECK(block == blocks.size());
    CHECK(table == tables.size());
    CHECK(bar == bars.size());
    CHECK(between(script, " title '", "'").size() == named);
    CHECK(between(picture, "\\addlegendentry{", "}").size() == named);
    CHECK(between(script, "set label '//' at ", "\n").size() ==
          between(picture, ") {//", ";").size());
    CHECK((script.find("rotate by 30 right") != std::string::npos) ==
          (picture.find("rotate=30") != std::string::npos));
    CHECK((script.find("set label 'A title'") != std::string::npos) == (look.title != ""));
    CHECK((picture.find("title={A title}") != std::string::npos) == (look.title != ""));
  }
  for (const Mark mark :
       {Mark::line, Mark::line_and_points, Mark::points, Mark::dots, Mark::stack, Mark::level}) {
    CHECK(drawn.at(static_cast<std::size_t>(mark)) > 50);
  }
}

TEST_CASE("figures: texts stand beside their points, on the side where there is room") {
  Random random(62);
  int left = 0;
  int right = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    Panel panel{"", {"x"}, {"y"}};
    Series series{"", Mark::points, {}, {}};
    for (std::int64_t i = random.integer(2, 6); i > 0; --i) {
      series.x.push_back(random.integer(0, 6) == 0 ? kNone : random.uniform(-5.0, 5.0));
      series.y.push_back(random.uniform(-5.0, 5.0));
      series.texts.push_back("ε_" + std::to_string(i));
    }
    panel.series = {series};
    const Figure figure{"", {panel}};
    const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::pdf, {});
    const std::string picture = pate::pgfplots_picture(figure, {});
    const PanelLayout layout = pate::figures::layout_of(panel, {}, true);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const double x = series.x[i];
      const double y = series.y[i];
      const std::string label = "set label '" + series.texts[i] + "' at ";
      const std::string node = "{" + pate::tex_text(series.texts[i]) + "};\n";
      if (!std::isfinite(x)) {
        CHECK(script.find(label) == std::string::npos);
        CHECK(picture.find(node) == std::string::npos);
        continue;
      }
      const bool is_right = (x - layout.x.least) / (layout.x.most - layout.x.least) > 0.7;
      ++(is_right ? right : left);
      CHECK(script.find(fmt::format("{}{},{} {} offset", label, x, y,
                                    is_right ? "right" : "left")) != std::string::npos);
      CHECK(picture.find(fmt::format("\\node[anchor=south {}] at (axis cs:{},{}) {}",
                                     is_right ? "east" : "west", x, y, node)) != std::string::npos);
    }
  }
  CHECK(left > 100);
  CHECK(right > 100);
}

TEST_CASE("figures: cells are halfway to their neighbours, lighter the larger their value") {
  Random random(63);
  const auto lightness = [](const std::string& colour) {  // "red,1;green,2;blue,3"
    double sum = 0.0;
    for (const char* const part : {"red,", "green,"}) {
      sum += std::stod(colour.substr(colour.find(part) + std::string_view(part).size()));
    }
    return sum;
  };
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const Panel panel = random_cells(random);
    const Series& cells = panel.series.front();
    const Figure figure{"", {panel}};
    const std::string script = pate::gnuplot_script(figure, pate::ImageFormat::png, {});
    const std::string picture = pate::pgfplots_picture(figure, {});
    const Rows rows = rows_of(between(script, "$data0 << end_of_data\n", "end_of_data\n").at(0));
    const std::vector<std::string> fills = between(picture, "\\fill[fill={rgb,255:", "}]");
    const std::vector<std::string> places = between(picture, "}] (axis cs:", ");\n");
    REQUIRE(rows.size() == cells.x.size());
    REQUIRE(fills.size() == cells.x.size());
    REQUIRE(places.size() == cells.x.size());
    const double least = *std::ranges::min_element(cells.z);
    const double most = *std::ranges::max_element(cells.z);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      REQUIRE(rows[i].size() == 7);
      CHECK(rows[i][0] == cells.x[i]);
      CHECK(rows[i][1] == cells.y[i]);
      CHECK(rows[i][6] == cells.z[i]);
      // Cells of one row or column meet, and none lies on another.
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const bool apart = rows[k][2] >= rows[i][3] - 1e-9 || rows[k][3] <= rows[i][2] + 1e-9 ||
                           rows[k][4] >= rows[i][5] - 1e-9 || rows[k][5] <= rows[i][4] + 1e-9;
        CHECK(apart == (k != i));
        if (cells.z[k] > cells.z[i]) CHECK(lightness(fills[k]) >= lightness(fills[i]));
      }
      std::string place = places[i];
      const std::string middle = ") rectangle (axis cs:";
      REQUIRE(place.find(middle) != std::string::npos);
      place.replace(place.find(middle), middle.size(), ",");
      CHECK(numbers_in(place) == std::vector{rows[i][2], rows[i][4], rows[i][3], rows[i][5]});
      if (cells.z[i] == least) CHECK(fills[i] == "red,0;green,32;blue,77");
      if (cells.z[i] == most && most > least) CHECK(fills[i] == "red,255;green,234;blue,70");
    }
    CHECK(script.find("set palette defined (0 '#00204d'") != std::string::npos);
    CHECK(picture.find("rgb255=(0,32,77) ") != std::string::npos);
    // What is drawn on cells is red in both, and is told below.
    CHECK(picture.find("only marks, color={rgb,255:red,213;green,94;blue,0}") != std::string::npos);
    CHECK(script.find("lc rgb '#d55e00' title 'best'") != std::string::npos);
    CHECK(pate::figures::layout_of(panel, {}, true).legend->below);
  }
}

TEST_CASE("figures: a legend in the frame covers nothing that is drawn") {
  Random random(64);
  int inside = 0;
  int outside = 0;
  int slanted = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const Panel panel = random_panel(random);
    const pate::Look look = pate::look_of(static_cast<pate::FigureSize>(random.integer(0, 2)));
    const PanelLayout layout = pate::figures::layout_of(panel, look, random.integer(0, 1) == 0);
    const double em = look.text / 72.0;
    CHECK(layout.inner_width > 0.1 * look.width);
    CHECK(layout.left + layout.inner_width <= look.width);
    slanted += layout.slanted ? 1 : 0;
    // Names that are turned begin within the picture, as wide as letters are reckoned.
    if (layout.slanted) {
      const double middle =
          0.5 * layout.inner_width / static_cast<double>(panel.x.categories.size());
      CHECK(layout.left + middle >=
            0.87 * 0.58 * em * static_cast<double>(panel.x.categories.front().size()) - 1e-9);
    }
    if (!layout.legend || layout.legend->below) {
      outside += layout.legend ? 1 : 0;
      continue;
    }
    ++inside;
    std::size_t longest = 0;
    int lines = 0;
    for (const Series& series : panel.series) {
      longest = std::max(longest, series.name.size());
      lines += series.name.empty() ? 0 : 1;
    }
    const double left = layout.legend->left;
    const double top = layout.legend->top;
    const double right = left + 0.5 * em * static_cast<double>(longest) / layout.inner_width;
    const double low = top - 1.3 * em * lines / layout.inner_height;
    CHECK(left >= 0.0);
    CHECK(top <= 1.0);
    std::vector<double> below;
    for (const Series& series : panel.series) {
      if (series.mark == Mark::stack) below.resize(series.x.size(), 0.0);
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const double x = layout.x.share(series.x[i]);
        if (series.mark == Mark::level) {
          CHECK_FALSE((x > left && x < right));
          continue;
        }
        if (series.mark == Mark::stack) {
          below[i] += series.y[i];
          const double from = layout.x.share(series.x[i] - kHalfBar);
          const double to = layout.x.share(series.x[i] + kHalfBar);
          CHECK_FALSE((from < right && to > left && layout.y.share(below[i]) > low));
          continue;
        }
        const double y = layout.y.share(series.y[i]);
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        CHECK_FALSE((x > left && x < right && y > low && y < top));
        if (series.texts.empty()) continue;
        const double wide =
            0.5 * em * static_cast<double>(series.texts[i].size()) / layout.inner_width;
        const double from = x > 0.7 ? x - wide : x;
        CHECK_FALSE((from < right && from + wide > left && y > low && y < top));
      }
    }
  }
  CHECK(inside > 500);
  CHECK(outside > 50);
  CHECK(slanted > 50);
}

TEST_SUITE_END();
