#include "pate/reports/figures/figure_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

// In ems, the size of the text.
constexpr double kLetter = 0.58;  // as wide as letters are on average
constexpr double kLine = 1.4;     // from line to line of a legend
constexpr double kBelow = 4.2;    // for tics and label of a horizontal axis
constexpr double kAbove = 0.8;
constexpr double kSample = 3.6;  // beside a name in the legend
constexpr double kColourScale = 8.0;
constexpr double kPadding = 0.03;      // of the frame, around a legend
constexpr double kMostOfAxis = 0.45;   // that a legend may take of the vertical axis
constexpr double kMostOfFrame = 0.55;  // higher legends are below
constexpr double kBar = 0.35;          // half of the width of a bar

double letters(std::string_view text) {
  return static_cast<double>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

bool has_cells(const Panel& panel) {
  return std::ranges::any_of(panel.series,
                             [](const Series& series) { return series.mark == Mark::cells; });
}

// All values at which something is, of x or of y.
std::vector<double> values_of(const Panel& panel, bool of_x) {
  std::vector<double> values;
  std::vector<double> below;
  for (const Series& series : panel.series) {
    if (series.mark == Mark::level && !of_x) continue;
    const std::vector<double>& its = of_x ? series.x : series.y;
    if (series.mark == Mark::cells) {
      const std::vector<double> all = distinct(its);
      values.push_back(cell_edges(all, all.front()).first);
      values.push_back(cell_edges(all, all.back()).second);
    } else if (series.mark == Mark::stack && !of_x) {
      below.resize(its.size(), 0.0);
      for (std::size_t i = 0; i < its.size(); ++i) values.push_back(below[i] += its[i]);
      values.push_back(0.0);
    } else {
      values.insert(values.end(), its.begin(), its.end());
    }
  }
  return values;
}

using Points = std::vector<std::pair<double, double>>;

// Points between two, close to each other.
void add_way(Points& ink, std::pair<double, double> from, std::pair<double, double> to) {
  constexpr double kSteps = 60.0;  // across the frame
  const double length =
      std::max(std::abs(to.first - from.first), std::abs(to.second - from.second));
  const auto steps = static_cast<int>(std::ceil(std::clamp(length * kSteps, 1.0, kSteps)));
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    ink.emplace_back(std::lerp(from.first, to.first, share),
                     std::lerp(from.second, to.second, share));
  }
}

// What of a series is drawn where, in shares of the frame.
void add_ink(Points& ink, const Series& series, const PanelLayout& layout,
             std::vector<double>& below) {
  std::pair<double, double> last;
  bool has_last = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const double x = layout.x.share(series.x[i]);
    if (series.mark == Mark::level) {
      add_way(ink, {x, 0.0}, {x, 1.0});
      continue;
    }
    if (series.mark == Mark::stack) {
      below.resize(series.x.size(), 0.0);
      const double top = layout.y.share(below[i] += series.y[i]);
      for (int quarter = -4; quarter <= 4; ++quarter) {
        const double at = layout.x.share(series.x[i] + kBar * quarter / 4.0);
        add_way(ink, {at, 0.0}, {at, top});
      }
      continue;
    }
    const double y = layout.y.share(series.y[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const bool line = series.mark == Mark::line || series.mark == Mark::line_and_points;
    add_way(ink, line && has_last ? last : std::pair{x, y}, {x, y});
    last = {x, y};
    has_last = true;
    if (i < series.texts.size()) {
      const double wide = kLetter * letters(series.texts[i]) / layout.inner_width;
      add_way(ink, {x, y}, {x > kTextsLeft ? x - wide : x + wide, y});
    }
  }
}

// How high the highest point is between two values of x; -inf where there is none.
double highest(const Points& ink, double from, double to) {
  double result = -std::numeric_limits<double>::infinity();
  for (const auto& [x, y] : ink) {
    if (x >= from && x <= to) result = std::max(result, y);
  }
  return result;
}

bool is_free(const Points& ink, double left, double right, double low, double high) {
  return std::ranges::none_of(ink, [&](const auto& point) {
    return point.first >= left && point.first <= right && point.second >= low &&
           point.second <= high;
  });
}

// Stretches the vertical axis so that what was at `share` of it is at `then`.
void grow(Scale& scale, const Axis& axis, double share, double then, std::size_t most_tics) {
  const double factor = share / then;
  const double wanted = scale.logarithmic ? scale.least * std::pow(scale.most / scale.least, factor)
                                          : scale.least + (scale.most - scale.least) * factor;
  const double most = std::min(wanted, kLargest);
  if (axis.most || !axis.tics.empty()) {
    scale.most = most;
    return;
  }
  Axis longer = axis;
  longer.least = scale.least;
  longer.most = most;
  scale = scale_of(longer, {}, most_tics);
}

// Whether a line from the bottom to the top, for which no axis makes room, is between two values of
// x.
bool is_crossed(const Panel& panel, const Scale& x, double from, double to) {
  return std::ranges::any_of(panel.series, [&](const Series& series) {
    return series.mark == Mark::level && std::ranges::any_of(series.x, [&](double at) {
             return x.share(at) >= from && x.share(at) <= to;
           });
  });
}

// Puts a legend of this width and height, in shares of the frame, where nothing is.
void place(PanelLayout& layout, const Panel& panel, double width, double height,
           std::size_t most_tics) {
  Points ink;
  std::vector<double> below;
  for (const Series& series : panel.series) add_ink(ink, series, layout, below);
  const double wide = width + kPadding;
  const double high = height + kPadding;
  for (const auto& [across, up] : {std::pair(1.0, 1.0),
                                   {0.0, 1.0},
                                   {1.0, 0.0},
                                   {0.0, 0.0},
                                   {0.5, 1.0},
                                   {0.5, 0.0},
                                   {1.0, 0.5},
                                   {0.0, 0.5}}) {
    const double left = across * (1.0 - wide);
    const double low = up * (1.0 - high);
    if (is_free(ink, left, left + wide, low, low + high)) {
      layout.legend = {false, across, up, left + kPadding / 2.0, low + high - kPadding / 2.0};
      return;
    }
  }
  double best = std::numeric_limits<double>::infinity();
  for (const double across : {1.0, 0.0, 0.5}) {
    const double left = across * (1.0 - wide);
    const double top = highest(ink, left, left + wide);
    if (top >= best || is_crossed(panel, layout.x, left, left + wide)) continue;
    best = top;
    layout.legend = {false, across, 1.0, left + kPadding / 2.0, 1.0 - kPadding / 2.0};
  }
  if (best * (1.0 - kMostOfAxis) > 1.0 - high) {
    layout.legend = LegendPlace{true};
    return;
  }
  grow(layout.y, panel.y, best, 1.0 - high, most_tics);
}

// Height for width: wide pictures are flatter, and panels above each other lower.
double proportion(double width, bool alone) {
  if (width > 5.0) return alone ? 0.5 : 0.4;
  if (width < 3.0) return alone ? 0.75 : 0.62;
  return alone ? 0.64 : 0.52;
}

double longest_tic(const Scale& scale) {
  double result = 0.0;
  for (const Tic& tic : scale.tics) result = std::max(result, letters(tic.text));
  return result;
}

}  // namespace

