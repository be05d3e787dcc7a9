#include "pate/reports/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "pate/base/files.hpp"

namespace pate {

namespace {

constexpr double kPanelWidth = 4.2;  // inches
constexpr double kPanelHeight = 2.7;
constexpr double kSeriesHeight = 0.15;
constexpr double kCategoriesHeight = 1.1;
constexpr double kPointsOfInch = 100.0;  // what svg and png count in
// From dark to light, and apart in hue also for who sees few: line styles follow them.
constexpr std::array kColours{"#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
constexpr std::array kDashes{"1", "(14,5)", "(4,4)", "(14,4,3,4)", "(8,3)", "(2,5)"};
constexpr std::array kPoints{7, 5, 9, 4, 6, 8};
constexpr std::array kFills{1.0, 0.55, 0.25, 0.8, 0.4, 0.1};
// Dark is small: lightness grows with the value.
constexpr const char* kPalette =
    "set palette defined (0 '#00204d', 1 '#31446b', 2 '#666970', 3 '#958f78', 4 '#cbba69', "
    "5 '#ffea46')\n";

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

std::string terminal(ImageFormat format, const Figure& figure) {
  double height = 0.0;
  for (const Panel& panel : figure.panels) {
    height += kPanelHeight + kSeriesHeight * static_cast<double>(panel.series.size());
    if (!panel.x.categories.empty()) height += kCategoriesHeight;
  }
  switch (format) {
    case ImageFormat::svg:
      return fmt::format(
          "set terminal svg noenhanced size {:.0f},{:.0f} font 'Helvetica,Arial,sans-serif,12' "
          "background '#ffffff'\n",
          kPanelWidth * kPointsOfInch, height * kPointsOfInch);
    case ImageFormat::pdf:
      return fmt::format("set terminal pdfcairo noenhanced size {}in,{:.2f}in font 'Helvetica,9'\n",
                         kPanelWidth, height);
    case ImageFormat::png:
      break;
  }
  return fmt::format("set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'Helvetica,20'\n",
                     2 * kPanelWidth * kPointsOfInch, 2 * height * kPointsOfInch);
}

void add_axis(std::string& script, const char* name, const Axis& axis) {
  const auto end = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("*");
  };
  fmt::format_to(std::back_inserter(script), "set {}label {}\n", name, gnuplot_text(axis.label));
  fmt::format_to(std::back_inserter(script), "{} logscale {}\n", axis.logarithmic ? "set" : "unset",
                 name);
  fmt::format_to(std::back_inserter(script), "set {}range [{}:{}]\n", name, end(axis.least),
                 end(axis.most));
  if (axis.categories.empty()) {
    fmt::format_to(std::back_inserter(script),
                   "set {0}tics autofreq norotate\nset format {0} '{1}'\n", name, "%g");
    return;
  }
  fmt::format_to(std::back_inserter(script), "set {}tics rotate by 30 right (", name);
  for (std::size_t i = 0; i < axis.categories.size(); ++i) {
    fmt::format_to(std::back_inserter(script), "{}{} {}", i == 0 ? "" : ", ",
                   gnuplot_text(axis.categories[i]), i);
  }
  script += ")\n";
}

// The values halfway between `value` and those before and after it among `all`, which are sorted.
std::pair<double, double> edges(const std::vector<double>& all, double value) {
  const auto at = std::ranges::lower_bound(all, value);
  const bool first = at == all.begin();
  const bool last = at + 1 == all.end();
  const double before = first ? (last ? 1.0 : *(at + 1) - value) : value - *(at - 1);
  const double after = last ? before : *(at + 1) - value;
  return {value - before / 2.0, value + after / 2.0};
}

std::vector<double> distinct(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
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
      const auto [left, right] = edges(all_x, series.x[i]);
      const auto [low, high] = edges(all_y, y);
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
  const char* const colour = kColours[style % kColours.size()];
  const std::string line =
      fmt::format("lw 1.6 lc rgb '{}' dt {}", colour, kDashes[style % kDashes.size()]);
  const int point = kPoints[style % kPoints.size()];
  switch (series.mark) {
    case Mark::line:
      return fmt::format("{} using 1:2 with lines {} {}", data, line, title);
    case Mark::line_and_points:
      return fmt::format("{} using 1:2 with linespoints {} pt {} ps 0.5 {}", data, line, point,
                         title);
    case Mark::steps:
      return fmt::format("{} using 1:2 with histeps {} {}", data, line, title);
    case Mark::points:
      return fmt::format("{} using 1:2 with points pt {} ps 0.9 lc rgb '{}' {}", data, point,
                         colour, title);
    case Mark::dots:
      return fmt::format("{} using 1:2 with points pt 7 ps 0.2 lc rgb '#999999' {}", data, title);
    case Mark::boxes:
      return fmt::format("{} using 1:2 with boxes fs solid 0.4 border rgb '{}' lc rgb '{}' {}",
                         data, colour, colour, title);
    case Mark::stack:
      return fmt::format(
          "{} using 1:3:($1-0.35):($1+0.35):3:4 with boxxyerror fs solid {} border rgb '#000000' "
          "lc rgb '{}' {}",
          data, kFills[style % kFills.size()], colour, title);
    case Mark::cells:
      return fmt::format("{} using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc palette {}",
                         data, title);
    case Mark::level:
      break;
  }
  return fmt::format("{} using 1:2 axes x1y2 with lines lw 1 lc rgb '#666666' dt (2,4) {}", data,
                     title);
}

void add_panel(std::string& script, const Panel& panel, std::size_t& number) {
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
  fmt::format_to(std::back_inserter(script), "set title {}\n", gnuplot_text(panel.title));
  add_axis(script, "x", panel.x);
  add_axis(script, "y", panel.y);
  script += has_levels ? "set y2range [0:1]\n" : "";
  if (has_cells) {
    fmt::format_to(std::back_inserter(script),
                   "{}set colorbox\nset cblabel {}\nset grid noxtics noytics\nset autoscale "
                   "xfix\nset autoscale yfix\nset rmargin at screen 0.74\n",
                   kPalette, gnuplot_text(panel.colour));
  }
  script += "plot ";
  for (std::size_t i = 0; i < plots.size(); ++i) script += (i == 0 ? "" : ", \\\n     ") + plots[i];
  script += '\n';
}

}  // namespace

std::optional<ImageFormat> image_format(const std::string& path) {
  if (path.ends_with(".svg")) return ImageFormat::svg;
  if (path.ends_with(".pdf")) return ImageFormat::pdf;
  if (path.ends_with(".png")) return ImageFormat::png;
  return std::nullopt;
}

std::string gnuplot_script(const Figure& figure, ImageFormat format) {
  std::string script = "# ";
  script += io::printable(figure.about, figure.about.size(), io::Letters::any);
  script += '\n' + terminal(format, figure);
  script +=
      "set border 3\nset tics nomirror out\nset grid lc rgb '#cccccc' lw 0.5 dt 1\n"
      "set key below height 1 maxcols 2 samplen 3 noenhanced\nset style data lines\n"
      "unset colorbox\n";
  if (figure.panels.size() > 1) {
    fmt::format_to(std::back_inserter(script), "set multiplot layout {},1\n", figure.panels.size());
  }
  std::size_t number = 0;
  for (const Panel& panel : figure.panels) add_panel(script, panel, number);
  if (figure.panels.size() > 1) script += "unset multiplot\n";
  return script;
}

}  // namespace pate
