#include "pate/divergence/bounds/tail_split.hpp"

#include <algorithm>
#include <cmath>

#include "pate/divergence/bounds/gaussian_tail.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

double log_mid_mass(double a, double b) {
  if (a > 0.0) return log_normal_cdf(-a) + log1mexp(log_normal_cdf_ratio(-a, a - b));
  if (b < 0.0) return log_normal_cdf(b) + log1mexp(log_normal_cdf_ratio(b, a - b));
  return std::log(normal_interval(a, b));
}

TailSplit::TailSplit(Direction direction, double log_q, double mu, double order)
    : forward_(direction == Direction::forward),
      log_q_(log_q),
      mu_(mu),
      order_(order),
      shift_(forward_ ? mu : 0.0) {}

void TailSplit::set(double alpha) {
  set(alpha, alpha == -kInfinity ? -kInfinity : log_normal_cdf(alpha));
}

void TailSplit::set(double alpha, double log_lower) {
  const double log_upper = log_q_ + log1mexp(std::min(log_lower - log_q_, 0.0));
  // Successive splits have nearly the same upper tail.
  place(alpha, log_lower,
        std::isfinite(beta_) ? normal_upper_quantile(log_upper, beta_)
                             : normal_upper_quantile(log_upper));
}

void TailSplit::set_upper(double beta) {
  const double log_lower = log_q_ + log1mexp(std::min(log_normal_cdf(-beta) - log_q_, 0.0));
  place(-normal_upper_quantile(log_lower), log_lower, beta);
}

void TailSplit::place(double alpha, double log_lower, double beta) {
  alpha_ = alpha;
  log_lower_ = log_lower;
  beta_ = beta;
  a_ = alpha_ + shift_;
  b_ = beta_ + shift_;
  // Mass of the tails under B less that under N: N(mid) = B(mid) + difference.
  const double difference = shift_difference(a_) - shift_difference(b_);
  const double log_rest = log1mexp(log_q_);
  const double relative = difference / std::exp(log_rest);
  if (forward_) {
    log_ratio_mid_ = relative < 0.5 ? -std::log1p(-relative) : log_rest - log_mid_mass(a_, b_);
    log_base_mid_ = log_rest - log_ratio_mid_;
  } else {
    log_ratio_mid_ =
        relative > -0.5 ? std::log1p(relative) : log_mid_mass(a_ - mu_, b_ - mu_) - log_rest;
    log_base_mid_ = log_rest;
  }
}

TailSplit::Parts TailSplit::parts() const {
  return {log_lower_ == -kInfinity ? -kInfinity : log_gaussian_tail_excess(-a_, -mu_, order_),
          b_ == kInfinity ? -kInfinity : log_gaussian_tail_excess(b_, mu_, order_),
          log_base_mid_ + log_power_excess(log_ratio_mid_, order_)};
}

double TailSplit::log_excess() const {
  const Parts its = parts();
  return log_add(log_add(its.upper, its.lower), its.middle);
}

double TailSplit::log_gain_unit() const {
  return forward_ ? (order_ - 1.0) * log_ratio_mid_ : order_ * log_ratio_mid_;
}

double TailSplit::gain_slope() const {
  const double beta_slope = std::exp(log_normal_density(alpha_) - log_normal_density(beta_));
  const double lower = log_ratio(a_);
  const double upper = log_ratio(b_);
  double mid_slope = 0.0;  // of log_ratio_mid_
  if (forward_) {
    mid_slope = (std::exp(-lower) - std::exp(-upper)) *
                std::exp(log_normal_density(alpha_) - log_base_mid_);
  } else {
    mid_slope = (std::exp(upper) - std::exp(lower)) *
                std::exp(log_normal_density(alpha_) - log_base_mid_ - log_ratio_mid_);
  }
  return relative_slope(lower) * (mu_ - mid_slope) -
         relative_slope(upper) * (mu_ * beta_slope - mid_slope) -
         (forward_ ? mu_ * (1.0 - beta_slope) : 0.0);
}

double TailSplit::log_lower_benefit(double a) const {
  return std::log(order_ - 1.0) + std::max(order_ * log_ratio_mid_, 0.0) + log_normal_cdf(a);
}

double TailSplit::matching_lower_end() const {
  const double target = log_gain_upper();
  double x = 0.0;  // log ratio at a, less that of the middle
  const double log_small = std::log(0.5 * order_ * (order_ - 1.0));
  if (forward_) {
    // k falls from (order-1) e^-x far left through order (order-1) x^2 / 2 near the middle.
    x = -std::max(std::exp(0.5 * (target - log_small)), 0.0);
    x = std::max(x, -std::max(1.0 / order_, target - std::log(order_ - 1.0) + 1.0));
  } else {
    if (target >= std::log(order_ - 1.0)) return -kInfinity;
    x = -std::max(std::exp(0.5 * (target - log_small)), 0.0);
  }
  for (int i = 0; i < 100; ++i) {
    const double value = log_power_excess(x, order_) - (forward_ ? x : 0.0) - target;
    const double slope = excess_slope(x) - (forward_ ? 1.0 : 0.0);
    double step = -value / slope;
    step = std::clamp(step, -2.0 * std::abs(x) - 1.0, 0.5 * std::abs(x));
    x += step;
    if (std::abs(step) < 1e-3 * std::abs(x)) break;
  }
  return (x + log_ratio_mid_) / mu_ + 0.5 * mu_;
}

// Phi(x) - Phi(x - mu)
double TailSplit::shift_difference(double x) const {
  if (std::isinf(x)) return 0.0;
  if (mu_ < 1e-3) return -normal_step(x, -mu_);
  return x > 0.5 * mu_ ? normal_cdf(mu_ - x) - normal_cdf(-x) : normal_cdf(x) - normal_cdf(x - mu_);
}

double TailSplit::log_gain(double log_ratio_at_end) const {
  return log_power_excess(log_ratio_at_end - log_ratio_mid_, order_) -
         (forward_ ? log_ratio_at_end - log_ratio_mid_ : 0.0);
}

// d log power_excess(x) / dx
double TailSplit::excess_slope(double x) const {
  if (order_ * x > 300.0) return order_;
  return order_ * (std::expm1(order_ * x) - std::expm1(x)) / power_excess(x, order_);
}

}  // namespace pate