PanelLayout layout_of(const Panel& panel, const Look& look, bool alone) {
  const double em = look.text / 72.0;
  PanelLayout layout;
  const bool cells = has_cells(panel);
  layout.height = look.width * proportion(look.width, alone);
  layout.below = kBelow * em;
  layout.inner_height = layout.height - layout.below - kAbove * em;
  const auto most_of_y =
      static_cast<std::size_t>(std::clamp(layout.inner_height / (2.2 * em), 4.0, 9.0));
  layout.y = scale_of(panel.y, values_of(panel, false), most_of_y);
  layout.left = em * (kLetter * longest_tic(layout.y) + (panel.y.label.empty() ? 1.4 : 3.2));
  const double right = (cells ? kColourScale : 1.5) * em;
  layout.inner_width = look.width - layout.left - right;
  double longest_name = 0.0;
  for (const std::string& name : panel.x.categories) {
    longest_name = std::max(longest_name, letters(name));
  }
  const auto names = static_cast<double>(panel.x.categories.size());
  layout.slanted = longest_name * kLetter * em * names > 0.95 * layout.inner_width;
  if (layout.slanted) {
    // The first name ends below its bar, in the middle of its share of the frame, and begins left
    // of the frame, but not left of the picture.
    const double name = 0.87 * kLetter * em * letters(panel.x.categories.front());
    const double share = 0.5 / names;
    const double least = (name - share * (look.width - right)) / (1.0 - share);
    layout.left = std::max(layout.left, least);
    layout.inner_width = look.width - layout.left - right;
    const double lower = 0.5 * kLetter * em * longest_name - (panel.x.label.empty() ? em : 0.0);
    layout.below += lower;
    layout.height += lower;
  }
  const auto most_of_x =
      static_cast<std::size_t>(std::clamp(layout.inner_width / (4.0 * em), 3.0, 10.0));
  layout.x = scale_of(panel.x, values_of(panel, true), most_of_x);
  // Half of the last number is right of the frame.
  const double last = panel.x.categories.empty() && !layout.x.tics.empty()
                          ? 0.5 * kLetter * em * letters(layout.x.tics.back().text)
                          : 0.0;
  if (last > right - 0.3 * em) layout.inner_width -= last - right + 0.3 * em;
  for (const Series& series : panel.series) {
    if (series.mark != Mark::cells) continue;
    const auto [least, most] = std::ranges::minmax(series.z);
    layout.colour = scale_of({"", false, least, most}, {}, most_of_y);
  }

  double longest = 0.0;
  double rows = 0.0;
  for (const Series& series : panel.series) {
    if (series.name.empty()) continue;
    longest = std::max(longest, letters(series.name));
    ++rows;
  }
  if (rows == 0.0) return layout;
  const double width = (kSample + kLetter * longest) * em;
  const double height = (kLine * rows + 0.5) * em;
  layout.legend = LegendPlace{true};
  if (!cells && width < layout.inner_width && height < kMostOfFrame * layout.inner_height) {
    place(layout, panel, width / layout.inner_width, height / layout.inner_height, most_of_y);
  }
  if (layout.legend->below) {
    const double columns = std::clamp(std::floor(0.97 * look.width / width), 1.0, rows);
    const double lower = kLine * em * std::ceil(rows / columns) + 0.6 * em;
    layout.legend->columns = static_cast<std::size_t>(columns);
    layout.legend->left = std::max(0.0, 0.5 * (look.width - columns * width)) - layout.left;
    layout.legend->left /= layout.inner_width;
    layout.legend->top = -layout.below / layout.inner_height;
    layout.below += lower;
    layout.height += lower;
  }
  return layout;
}

}  // namespace pate::figures
