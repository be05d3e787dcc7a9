#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/accounting/names.hpp"

namespace pate {

/// How the points of a series are drawn.
enum class Mark {
  line,
  line_and_points,
  points,
  dots,   ///< very many points, faint
  stack,  ///< bars by category, on top of those of the series before
  cells,  ///< a rectangle at each (x, y), its colour is z
  level,  ///< a vertical line through the panel at each x
};

/// What is drawn in one colour and has a line in the legend; "" has none.
struct Series {
  std::string name;
  Mark mark = Mark::line;
  std::vector<double> x, y;  ///< as many; infinities are left out
  std::vector<double> z = {};
  std::vector<std::string> texts = {};  ///< beside the points; none, or as many
};

/// A place on an axis and what stands there.
struct Tic {
  double at = 0.0;
  std::string text;
};

/// An axis with its label, units included.
struct Axis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> least = std::nullopt, most = std::nullopt;
  std::vector<std::string> categories = {};  ///< names at 0, 1, ...
  std::vector<Tic> tics = {};                ///< none: round numbers
  std::vector<double> breaks = {};           ///< where the axis leaves something out
};

/// Axes and what is drawn between them.
struct Panel {
  std::string title;  ///< for a comment and a caption; it is not drawn
  Axis x, y;
  std::string colour = {};  ///< what colours of cells mean
  std::vector<Series> series = {};
};

/// Panels above each other, and what the picture says of itself in a comment.
struct Figure {
  std::string about;
  std::vector<Panel> panels;
};

/// What a picture is made as; `tex` is a drawing by the LaTeX package pgfplots.
enum class ImageFormat { svg, pdf, png, tex };

/// The format that the ending of a file name says; none for another.
[[nodiscard]] std::optional<ImageFormat> image_format(const std::string& path);

/// How wide a picture is on paper.
enum class FigureSize {
  column,  ///< 3.3 in, a column of a page with two
  half,    ///< 2.7 in, two beside each other on a page with one column
  page,    ///< 5.5 in, the width of the text of a page with one column
};
template <>
inline constexpr std::array<Named<FigureSize>, 3> kNames<FigureSize>{{
    {FigureSize::column, "column"},
    {FigureSize::half, "half"},
    {FigureSize::page, "page"},
}};

/// What a picture looks like, whatever it shows.
struct Look {
  double width = 4.4;      ///< inches
  double text = 9.0;       ///< size of all text, in points of 1/72 inch
  std::string title = {};  ///< above everything; "" has none
};

/// The look for a paper: text of 8 points at the width at which the picture is printed.
[[nodiscard]] Look look_of(FigureSize size, std::string title = {});

/// The colours of lines, "#rrggbb", from dark to light, and apart in hue also for who sees few.
[[nodiscard]] const char* line_colour(std::size_t style);

/// How much of its colour a bar of this style has, the rest is white.
[[nodiscard]] double fill_of(std::size_t style);

/// The colours of cells from the least value to the largest, "#rrggbb", evenly apart: lightness
/// grows with the value.
inline constexpr std::array<std::string_view, 6> kPalette{"#00204d", "#31446b", "#666970",
                                                          "#958f78", "#cbba69", "#ffea46"};

/// The edges of a cell around `value`: halfway to those before and after it among `all`, which are
/// sorted and distinct and have it.
[[nodiscard]] std::pair<double, double> cell_edges(const std::vector<double>& all, double value);

/// Each of the values once, in order.
[[nodiscard]] std::vector<double> distinct(std::vector<double> values);

/// A script for gnuplot 5.2 or later that holds its data and writes the picture to standard output,
/// readable without colours. Numbers read back to the same double. Texts may hold anything: they
/// are quoted, and markup in them is shown as it is. `format` is not `tex`.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, ImageFormat format,
                                         const Look& look);

/// The same picture for LaTeX, to be read by \\input: an environment tikzpicture of the package
/// pgfplots, version 1.16 or later, that holds its data. Texts may hold anything, as there.
[[nodiscard]] std::string pgfplots_picture(const Figure& figure, const Look& look);

}  // namespace pate
