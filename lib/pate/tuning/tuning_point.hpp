#pragma once

#include <cstdint>
#include <limits>

namespace pate {

/// What is known of one point of a grid.
struct TuningPoint {
  double epsilon =
      std::numeric_limits<double>::quiet_NaN();  ///< an upper bound; NaN: not evaluated
  double order = 0.0;        ///< at which it is attained; 0 where nothing was spent
  double answered = 0.0;     ///< expected
  double right = 0.0;        ///< expected number of right answers; needs true labels
  std::int64_t queries = 0;  ///< how many of the queries are asked

  [[nodiscard]] bool evaluated() const { return epsilon == epsilon; }
};

/// Grid values of epsilon are at most this much above those of `account`, relative.
inline constexpr double kGridAccuracy = 5e-3;

}  // namespace pate
