#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pate {

/// One axis of a grid of parameters: its values, increasing and without repetitions.
struct GridAxis {
  std::vector<double> values;
  bool shares = false;  ///< values are percentages of the teachers
};

/// Whether the values of an axis may be shares of the teachers, "60%".
enum class Shares { refused, allowed };

/// The largest number of points a grid may have.
inline constexpr std::int64_t kLargestGrid = 1'000'000'000;

/// Reads the specification of an axis:
///
///     50:200:10        start:stop:step; stop is included when it is hit
///     50,100,150       a list
///     log:10:1000:25   25 values from 10 to 1000, evenly spaced in the logarithm
///
/// With `Shares::allowed` all numbers of it may carry a percent sign (the count of `log:` does
/// not). Values of ranges are rounded to 12 digits, so that 0.1 apart means 0.1, 0.2, 0.3.
///
/// Throws `parameter_error` naming `axis` for anything else: an empty specification, a number that
/// is none or not finite, a stop below the start, a step that is not positive, more than
/// `kLargestGrid` values.
[[nodiscard]] GridAxis parse_grid_axis(std::string_view text, std::string_view axis, Shares shares);

}  // namespace pate
