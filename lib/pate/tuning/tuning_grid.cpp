#include "pate/tuning/tuning_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/tuning/grid_axis.hpp"

namespace pate {

namespace {

void require_positive_axis(const std::vector<double>& values, const char* name) {
  if (values.empty()) throw parameter_error(fmt::format("{} has no values", name));
  for (const double value : values) require_positive(value, name);
}

std::size_t blocks_per_row(const TuningGrid& grid) {
  return (grid.thresholds() + kBlockThresholds - 1) / kBlockThresholds;
}

// The first point of a block; the size of the grid for the one behind the last.
std::size_t first_of_block(const TuningGrid& grid, std::size_t block) {
  const std::size_t row = block / blocks_per_row(grid);
  return row * grid.thresholds() + block % blocks_per_row(grid) * kBlockThresholds;
}

}  // namespace

Aggregator TuningGrid::aggregator(std::size_t point) const {
  Aggregator result;
  const double scale = noise[noise_of(point)];
  if (laplace) {
    result.noisy_max = LaplaceNoisyMax{scale};
  } else {
    result.noisy_max = GaussianNoisyMax{scale};
  }
  if (has_selection()) {
    result.selection = ThresholdCheck{threshold[threshold_of(point)], sigma1[sigma1_of(point)]};
    result.interactive = interactive;
  }
  return result;
}

void validate(const TuningGrid& grid) {
  require_positive_axis(grid.noise, grid.laplace ? "--laplace-scale" : "--sigma2");
  if (grid.has_selection()) {
    require_positive_axis(grid.sigma1, "--sigma1");
    for (const double value : grid.threshold) {
      if (!std::isfinite(value)) {
        throw parameter_error(fmt::format("--threshold must be finite, got {}", value));
      }
    }
  }
  const double points = static_cast<double>(grid.noise.size()) *
                        static_cast<double>(grid.sigma1_values()) *
                        static_cast<double>(grid.thresholds());
  if (!(points <= static_cast<double>(kLargestGrid))) {
    throw parameter_error(fmt::format(
        "a grid may have at most {} points, got {:.0f} ({} {} x {} sigma1 x {} "
        "threshold values)",
        kLargestGrid, points, grid.noise.size(), grid.laplace ? "laplace-scale" : "sigma2",
        grid.sigma1_values(), grid.thresholds()));
  }
}

std::pair<std::size_t, std::size_t> points_of_shard(const TuningGrid& grid, const Shard& shard) {
  if (!(shard.index >= 1 && shard.index <= shard.of)) {
    throw parameter_error(
        fmt::format("a shard i/n must have 1 <= i <= n, got {}/{}", shard.index, shard.of));
  }
  const auto blocks =
      static_cast<std::int64_t>(blocks_per_row(grid) * grid.noise.size() * grid.sigma1_values());
  return {first_of_block(grid, static_cast<std::size_t>(shard.begin(blocks))),
          first_of_block(grid, static_cast<std::size_t>(shard.end(blocks)))};
}

}  // namespace pate
