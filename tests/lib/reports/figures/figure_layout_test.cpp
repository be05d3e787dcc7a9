#include "pate/reports/figures/figure_layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "pate/reports/figures/figure_parts.hpp"
#include "pate/reports/figures/grid_axis.hpp"
#include "pate/reports/tex_text.hpp"
#include "support/random.hpp"

TEST_SUITE_BEGIN("figures");

using pate::figures::number_text;
using pate::figures::Scale;

TEST_CASE("figures: numbers for people") {
  CHECK(number_text(0.0) == "0");
  CHECK(number_text(1e-5) == "10⁻⁵");
  CHECK(number_text(2.5e-7) == "2.5·10⁻⁷");
  CHECK(number_text(0.001) == "0.001");
  CHECK(number_text(0.1 + 0.2) == "0.3");
  CHECK(number_text(10000.0) == "10000");
  CHECK(number_text(3e12) == "3·10¹²");
  CHECK(number_text(-15.0) == "-15");
}

TEST_CASE("figures: as high as suits their width, with room for what stands beside the axis") {
  pate::Panel panel;
  panel.y.least = 0.0;
  panel.y.most = 4.0;
  panel.x.least = 0.0;
  panel.x.most = 1.0;
  panel.series.push_back({"", pate::Mark::points, {0.0, 1.0}, {0.0, 4.0}});
  for (const auto& [width, alone, together] :
       {std::tuple(2.5, 0.75, 0.62), {3.5, 0.64, 0.52}, {5.0, 0.64, 0.52}, {6.5, 0.5, 0.4}}) {
    const pate::Look look{width, 8.0};
    CHECK(pate::figures::layout_of(panel, look, true).height == doctest::Approx(width * alone));
    CHECK(pate::figures::layout_of(panel, look, false).height == doctest::Approx(width * together));
  }
  // In ems: half of one a letter at least, and the label upright beside them.
  const pate::Look look{3.5, 8.0};
  const double em = 8.0 / 72.0;
  const auto left = [&](double most, const char* label) {
    panel.y.label = label;
    panel.y.most = most;
    panel.series[0].y = {0.0, most};
    return pate::figures::layout_of(panel, look, true).left / em;
  };
  CHECK(left(4.0, "") > 1.4 + 0.5);
  CHECK(left(40000.0, "") > left(4.0, "") + 1.5);
  CHECK(left(4.0, "epsilon") == doctest::Approx(left(4.0, "") + 1.8));
}

TEST_CASE("figures: a scale has all values between its ends, and a few tics at round numbers") {
  pate_test::Random random(44);
  for (int i = 0; i < 3000; ++i) {
    CAPTURE(i);
    const bool logarithmic = i % 2 == 0;
    pate::Axis axis{"", logarithmic};
    std::vector<double> values;
    const double size = std::exp(random.uniform(-40.0, 40.0));
    const double spread = std::exp(random.uniform(-6.0, 10.0));
    for (int n = 0; n < 5; ++n) {
      values.push_back(logarithmic ? size * std::exp(random.uniform(0.0, spread / 500.0))
                                   : size * random.uniform(-1.0, spread));
    }
    if (i % 7 == 0) values.resize(1);
    values.push_back(std::numeric_limits<double>::infinity());
    const std::size_t most = 3 + static_cast<std::size_t>(i) % 8;
    const Scale scale = pate::figures::scale_of(axis, values, most);
    values.pop_back();
    CHECK(scale.least < scale.most);
    for (const double value : values) {
      CHECK(scale.share(value) >= -1e-9);
      CHECK(scale.share(value) <= 1.0 + 1e-9);
    }
    CHECK(scale.tics.size() >= 2);
    CHECK(scale.tics.size() <= std::max<std::size_t>(most + 6, 9));
    for (const pate::Tic& tic : scale.tics) {
      CHECK(scale.share(tic.at) >= -1e-9);
      CHECK(scale.share(tic.at) <= 1.0 + 1e-9);
      CHECK(tic.text == number_text(tic.at));
    }
  }
}

TEST_CASE("figures: a legend in the frame covers no point of a line") {
  pate_test::Random random(45);
  int inside = 0;
  for (int i = 0; i < 500; ++i) {
    CAPTURE(i);
    pate::Panel panel{"", {"x"}, {"y", i % 3 == 0}};
    const int lines = 1 + i % 4;
    for (int line = 0; line < lines; ++line) {
      pate::Series series{
          std::string(static_cast<std::size_t>(3 + i % 20), 'n'), pate::Mark::line, {}, {}};
      double y = random.uniform(0.1, 5.0);
      for (int x = 0; x < 30; ++x) {
        series.x.push_back(x);
        series.y.push_back(y);
        y *= std::exp(random.uniform(-0.3, 0.35));
      }
      panel.series.push_back(series);
    }
    const pate::FigureSize size = i % 2 == 0 ? pate::FigureSize::half : pate::FigureSize::page;
    const pate::Look look = pate::look_of(size);
    const pate::figures::PanelLayout layout = pate::figures::layout_of(panel, look, true);
    CHECK(layout.inner_width > 0.5 * look.width);
    CHECK(layout.inner_height > 0.3 * layout.height);
    REQUIRE(layout.legend);
    if (layout.legend->below) continue;
    ++inside;
    const double em = look.text / 72.0;
    const double wide =
        0.5 * em * static_cast<double>(panel.series[0].name.size()) / layout.inner_width;
    const double high = 1.3 * em * lines / layout.inner_height;
    for (const pate::Series& series : panel.series) {
      for (std::size_t n = 0; n < series.x.size(); ++n) {
        const double x = layout.x.share(series.x[n]) - layout.legend->left;
        const double below = layout.legend->top - layout.y.share(series.y[n]);
        CHECK_FALSE((x > 0.0 && x < wide && below > 0.0 && below < high));
      }
    }
  }
  CHECK(inside > 300);
}

TEST_CASE("figures: evenly spaced values stand where they are, others a step apart") {
  const pate::figures::GridAxis even({30, 10, 20, 10});
  CHECK(even.place(15) == 15);
  CHECK(even.axis("x").breaks.empty());
  CHECK(even.axis("x").tics.size() == 3);
  CHECK(even.axis("x").least == 5.0);
  const pate::figures::GridAxis uneven({40, 45, 50, 120});
  CHECK(uneven.place(40) == 0.0);
  CHECK(uneven.place(120) == 3.0);
  CHECK(uneven.place(85) == 2.5);
  const pate::Axis axis = uneven.axis("x");
  CHECK(axis.tics.at(3).text == "120");
  CHECK(axis.breaks == std::vector{2.5});
  CHECK(pate::figures::GridAxis({10, 20, 40, 80}).axis("x").breaks.empty());
  CHECK(pate::figures::GridAxis({7}).place(7) == 7);
}

TEST_CASE("texts mean nothing to TeX but what they show") {
  CHECK(pate::tex_text("a_b 100 % of $x #1 {}&") == "a\\_b 100 \\% of \\$x \\#1 \\{\\}\\&");
  CHECK(pate::tex_text("\\input{x}") == "\\textbackslash{}input\\{x\\}");
  CHECK(pate::tex_text("ε at δ = 2·10⁻⁵") == "$\\varepsilon $ at $\\delta $ = 2$\\cdot $10$^{-5}$");
  CHECK(pate::tex_text("Müller\n") == "Müller ");
}

TEST_SUITE_END();
