#include "pate/mechanisms/stability_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/normal.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

namespace {

// More than a threshold can be off by, relative to it.
constexpr double kThresholdMargin = 1e-13;

// log Pr[noise > t], of noise in units of its scale.
double log_exceeds(TestNoise noise, double t) {
  if (noise == TestNoise::gaussian) return log_normal_cdf(-t);
  return t >= 0.0 ? -std::numbers::ln2 - t : std::log1p(-std::exp(t) / 2.0);
}

double in_scales(const StabilityTest& test, std::int64_t q) {
  return (test.threshold() - static_cast<double>(q)) / test.scale();
}

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

double StabilityTest::threshold() const {
  const double exact = noise == TestNoise::laplace
                           ? (-std::numbers::ln2 - std::log(delta)) / parameter
                           : parameter * normal_upper_quantile(std::log(delta));
  return exact * (1.0 + kThresholdMargin);
}

void validate(const StabilityTest& test) {
  require_positive(test.parameter, test.noise == TestNoise::laplace ? "ptr-laplace" : "ptr-sigma");
  if (!(test.delta > 0.0 && test.delta <= kLargestTestDelta)) {
    throw parameter_error(
        fmt::format("ptr-delta must be > 0 and <= {}, got {}", kLargestTestDelta, test.delta));
  }
}

double log_answered(const StabilityTest& test, std::int64_t q) {
  return log_exceeds(test.noise, in_scales(test, q));
}

double log_refused(const StabilityTest& test, std::int64_t q) {
  return log_exceeds(test.noise, -in_scales(test, q));
}

}  // namespace pate
