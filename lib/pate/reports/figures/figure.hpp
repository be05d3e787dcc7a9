#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pate {

/// How the points of a series are drawn.
enum class Mark {
  line,
  line_and_points,
  steps,
  points,
  dots,   ///< very many points, faint
  boxes,  ///< one bar at each x, as wide as x is apart
  stack,  ///< bars by category, on top of those of the series before
  cells,  ///< a rectangle at each (x, y), its colour is z
  level,  ///< a vertical line through the panel at each x
};

/// What is drawn in one colour and has a line in the key; "" has none.
struct Series {
  std::string name;
  Mark mark = Mark::line;
  std::vector<double> x, y;  ///< as many; infinities are left out
  std::vector<double> z = {};
};

/// An axis with its label, units included.
struct Axis {
  std::string label;
  bool logarithmic = false;
  std::optional<double> least = std::nullopt, most = std::nullopt;
  std::vector<std::string> categories = {};  ///< names at 0, 1, ...
};

/// Axes and what is drawn between them.
struct Panel {
  std::string title;
  Axis x, y;
  std::string colour = {};  ///< what colours of cells mean
  std::vector<Series> series = {};
};

/// Panels above each other, and what the picture says of itself in a comment.
struct Figure {
  std::string about;
  std::vector<Panel> panels;
};

/// What a picture is made as.
enum class ImageFormat { svg, pdf, png };

/// The format that the ending of a file name says; none for another.
[[nodiscard]] std::optional<ImageFormat> image_format(const std::string& path);

/// A script for gnuplot 5.2 or later that holds its data and writes the picture to standard output:
/// a column of a paper wide, readable without colours. Numbers read back to the same double. Texts
/// may hold anything: they are quoted, and markup in them is shown as it is.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, ImageFormat format);

}  // namespace pate
