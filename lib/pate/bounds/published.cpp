#include "pate/bounds/published.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/margin.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {

// log( (1-q) A^k + q B^k ) / k for k = order - 1, A >= 1, B >= 1, both given as logarithms;
// rest = 1 - q.
double two_point_cost(double log_q, double rest, double log_a, double log_b, double k) {
  const double log_moment_b = log_q + k * log_b;
  if (log_moment_b > 600.0) return log_add(std::log(rest) + k * log_a, log_moment_b) / k;
  // Sum of what exceeds one; both terms are positive.
  const double excess_a = rest * std::expm1(k * log_a);
  const double excess_b = std::exp(log_moment_b) * -std::expm1(-k * log_b);
  return std::log1p(excess_a + excess_b) / k;
}

}  // namespace

GaussianPublishedBound::GaussianPublishedBound(double log_q, double sigma) : log_q_(log_q) {
  const double variance = sigma * sigma;
  const double mu2 = sigma * std::sqrt(-log_q);
  const double mu1 = mu2 + 1.0;
  if (!(mu2 > 1.0) || !std::isfinite(mu2)) return;
  const double eps2 = mu2 / variance;
  if (!(-log_q > eps2)) return;
  if (!(log_q <=
        (mu2 - 1.0) * eps2 - mu2 * (std::log1p(1.0 / mu2) + std::log1p(1.0 / (mu2 - 1.0))))) {
    return;
  }
  // (q e^eps2)^(1 - 1/mu2) = q e^shift, because -log q = mu2 eps2.
  const double shift = (2.0 * mu2 - 1.0) / variance;
  const double log_grown = log_q + shift;
  if (!(log_grown < 0.0)) return;
  largest_order_ = mu1;
  rest_ = -std::expm1(log_q);
  log_a_ = std::log1p(std::exp(log_grown) * -std::expm1(-shift) / -std::expm1(log_grown));
  log_b_ = (2.0 * mu2 + 1.0) / variance;
}

double GaussianPublishedBound::cost(double order, double data_independent) const {
  if (log_q_ == -kInfinity) return 0.0;
  if (!applies(order)) return data_independent;
  return std::min(with_margin(two_point_cost(log_q_, rest_, log_a_, log_b_, order - 1.0)),
                  data_independent);
}

double gaussian_noisy_max_published(double log_q, double sigma, double order) {
  return GaussianPublishedBound(log_q, sigma)
      .cost(order, gaussian_noisy_max_data_independent(sigma, order));
}

double threshold_published(double log_q, double sigma1, double order) {
  return gaussian_noisy_max_published(log_q, std::numbers::sqrt2 * sigma1, order);
}

double laplace_noisy_max_published(double log_q, double gamma, double order) {
  if (log_q == -kInfinity) return 0.0;
  const double eps = 2.0 * gamma;
  const double independent = with_margin(std::min(0.5 * eps * eps * order, eps));
  if (!(log_q <= -eps - std::log1p(std::exp(-eps)))) return independent;
  const double log_a = std::log1p(std::exp(log_q) * std::expm1(eps) / -std::expm1(eps + log_q));
  const double rest = -std::expm1(log_q);
  return std::min(with_margin(two_point_cost(log_q, rest, log_a, eps, order - 1.0)), independent);
}

}  // namespace pate
