#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "pate/base/files.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/figures/figure_layout.hpp"

namespace pate {

namespace {

using figures::LegendPlace;
using figures::PanelLayout;
using figures::Scale;

constexpr double kSvgDots = 96.0;  // of an inch
constexpr double kPngDots = 300.0;
// In ems, the size of the text.
constexpr double kTitleLines = 1.8;
constexpr double kLabelBelow = 3.4;     // below the frame, the middle of the label
constexpr double kLabelFromEdge = 0.9;  // of the picture
constexpr std::array kDashes{"1", "(14,5)", "(4,4)", "(14,4,3,4)", "(8,3)", "(2,5)"};
constexpr std::array kPoints{7, 5, 9, 4, 6, 8};

// In single quotes nothing is special but the quote, which is doubled, and not at their beginning:
// there gnuplot takes it for the end. What cannot be seen is shown as elsewhere.
std::string gnuplot_text(std::string_view text) {
  const std::size_t quotes = std::min(text.find_first_not_of('\''), text.size());
  std::string result = quotes == 0 ? "'" : '"' + std::string(quotes, '\'') + "\".'";
  for (const char c : io::printable(text.substr(quotes), text.size(), io::Letters::any)) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

std::string terminal(ImageFormat format, const Look& look, double height) {
  const char* const font = "Helvetica,Arial,sans-serif";
  if (format == ImageFormat::svg) {
    return fmt::format(
        "set terminal svg noenhanced size {:.0f},{:.0f} font '{},{:.4g}' background '#ffffff'\n",
        look.width * kSvgDots, height * kSvgDots, font, look.text * kSvgDots / 72.0);
  }
  if (format == ImageFormat::pdf) {
    return fmt::format(
        "set terminal pdfcairo noenhanced size {}in,{:.2f}in fontscale {:.4g} font "
        "'Helvetica,{}'\n",
        look.width, height, 72.0 / kSvgDots, look.text);
  }
  return fmt::format(
      "set terminal pngcairo noenhanced size {:.0f},{:.0f} fontscale {:.4g} linewidth {:.4g} "
      "pointscale {:.4g} font 'Helvetica,{}'\n",
      look.width * kPngDots, height * kPngDots, kPngDots / kSvgDots, kPngDots / kSvgDots,
      kPngDots / kSvgDots, look.text);
}

void add_axis(std::string& script, const char* name, const Axis& axis, const Scale& scale,
              bool slanted) {
  const auto out = std::back_inserter(script);
  fmt::format_to(out, "{} logscale {}\n", axis.logarithmic ? "set" : "unset", name);
  fmt::format_to(out, "set {}range [{}:{}]\n", name, scale.least, scale.most);
  fmt::format_to(out, "set {}tics {} (", name, slanted ? "rotate by 30 right" : "norotate");
  for (std::size_t i = 0; i < scale.tics.size(); ++i) {
    fmt::format_to(out, "{}{} {}", i == 0 ? "" : ", ", gnuplot_text(scale.tics[i].text),
                   scale.tics[i].at);
  }
  script += ")\n";
}

// The points of a series as a data block; a stack has those below it added.
void add_data(std::string& script, std::size_t number, const Series& series,
              const std::vector<double>& below) {
  fmt::format_to(std::back_inserter(script), "$data{} << end_of_data\n", number);
  const bool cells = series.mark == Mark::cells;
  const std::vector<double> all_x = cells ? distinct(series.x) : std::vector<double>{};
  const std::vector<double> all_y = cells ? distinct(series.y) : std::vector<double>{};
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.mark == Mark::level) {
      if (std::isfinite(series.x[i])) {
        fmt::format_to(std::back_inserter(script), "{0} 0\n{0} 1\n\n", series.x[i]);
      }
      continue;
    }
    const double y = series.y[i];
    if (!std::isfinite(series.x[i]) || !std::isfinite(y)) continue;
    fmt::format_to(std::back_inserter(script), "{} {}", series.x[i], y);
    if (cells) {
      const auto [left, right] = cell_edges(all_x, series.x[i]);
      const auto [low, high] = cell_edges(all_y, y);
      fmt::format_to(std::back_inserter(script), " {} {} {} {} {}", left, right, low, high,
                     series.z[i]);
    }
    if (series.mark == Mark::stack) {
      fmt::format_to(std::back_inserter(script), " {} {}", below[i], below[i] + y);
    }
    script += '\n';
  }
  script += "end_of_data\n";
}

std::string drawn(std::size_t number, std::size_t style, const Series& series) {
  const std::string data = fmt::format("$data{}", number);
  const std::string title =
      series.name.empty() ? "notitle" : fmt::format("title {}", gnuplot_text(series.name));
  const char* const colour = line_colour(style);
  const std::string line =
      fmt::format("lw 1.6 lc rgb '{}' dt {}", colour, kDashes.at(style % kDashes.size()));
  const int point = kPoints.at(style % kPoints.size());
  switch (series.mark) {
    case Mark::line:
      return fmt::format("{} using 1:2 with lines {} {}", data, line, title);
    case Mark::line_and_points:
      return fmt::format("{} using 1:2 with linespoints {} pt {} ps 0.5 {}", data, line, point,
                         title);
    case Mark::points:
      return fmt::format("{} using 1:2 with points pt {} ps 0.9 lc rgb '{}' {}", data, point,
                         colour, title);
    case Mark::dots:
      return fmt::format("{} using 1:2 with points pt 7 ps 0.2 lc rgb '#999999' {}", data, title);
    case Mark::stack:
      return fmt::format(
          "{} using 1:3:($1-0.35):($1+0.35):3:4 with boxxyerror fs solid {} border rgb '#000000' "
          "lc rgb '{}' {}",
          data, fill_of(style), colour, title);
    case Mark::cells:
      return fmt::format("{} using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc palette {}",
                         data, title);
    case Mark::level:
      break;
  }
  return fmt::format("{} using 1:2 axes x1y2 with lines lw 1 lc rgb '#666666' dt (2,4) {}", data,
                     title);
}

void add_legend(std::string& script, const LegendPlace& place) {
  fmt::format_to(std::back_inserter(script),
                 "set key at graph {:.4f},{:.4f} left top Left reverse maxcols {}\n", place.left,
                 place.top, place.columns);
}

// A text whose middle is at a place in the picture, in inches from its lower left corner.
void add_label(std::string& script, const std::string& text, const char* how, double x, double y,
               double width, double height) {
  if (text.empty()) return;
  fmt::format_to(std::back_inserter(script), "set label {} at screen {:.4f},{:.4f} center{}\n",
                 gnuplot_text(text), x / width, y / height, how);
}

// Where the frame is in the picture, and the names of its axes: terminals of gnuplot differ in
// where they put these. `low` is the height of the lower edge of the frame above that of the
// picture.
void add_frame(std::string& script, const Panel& panel, const PanelLayout& layout, const Look& look,
               double low, double height) {
  const auto out = std::back_inserter(script);
  const double em = look.text / 72.0;
  const double right = layout.left + layout.inner_width;
  const double high = low + layout.inner_height;
  fmt::format_to(out,
                 "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n"
                 "set bmargin at screen {:.4f}\nset tmargin at screen {:.4f}\n",
                 layout.left / look.width, right / look.width, low / height, high / height);
  const double middle = 0.5 * (low + high);
  add_label(script, panel.x.label, "", 0.5 * (layout.left + right), low - kLabelBelow * em,
            look.width, height);
  add_label(script, panel.y.label, " rotate by 90", kLabelFromEdge * em, middle, look.width,
            height);
  add_label(script, panel.colour, " rotate by 90", look.width - kLabelFromEdge * em, middle,
            look.width, height);
  if (!panel.colour.empty()) {
    fmt::format_to(out, "set colorbox user origin screen {:.4f},{:.4f} size screen {:.4f},{:.4f}\n",
                   (right + em) / look.width, low / height, em / look.width,
                   layout.inner_height / height);
  }
}

// Texts beside points, on the side where there is more room; and where an axis leaves something
// out, a gap through the panel.
void add_texts(std::string& script, const Panel& panel, const PanelLayout& layout) {
  const auto out = std::back_inserter(script);
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < series.texts.size(); ++i) {
      const double x = series.x[i];
      const double y = series.y[i];
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      const bool right = layout.x.share(x) > figures::kTextsLeft;
      fmt::format_to(out, "set label {} at {},{} {} offset character {},0.7 front\n",
                     gnuplot_text(series.texts[i]), x, y, right ? "right" : "left",
                     right ? -0.5 : 0.5);
    }
  }
  for (const double x : panel.x.breaks) {
    fmt::format_to(out,
                   "set arrow from {0},graph 0 to {0},graph 1 nohead front lw 3 lc rgb '#ffffff'\n"
                   "set label '//' at {0},graph 0 center front\n",
                   x);
  }
  for (const double y : panel.y.breaks) {
    fmt::format_to(out,
                   "set arrow from graph 0,first {0} to graph 1,first {0} nohead front lw 3 lc rgb "
                   "'#ffffff'\nset label '//' at graph 0,first {0} center front\n",
                   y);
  }
}

