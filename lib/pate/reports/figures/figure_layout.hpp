#pragma once

#include <optional>
#include <vector>

#include "pate/reports/figures/figure.hpp"

namespace pate::figures {

/// Texts beside points that are further right than that are left of them.
inline constexpr double kTextsLeft = 0.7;

/// From where to where an axis goes, and what stands beside it.
struct Scale {
  double least = 0.0;
  double most = 1.0;
  bool logarithmic = false;
  std::vector<Tic> tics = {};

  /// Where a value lies: 0 at the beginning of the axis, 1 at its end.
  [[nodiscard]] double share(double value) const;
};

/// The scale of an axis with these values: it ends at round numbers where the axis does not say
/// where, and has at most about `most_tics` tics. Values that it cannot show (infinite ones, on a
/// logarithmic axis those that are not above 0) count for nothing.
[[nodiscard]] Scale scale_of(const Axis& axis, const std::vector<double>& values,
                             std::size_t most_tics);

/// Where a legend is: in the frame, in a corner or in the middle of a side, or below the frame.
struct LegendPlace {
  bool below = false;
  double across = 1.0;  ///< 0 left, 0.5 in the middle, 1 right
  double up = 1.0;      ///< 0 at the bottom, 0.5, 1 at the top
  double left = 0.0;    ///< its left edge, as a share of the frame
  double top = 1.0;     ///< its upper edge
  std::size_t columns = 1;
};

/// Where everything in a panel is. Lengths are in inches.
struct PanelLayout {
  double height = 0.0;                           ///< of the panel with all its texts
  double inner_width = 0.0, inner_height = 0.0;  ///< of the frame
  double left = 0.0, below = 0.0;                ///< of the frame: beside and below it
  Scale x, y;
  Scale colour;          ///< of cells
  bool slanted = false;  ///< whether names below the axis are too long to lie
  std::optional<LegendPlace> legend;
};

/// The layout of a panel. The legend covers nothing that is drawn: it is where there is room, else
/// the vertical axis grows until there is, and where that would take more than 45 % of it the
/// legend is below. `alone` is whether there is no other panel.
[[nodiscard]] PanelLayout layout_of(const Panel& panel, const Look& look, bool alone);

}  // namespace pate::figures
