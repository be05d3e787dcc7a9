#include "pate/sensitivity/smooth_sensitivity.hpp"

#include <cmath>

namespace pate {

SmoothSensitivity smooth_sensitivity(const LocalSensitivity& local, double beta) {
  SmoothSensitivity result;
  const auto include = [&](std::size_t distance, double value, bool at_end) {
    const double smoothed = std::exp(-beta * static_cast<double>(distance)) * value;
    if (smoothed > result.value) result = {smoothed, at_end};
  };
  for (std::size_t d = 0; d < local.at.size(); ++d) include(d, local.at[d], false);
  if (!local.complete) include(local.at.size(), local.beyond, true);
  return result;
}

}  // namespace pate
