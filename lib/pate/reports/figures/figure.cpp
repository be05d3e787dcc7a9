#include "pate/reports/figures/figure.hpp"

#include <algorithm>
#include <cstddef>

namespace pate {

namespace {

constexpr double kPaperText = 8.0;  // points
constexpr std::array kColours{"#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
constexpr std::array kFills{1.0, 0.55, 0.25, 0.8, 0.4, 0.1};

double inches(FigureSize size) {
  switch (size) {
    case FigureSize::half:
      return 2.7;
    case FigureSize::page:
      return 5.5;
    case FigureSize::column:
      break;
  }
  return 3.3;
}

}  // namespace

std::optional<ImageFormat> image_format(const std::string& path) {
  if (path.ends_with(".svg")) return ImageFormat::svg;
  if (path.ends_with(".pdf")) return ImageFormat::pdf;
  if (path.ends_with(".png")) return ImageFormat::png;
  if (path.ends_with(".tex")) return ImageFormat::tex;
  return std::nullopt;
}

Look look_of(FigureSize size, std::string title) {
  return {inches(size), kPaperText, std::move(title)};
}

const char* line_colour(std::size_t style) {
  return kColours.at(style % kColours.size());
}

double fill_of(std::size_t style) {
  return kFills.at(style % kFills.size());
}

std::pair<double, double> cell_edges(const std::vector<double>& all, double value) {
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

}  // namespace pate
