#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "pate/reports/figures/figure_layout.hpp"
#include "pate/reports/figures/figure_parts.hpp"

namespace pate::figures {

namespace {

constexpr double kSlack = 1e-9;  // of a step: rounding must not add one
// Above that a logarithmic axis has tics at powers of ten only.
constexpr double kManyDecades = 2.0;
constexpr std::size_t kMoreTics = 6;

// Without the rounding of a product: 0.6 and not 0.6000000000000001.
double tidy(double value) {
  return std::stod(fmt::format("{:.12g}", value));
}

// The least of 1, 2, 5 times a power of ten of which as few fit into `span`.
double round_step(double span, std::size_t most_steps) {
  const double raw = span / static_cast<double>(std::max<std::size_t>(most_steps, 1));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1.0 - kSlack)) return factor * power;
  }
  return 10.0 * power;
}

void add_linear(Scale& scale, const Axis& axis, std::size_t most_tics) {
  if (!(scale.most > scale.least)) {
    const double wider = scale.least == 0.0 ? 1.0 : 0.1 * std::abs(scale.least);
    if (!axis.most || axis.least) scale.most = scale.least + wider;
    if (!axis.least) scale.least -= wider;
  }
  const double span = scale.most - scale.least;
  const double step = round_step(span, most_tics - 1);
  if (!std::isfinite(span) || !(step > 0.0)) {
    scale.tics = {{scale.least, number_text(scale.least)}, {scale.most, number_text(scale.most)}};
    return;
  }
  if (!axis.least) scale.least = tidy(std::floor(scale.least / step + kSlack) * step);
  if (!axis.most) scale.most = tidy(std::ceil(scale.most / step - kSlack) * step);
  const double first = std::ceil(scale.least / step - kSlack);
  const auto steps = static_cast<int>(std::floor(scale.most / step + kSlack) - first);
  for (int i = 0; i <= steps; ++i) {
    const double k = first + i;
    const double at = k == 0.0 ? 0.0 : tidy(k * step);
    scale.tics.push_back({at, number_text(at)});
  }
}

// 1, 2, 5, 10, 20, ... by number, in both directions.
double one_two_five(int number) {
  const int decade = static_cast<int>(std::floor(number / 3.0));
  constexpr std::array kFactors{1.0, 2.0, 5.0};
  return kFactors.at(static_cast<std::size_t>(number - 3 * decade)) * std::pow(10.0, decade);
}

void add_logarithmic(Scale& scale, const Axis& axis, std::size_t most_tics) {
  const double low = std::log10(scale.least);
  const double high = std::log10(scale.most);
  if (high - low >= kManyDecades) {
    const int first = static_cast<int>(std::floor(low + kSlack));
    const int last = static_cast<int>(std::ceil(high - kSlack));
    const auto room = static_cast<int>(most_tics);
    const int stride = (last - first + room) / room;
    if (!axis.least) scale.least = std::pow(10.0, first);
    if (!axis.most) scale.most = std::min(std::pow(10.0, last), kLargest);
    for (int k = first; k <= last; ++k) {
      const double at = std::pow(10.0, k);
      if (k % stride == 0 && at >= scale.least * (1.0 - kSlack) &&
          at <= scale.most * (1.0 + kSlack)) {
        scale.tics.push_back({at, number_text(at)});
      }
    }
    return;
  }
  int first = 3 * static_cast<int>(std::floor(low)) - 1;
  while (one_two_five(first + 1) <= scale.least * (1.0 + kSlack)) ++first;
  int last = first + 1;
  while (one_two_five(last) < scale.most * (1.0 - kSlack)) ++last;
  if (!axis.least) scale.least = one_two_five(first);
  if (!axis.most) scale.most = one_two_five(last);
  for (int k = first; k <= last; ++k) {
    const double at = one_two_five(k);
    if (at >= scale.least * (1.0 - kSlack) && at <= scale.most * (1.0 + kSlack)) {
      scale.tics.push_back({at, number_text(at)});
    }
  }
}

}  // namespace

double Scale::share(double value) const {
  if (!logarithmic) return (value - least) / (most - least);
  return std::log(value / least) / std::log(most / least);
}

Scale scale_of(const Axis& axis, const std::vector<double>& values, std::size_t most_tics) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Scale scale{kNone, -kNone, axis.logarithmic};
  for (const double value : values) {
    if (!std::isfinite(value) || (axis.logarithmic && !(value > 0.0))) continue;
    scale.least = std::min(scale.least, value);
    scale.most = std::max(scale.most, value);
  }
  if (scale.least > scale.most) scale.least = scale.most = 1.0;
  scale.least = axis.least.value_or(std::min(scale.least, axis.most.value_or(kNone)));
  scale.most = axis.most.value_or(std::max(scale.most, scale.least));
  const Scale bare = scale;
  // Where the ends are given there may be fewer tics than two: then there are closer ones.
  for (std::size_t more = 0; more < kMoreTics && scale.tics.size() < 2; ++more) {
    scale = bare;
    if (axis.logarithmic) {
      add_logarithmic(scale, axis, most_tics + more);
    } else {
      add_linear(scale, axis, most_tics + more);
    }
  }
  if (axis.tics.empty() && axis.categories.empty()) return scale;
  scale.tics.clear();
  for (std::size_t i = 0; i < axis.categories.size(); ++i) {
    scale.tics.push_back({static_cast<double>(i), axis.categories[i]});
  }
  const std::size_t stride = (axis.tics.size() + most_tics - 1) / most_tics;
  for (std::size_t i = 0; i < axis.tics.size(); i += stride) scale.tics.push_back(axis.tics[i]);
  return scale;
}

}  // namespace pate::figures
