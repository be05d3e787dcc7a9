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
#include "pate/reports/tex_text.hpp"

namespace pate {

namespace {

using figures::LegendPlace;
using figures::PanelLayout;
using figures::Scale;

constexpr std::array kTexDashes{"solid",
                                "dash pattern=on 5pt off 2pt",
                                "dash pattern=on 1.6pt off 1.6pt",
                                "dash pattern=on 5pt off 1.5pt on 1pt off 1.5pt",
                                "dash pattern=on 3pt off 1.2pt",
                                "dash pattern=on 0.8pt off 2pt"};
constexpr std::array kTexMarks{"*", "square*", "triangle*", "square", "o", "diamond"};

std::string tex_comment(std::string_view text) {
  return "% " + io::printable(text, text.size(), io::Letters::any) + '\n';
}

// "#rrggbb" as three numbers.
std::array<int, 3> parts_of(std::string_view colour) {
  const auto digit = [&](std::size_t at) {
    const char c = colour.at(at);
    return c <= '9' ? c - '0' : c - 'a' + 10;
  };
  return {16 * digit(1) + digit(2), 16 * digit(3) + digit(4), 16 * digit(5) + digit(6)};
}

std::string colour_text(std::array<int, 3> parts) {
  return fmt::format("{{rgb,255:red,{};green,{};blue,{}}}", parts[0], parts[1], parts[2]);
}

// A colour with white, as much as `share` says.
std::string tinted(const char* colour, double share) {
  std::array<int, 3> parts = parts_of(colour);
  for (int& part : parts) part = static_cast<int>(std::lround(255.0 + share * (part - 255.0)));
  return colour_text(parts);
}

// The colour of a cell that lies at this share of all values.
std::string cell_colour(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(kPalette.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(place), kPalette.size() - 2);
  const std::array<int, 3> low = parts_of(kPalette.at(before));
  const std::array<int, 3> high = parts_of(kPalette.at(before + 1));
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts.at(i) = static_cast<int>(
        std::lround(std::lerp(low.at(i), high.at(i), place - static_cast<double>(before))));
  }
  return colour_text(parts);
}

std::string axis_options(const char* name, const Axis& axis, const Scale& scale) {
  std::string ats;
  std::string texts;
  for (const Tic& tic : scale.tics) {
    fmt::format_to(std::back_inserter(ats), "{}{}", ats.empty() ? "" : ",", tic.at);
    texts += (texts.empty() ? "{" : ",{") + tex_text(tic.text) + "}";
  }
  return fmt::format(
      "  {0}min={1}, {0}max={2}, {0}mode={3}, {0}label={{{4}}},\n  {0}tick={{{5}}}, "
      "{0}ticklabels={{{6}}},\n",
      name, scale.least, scale.most, axis.logarithmic ? "log" : "normal", tex_text(axis.label), ats,
      texts);
}

std::string legend_options(const LegendPlace& place) {
  if (place.below) {
    return fmt::format(
        "  legend columns={}, legend style={{at={{({:.4f},{:.4f})}}, anchor=north west}},\n",
        place.columns, place.left, place.top);
  }
  const char* const up = place.up == 0.5 ? "" : (place.up < 0.5 ? "south" : "north");
  const char* const across = place.across == 0.5 ? "" : (place.across < 0.5 ? "west" : "east");
  std::string anchor = up;
  if (*up != '\0' && *across != '\0') anchor += ' ';
  anchor += across;
  return fmt::format("  legend style={{at={{({},{})}}, anchor={}}},\n", place.across, place.up,
                     anchor);
}

// A rectangle as a closed way.
void add_rectangle(std::string& text, const std::string& options, double left, double right,
                   double low, double high) {
  fmt::format_to(std::back_inserter(text),
                 "\\addplot[{}, area legend] coordinates {{({},{}) ({},{}) ({},{}) ({},{})}} -- "
                 "cycle;\n",
                 options, left, low, right, low, right, high, left, high);
}

void add_points(std::string& text, const std::string& options, const Series& series) {
  text += "\\addplot[" + options + "] table {\n";
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
    fmt::format_to(std::back_inserter(text), "{} {}\n", series.x[i], series.y[i]);
  }
  text += "};\n";
}

void add_cells(std::string& text, const Series& series) {
  const std::vector<double> all_x = distinct(series.x);
  const std::vector<double> all_y = distinct(series.y);
  const auto [least, most] = std::ranges::minmax(series.z);
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const auto [left, right] = cell_edges(all_x, series.x[i]);
    const auto [low, high] = cell_edges(all_y, series.y[i]);
    const double share = most > least ? (series.z[i] - least) / (most - least) : 0.0;
    fmt::format_to(std::back_inserter(text),
                   "\\fill[fill={}] (axis cs:{},{}) rectangle (axis cs:{},{});\n",
                   cell_colour(share), left, low, right, high);
  }
}

