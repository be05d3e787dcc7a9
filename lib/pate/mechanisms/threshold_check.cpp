#include "pate/mechanisms/threshold_check.hpp"

#include <algorithm>
#include <cmath>

#include "pate/base/require.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

double score(const ThresholdCheck& check, std::int64_t v) {
  return (static_cast<double>(v) - check.threshold) / check.sigma1;
}

}  // namespace

void require_threshold(double threshold) {
  require(std::isfinite(threshold), "threshold must be finite, got {}", threshold);
  require(std::abs(threshold) <= kMaxThreshold, "threshold must be between {:g} and {:g}, got {}",
          -kMaxThreshold, kMaxThreshold, threshold);
}

void validate(const ThresholdCheck& check) {
  require_positive(check.sigma1, "sigma1");
  require_threshold(check.threshold);
}

double log_answered(const ThresholdCheck& check, std::int64_t v) {
  return log_normal_cdf(score(check, v));
}

double log_refused(const ThresholdCheck& check, std::int64_t v) {
  return log_normal_cdf(-score(check, v));
}

double log_q(const ThresholdCheck& check, std::int64_t v) {
  return std::min(log_answered(check, v), log_refused(check, v));
}

LogBernoulliPair answer_pair(const ThresholdCheck& check, std::int64_t v,
                             std::int64_t v_neighbour) {
  const double here = score(check, v);
  const double there = score(check, v_neighbour);
  const double step = static_cast<double>(v - v_neighbour) / check.sigma1;
  return {log_normal_cdf(here),
          log_normal_cdf(-here),
          log_normal_cdf(there),
          log_normal_cdf(-there),
          log_normal_cdf_ratio(there, step),
          log_normal_cdf_ratio(-there, -step)};
}

}  // namespace pate
