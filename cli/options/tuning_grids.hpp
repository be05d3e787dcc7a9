#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "cli/options/tuning.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate::cli {

/// The grid but for thresholds that are shares of the teachers: `make_grid` turns them into votes.
/// Throws `usage_error` naming the option that is missing or contradicts and `parameter_error`
/// naming the axis that is wrong, before any file is read.
struct GridOptions {
  TuningGrid grid;
  bool shares = false;
  bool search = false;  ///< there are no ranges: all parameters are looked for
};
[[nodiscard]] GridOptions check_grid_options(const TuningOptions& options, bool has_student);
[[nodiscard]] TuningGrid make_grid(const GridOptions& options, std::int64_t teachers);

/// Of the tests of a grid of PTR that with the largest threshold; none of another grid.
[[nodiscard]] std::optional<StabilityTest> highest_test(const TuningGrid& grid);

/// The grids of both rounds. Throws like `check_grid_options`, and for options that are for one.
[[nodiscard]] std::array<GridOptions, 2> check_rounds(const TuningOptions& options,
                                                      bool has_student);

}  // namespace pate::cli
