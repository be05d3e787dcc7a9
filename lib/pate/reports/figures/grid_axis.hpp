#pragma once

#include <string>
#include <vector>

#include "pate/reports/figures/figure.hpp"

namespace pate::figures {

/// Where the values of one parameter of a grid stand on an axis. Evenly spaced values stand where
/// they are. Others stand one step apart, each with its own tic, and where the grid leaves out more
/// than usual (a step more than 2.5 times as long as those beside it) the axis is broken.
class GridAxis {
 public:
  /// `values` of the grid, at least one.
  explicit GridAxis(std::vector<double> values);

  /// The place of a value: of one between two of the grid in proportion.
  [[nodiscard]] double place(double value) const;

  /// An axis with a tic at every value of the grid, as long as its cells.
  [[nodiscard]] Axis axis(std::string label) const;

 private:
  [[nodiscard]] std::vector<double> distinct_places() const;

  std::vector<double> values_;  // sorted and distinct
  bool even_ = true;
};

}  // namespace pate::figures