void add_series(std::string& text, const Series& series, std::size_t style, const Scale& y,
                std::vector<double>& below) {
  const std::string colour = colour_text(parts_of(line_colour(style)));
  const std::string line = fmt::format("color={}, line width=0.8pt, {}", colour,
                                       kTexDashes.at(style % kTexDashes.size()));
  const std::string mark =
      fmt::format("mark={}, mark options={{solid}}", kTexMarks.at(style % kTexMarks.size()));
  const char* const hidden = series.name.empty() ? ", forget plot" : "";
  switch (series.mark) {
    case Mark::line:
      add_points(text, line + hidden, series);
      break;
    case Mark::line_and_points:
      add_points(text, line + ", " + mark + ", mark size=1.1pt" + hidden, series);
      break;
    case Mark::points:
      add_points(text, "only marks, color=" + colour + ", " + mark + ", mark size=2pt" + hidden,
                 series);
      break;
    case Mark::dots:
      add_points(text, std::string("only marks, color=black!40, mark=*, mark size=0.4pt") + hidden,
                 series);
      break;
    case Mark::stack:
      below.resize(series.x.size(), 0.0);
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const double x = series.x[i];
        add_rectangle(text,
                      "fill=" + tinted(line_colour(style), fill_of(style)) + ", draw=black" +
                          (i == 0 ? hidden : ", forget plot"),
                      x - 0.35, x + 0.35, below[i], below[i] + series.y[i]);
        below[i] += series.y[i];
      }
      break;
    case Mark::cells:
      add_cells(text, series);
      return;
    case Mark::level:
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const Series one{series.name, Mark::line, {series.x[i], series.x[i]}, {y.least, y.most}};
        add_points(text,
                   std::string("color=black!60, line width=0.5pt, dash pattern=on 0.8pt off 2pt") +
                       (i == 0 ? hidden : ", forget plot"),
                   one);
      }
      break;
  }
  if (!series.name.empty()) text += "\\addlegendentry{" + tex_text(series.name) + "}\n";
}

void add_tex_texts(std::string& text, const Panel& panel, const PanelLayout& layout) {
  const auto out = std::back_inserter(text);
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < series.texts.size(); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      fmt::format_to(out, "\\node[anchor=south {}] at (axis cs:{},{}) {{{}}};\n",
                     layout.x.share(series.x[i]) > figures::kTextsLeft ? "east" : "west",
                     series.x[i], series.y[i], tex_text(series.texts[i]));
    }
  }
  for (const double x : panel.x.breaks) {
    fmt::format_to(out,
                   "\\draw[white, line width=2pt] (axis cs:{0},{1}) -- (axis cs:{0},{2});\n"
                   "\\node at (axis cs:{0},{1}) {{//}};\n",
                   x, layout.y.least, layout.y.most);
  }
  for (const double y : panel.y.breaks) {
    fmt::format_to(out,
                   "\\draw[white, line width=2pt] (axis cs:{1},{0}) -- (axis cs:{2},{0});\n"
                   "\\node at (axis cs:{1},{0}) {{//}};\n",
                   y, layout.x.least, layout.x.most);
  }
}

std::string colour_scale(const Panel& panel, const Scale& colour) {
  std::string text =
      fmt::format("  colorbar, point meta min={}, point meta max={}, grid=none, axis on top,\n",
                  colour.least, colour.most);
  text +=
      "  colorbar style={width=0.7em, \n  " + axis_options("y", {panel.colour}, colour) + "  },\n";
  text += "  colormap={values}{";
  for (const std::string_view stop : kPalette) {
    const std::array<int, 3> parts = parts_of(stop);
    text += fmt::format("rgb255=({},{},{}) ", parts[0], parts[1], parts[2]);
  }
  text.back() = '}';
  return text + ",\n";
}

void add_tex_panel(std::string& text, const Panel& panel, const PanelLayout& layout,
                   const Look& look, std::size_t number) {
  const auto out = std::back_inserter(text);
  const auto cells = std::ranges::find(panel.series, Mark::cells, &Series::mark);
  const bool has_cells = cells != panel.series.end();
  fmt::format_to(
      out,
      "{}\\begin{{axis}}[\n  name=panel{}, scale only axis, width={:.3f}in, height={:.3f}in,\n",
      tex_comment(panel.title), number, layout.inner_width, layout.inner_height);
  if (number > 0) {
    fmt::format_to(out, "  at={{(panel{}.below south west)}}, anchor=above north west,\n",
                   number - 1);
  } else if (!look.title.empty()) {
    text += "  title={" + tex_text(look.title) + "},\n";
  }
  text +=
      "  axis x line*=bottom, axis y line*=left, tick align=outside,\n"
      "  grid=major, grid style={black!20, line width=0.3pt}, scaled ticks=false,\n"
      "  legend cell align=left, legend style={draw=none, fill=none, inner sep=1pt},\n";
  text += axis_options("x", panel.x, layout.x);
  text += axis_options("y", panel.y, layout.y);
  if (layout.slanted) text += "  xticklabel style={rotate=30, anchor=north east},\n";
  if (layout.legend) text += legend_options(*layout.legend);
  if (has_cells) text += colour_scale(panel, layout.colour);
  text += "]\n";
  std::vector<double> below;
  std::size_t style = has_cells ? 1 : 0;
  for (const Series& series : panel.series) {
    add_series(text, series, style++, layout.y, below);
  }
  add_tex_texts(text, panel, layout);
  text += "\\end{axis}\n";
}

}  // namespace

std::string pgfplots_picture(const Figure& figure, const Look& look) {
  std::string text = tex_comment(figure.about);
  fmt::format_to(std::back_inserter(text),
                 "% In the preamble: \\usepackage{{pgfplots}} \\pgfplotsset{{compat=1.16}}\n"
                 "\\begin{{tikzpicture}}[font=\\fontsize{{{}}}{{{}}}\\selectfont]\n",
                 look.text, 1.2 * look.text);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    add_tex_panel(text, panel, figures::layout_of(panel, look, figure.panels.size() == 1), look, i);
  }
  return text + "\\end{tikzpicture}\n";
}

}  // namespace pate
