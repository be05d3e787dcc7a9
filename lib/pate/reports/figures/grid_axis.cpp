#include "pate/reports/figures/grid_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

constexpr double kSameStep = 1e-6;  // relative: steps of a grid are rounded
constexpr double kLeftOut = 2.5;

}  // namespace

GridAxis::GridAxis(std::vector<double> values) : values_(distinct(std::move(values))) {
  for (std::size_t i = 2; i < values_.size(); ++i) {
    const double first = values_[1] - values_[0];
    if (std::abs(values_[i] - values_[i - 1] - first) > kSameStep * first) even_ = false;
  }
}

double GridAxis::place(double value) const {
  if (even_) return value;
  const auto after = std::ranges::lower_bound(values_, value);
  if (after == values_.begin()) return 0.0;
  if (after == values_.end()) return static_cast<double>(values_.size() - 1);
  const double before = *(after - 1);
  return static_cast<double>(after - values_.begin() - 1) + (value - before) / (*after - before);
}

std::vector<double> GridAxis::distinct_places() const {
  std::vector<double> result;
  for (const double value : values_) result.push_back(place(value));
  return result;
}

Axis GridAxis::axis(std::string label) const {
  Axis result{std::move(label)};
  for (const double value : values_) result.tics.push_back({place(value), number_text(value)});
  const std::vector<double> places = distinct_places();
  result.least = cell_edges(places, places.front()).first;
  result.most = cell_edges(places, places.back()).second;
  if (even_) return result;
  const auto step = [&](std::size_t i) { return values_[i + 1] - values_[i]; };
  const std::size_t steps = values_.size() - 1;
  for (std::size_t i = 0; i < steps; ++i) {
    const bool left_out = (i == 0 || step(i) > kLeftOut * step(i - 1)) &&
                          (i + 1 == steps || step(i) > kLeftOut * step(i + 1));
    if (left_out) result.breaks.push_back(static_cast<double>(i) + 0.5);
  }
  return result;
}

}  // namespace pate::figures
