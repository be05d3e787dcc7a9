#include "pate/mechanisms/stability_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pate/error.hpp"
#include "pate/math/normal.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

namespace {

// More than a threshold can be off by, relative to it.
constexpr double kThresholdMargin = 1e-13;

}  // namespace

std::int64_t votes_to_flip(std::span<const std::int32_t> counts) {
  if (counts.empty()) throw parameter_error("the histogram must have at least one class");
  const auto top = std::max_element(counts.begin(), counts.end());
  const std::int64_t most = *top;
  if (counts.size() == 1) return most + 1;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (auto j = counts.begin(); j != counts.end(); ++j) {
    if (j == top) continue;
    const std::int64_t gap = most - *j;
    fewest = std::min(fewest, j > top ? gap / 2 + 1 : (gap + 1) / 2);
  }
  return fewest;
}

std::int64_t stability(std::span<const std::int32_t> counts) {
  return votes_to_flip(counts) - 1;
}

ThresholdCheck stability_test(TestNoise noise, double parameter, double delta) {
  const bool laplace = noise == TestNoise::laplace;
  require_positive(parameter, laplace ? "ptr-laplace" : "ptr-sigma");
  validate(TestedPlurality{delta});
  const double scale = laplace ? 1.0 / parameter : parameter;
  require_positive(scale, laplace ? "1 / ptr-laplace" : "ptr-sigma");
  const double scales =
      laplace ? -std::numbers::ln2 - std::log(delta) : normal_upper_quantile(std::log(delta));
  ThresholdCheck check{scale * scales * (1.0 + kThresholdMargin), scale, laplace};
  validate(check);
  return check;
}

ThresholdCheck sparse_stability_test(double epsilon, double delta) {
  require_positive(epsilon, "ptr-sparse");
  validate(TestedPlurality{delta});
  const double scale = 4.0 / epsilon;
  require_positive(scale, "4 / ptr-sparse");
  const double scales = std::log((2.0 + std::sqrt(4.0 - 6.0 * delta)) / 6.0) - std::log(delta);
  ThresholdCheck check{scale * scales * (1.0 + kThresholdMargin), scale, true, 0.5 * scale};
  validate(check);
  return check;
}

double round_epsilon(const ThresholdCheck& sparse) {
  return 4.0 / sparse.sigma1;
}

}  // namespace pate
