#include "pate/mechanisms/threshold_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

double score(const ThresholdCheck& check, std::int64_t v) {
  return (static_cast<double>(v) - check.threshold) / check.sigma1;
}

// log Pr[standard Laplace noise <= x].
double log_laplace_cdf(double x) {
  return x <= 0.0 ? x - std::numbers::ln2 : std::log1p(-0.5 * std::exp(-x));
}

// log( F(b + h) / F(b) ) of it, without cancellation; the step is given apart, as b + h may not
// hold its digits.
double log_laplace_cdf_ratio(double b, double h) {
  const double to = b + h;
  if (b <= 0.0 && to <= 0.0) return h;
  const double direct = log_laplace_cdf(to) - log_laplace_cdf(b);
  if (std::abs(direct) > 0.5) return direct;
  double step = 0.0;  // F(to) - F(b)
  if (b > 0.0 && to > 0.0) {
    step = h > 0.0 ? -0.5 * std::exp(-b) * std::expm1(-h) : 0.5 * std::exp(-to) * std::expm1(h);
  } else if (b <= 0.0) {
    step = -0.5 * (std::expm1(-to) + std::expm1(b));
  } else {
    step = 0.5 * (std::expm1(to) + std::expm1(-b));
  }
  return std::log1p(step / std::exp(log_laplace_cdf(b)));
}

// Of standard Laplace noise less such noise of half the scale.
double log_difference_cdf(double x) {
  const double below = -std::abs(x);
  const double log_tail = below + std::log((4.0 - std::exp(below)) / 6.0);
  return x <= 0.0 ? log_tail : std::log1p(-std::exp(log_tail));
}

double log_cdf(const ThresholdCheck& check, double x) {
  if (check.threshold_scale > 0.0) return log_difference_cdf(x);
  return check.laplace ? log_laplace_cdf(x) : log_normal_cdf(x);
}

double log_cdf_ratio(const ThresholdCheck& check, double b, double h) {
  // No cost is made from it.
  if (check.threshold_scale > 0.0) return log_difference_cdf(b + h) - log_difference_cdf(b);
  return check.laplace ? log_laplace_cdf_ratio(b, h) : log_normal_cdf_ratio(b, h);
}

// The largest statistic of a neighbour.
std::int64_t highest_of(const ThresholdCheck& check, std::int64_t teachers) {
  return check.neighbours.adds_or_removes() ? teachers + check.neighbours.teachers : teachers;
}

}  // namespace

void validate(const ThresholdCheck& check) {
  validate(check.neighbours);
  require_positive(check.sigma1, "sigma1");
  if (!std::isfinite(check.threshold)) {
    throw parameter_error(fmt::format("threshold must be finite, got {}", check.threshold));
  }
  if (std::abs(check.threshold) > kMaxThreshold) {
    throw parameter_error(fmt::format("threshold must be between {:g} and {:g}, got {}",
                                      -kMaxThreshold, kMaxThreshold, check.threshold));
  }
}

double log_answered(const ThresholdCheck& check, std::int64_t v) {
  return log_cdf(check, score(check, v));
}

double log_refused(const ThresholdCheck& check, std::int64_t v) {
  return log_cdf(check, -score(check, v));
}

double log_q(const ThresholdCheck& check, std::int64_t v) {
  return std::min(log_answered(check, v), log_refused(check, v));
}

LogBernoulliPair answer_pair(const ThresholdCheck& check, std::int64_t v,
                             std::int64_t v_neighbour) {
  const double here = score(check, v);
  const double there = score(check, v_neighbour);
  const double step = static_cast<double>(v - v_neighbour) / check.sigma1;
  return {log_cdf(check, here),
          log_cdf(check, -here),
          log_cdf(check, there),
          log_cdf(check, -there),
          log_cdf_ratio(check, there, step),
          log_cdf_ratio(check, -there, -step)};
}

AnswerTable::AnswerTable(const ThresholdCheck& check, std::int64_t lowest, std::int64_t highest,
                         std::int64_t teachers)
    : AnswerTable(check, std::max<std::int64_t>(lowest - check.neighbours.teachers, 0),
                  std::min(highest + check.neighbours.teachers, highest_of(check, teachers))) {}

AnswerTable::AnswerTable(const ThresholdCheck& check, std::int64_t first, std::int64_t last)
    : check_(check), first_(first) {
  validate(check);
  for (std::int64_t v = first_; v <= last; ++v) {
    log_answered_.push_back(pate::log_answered(check, v));
    log_refused_.push_back(pate::log_refused(check, v));
  }
  for (std::int64_t v = first_ - reach() + 1; v < last; ++v) {
    steps_.push_back(answer_pair(check, std::max(v, first_), std::min(v + reach(), last)));
  }
}

}  // namespace pate