std::string palette() {
  std::string result = "set palette defined (";
  for (std::size_t i = 0; i < kPalette.size(); ++i) {
    result += fmt::format("{}{} '{}'", i == 0 ? "" : ", ", i, kPalette.at(i));
  }
  return result + ")\n";
}

// `frame` are lines that say where the frame is.
void add_panel(std::string& script, const Panel& panel, const PanelLayout& layout,
               std::string_view frame, std::size_t& number) {
  std::vector<double> below;
  std::vector<std::string> plots;
  bool has_levels = false;
  bool has_cells = false;
  for (const Series& series : panel.series) {
    if (series.mark == Mark::stack) below.resize(series.x.size(), 0.0);
    add_data(script, number, series, below);
    if (series.mark == Mark::stack) {
      for (std::size_t i = 0; i < below.size(); ++i) below[i] += series.y[i];
    }
    has_levels = has_levels || series.mark == Mark::level;
    has_cells = has_cells || series.mark == Mark::cells;
    // On cells points are red, which stands out from all their colours.
    plots.push_back(drawn(number, plots.size() + (has_cells ? 1 : 0), series));
    ++number;
  }
  script += frame;
  add_axis(script, "x", panel.x, layout.x, layout.slanted);
  add_axis(script, "y", panel.y, layout.y, false);
  if (layout.legend) add_legend(script, *layout.legend);
  add_texts(script, panel, layout);
  script += has_levels ? "set y2range [0:1]\n" : "";
  if (has_cells) {
    fmt::format_to(std::back_inserter(script), "{}set grid noxtics noytics\n", palette());
    add_axis(script, "cb", {panel.colour}, layout.colour, false);
  }
  script += "plot ";
  for (std::size_t i = 0; i < plots.size(); ++i) script += (i == 0 ? "" : ", \\\n     ") + plots[i];
  script += '\n';
}

