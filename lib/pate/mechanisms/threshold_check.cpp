#include "pate/mechanisms/threshold_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/error.hpp"
#include "pate/math/normal.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

namespace {

double score(const ThresholdCheck& check, std::int64_t v) {
  return (static_cast<double>(v) - check.threshold) / check.sigma1;
}

}  // namespace

void validate(const ThresholdCheck& check) {
  require_positive(check.sigma1, "sigma1");
  if (!std::isfinite(check.threshold)) {
    throw parameter_error(fmt::format("threshold must be finite, got {}", check.threshold));
  }
  if (std::abs(check.threshold) > kLargestThreshold) {
    throw parameter_error(fmt::format("threshold must be between {:g} and {:g}, got {}",
                                      -kLargestThreshold, kLargestThreshold, check.threshold));
  }
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

AnswerLadder::AnswerLadder(const ThresholdCheck& check, std::int64_t lowest, std::int64_t highest,
                           std::int64_t teachers)
    : AnswerLadder(check, std::max<std::int64_t>(lowest - 1, 0), std::min(highest + 1, teachers)) {}

AnswerLadder::AnswerLadder(const ThresholdCheck& check, std::int64_t first, std::int64_t last)
    : check_(check), first_(first) {
  validate(check);
  for (std::int64_t v = first_; v <= last; ++v) {
    log_answered_.push_back(pate::log_answered(check, v));
    log_refused_.push_back(pate::log_refused(check, v));
    if (v < last) steps_.push_back(answer_pair(check, v, v + 1));
  }
}

}  // namespace pate