std::string comment(std::string_view text) {
  return "# " + io::printable(text, text.size(), io::Letters::any) + '\n';
}

}  // namespace

std::string gnuplot_script(const Figure& figure, ImageFormat format, const Look& look) {
  std::string script = comment(figure.about);
  std::vector<PanelLayout> layouts;
  double above = look.title.empty() ? 0.0 : kTitleLines * look.text / 72.0;
  double height = above;
  for (const Panel& panel : figure.panels) {
    script += comment(panel.title);
    layouts.push_back(figures::layout_of(panel, look, figure.panels.size() == 1));
    height += layouts.back().height;
  }
  script += terminal(format, look, height);
  script +=
      "set border 3\nset tics nomirror out\nset grid lc rgb '#cccccc' lw 0.5 dt 1\n"
      "set key samplen 2 spacing 0.9 noenhanced\nset style data lines\nunset colorbox\n";
  const bool several = figure.panels.size() > 1;
  if (several) script += "set multiplot\n";
  std::size_t number = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    above += layouts[i].height;
    std::string frame = "unset label\nunset arrow\n";
    if (i == 0) {
      add_label(frame, look.title, "", 0.5 * look.width,
                height - 0.5 * kTitleLines * look.text / 72.0, look.width, height);
    }
    add_frame(frame, figure.panels[i], layouts[i], look, height - above + layouts[i].below, height);
    add_panel(script, figure.panels[i], layouts[i], frame, number);
  }
  if (several) script += "unset multiplot\n";
  return script;
}

}  // namespace pate
