#include "pate/numerics/normal.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>

#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr int kMillsCells = 128;
constexpr int kMillsTerms = 7;
constexpr std::array<std::array<double, kMillsTerms>, kMillsCells> kMillsTable{{
#include "pate/numerics/mills_table.inc"
}};

constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
constexpr double kSqrtTwoPi = 2.5066282746310005024;

double density(double x) {
  return std::exp(-0.5 * x * x) / kSqrtTwoPi;
}

double mills_of_positive(double x) {
  if (std::isnan(x)) return x;
  const double t = 4.0 / (4.0 + x);
  const double scaled = t * kMillsCells;
  const int cell = std::min(static_cast<int>(scaled), kMillsCells - 1);
  const double u = scaled - (cell + 0.5);
  const auto& c = kMillsTable[static_cast<std::size_t>(cell)];
  const double u2 = u * u;
  const double low = (c[0] + c[1] * u) + u2 * (c[2] + c[3] * u);
  return t * (low + u2 * u2 * ((c[4] + c[5] * u) + c[6] * u2));
}

// Integral of phi over [a, a + h] divided by phi(a); h of either sign, |h| max(|a|, 1) moderate.
double relative_integral(double a, double h) {
  return boost::math::quadrature::gauss<double, 15>::integrate(
      [a, h](double y) { return h * std::exp(-h * y * (a + 0.5 * h * y)); }, 0.0, 1.0);
}

// The x >= 0 with log Phi(-x) = log_p <= log(1/2), by Halley's iteration.
double quantile_right_of_zero(double log_p, double start) {
  double x = std::max(start, 0.0);
  for (int i = 0; i < 30; ++i) {
    // h(x) = log Phi(-x) - log_p has h' = -1/R and h'' = -(1/R)(1/R - x).
    const double ratio = mills_of_positive(x);
    const double newton = (log_normal_density(x) + std::log(ratio) - log_p) * ratio;
    const double step = newton / (1.0 + 0.5 * newton * (1.0 / ratio - x));
    x = std::max(x + step, 0.0);
    // The convergence is cubic: after a step of 1e-5 / x the error is far below rounding.
    if (!(std::abs(step) * (1.0 + x) > 1e-5)) break;
  }
  return x;
}

bool close_enough_for_quadrature(double a, double h) {
  return std::abs(h) * std::max(1.0, std::abs(a) + std::abs(h)) < 2.0;
}

}  // namespace

double log_normal_density(double x) {
  return -0.5 * x * x - kLogSqrtTwoPi;
}

double mills_ratio(double x) {
  if (x >= 0.0) return mills_of_positive(x);
  return kSqrtTwoPi * std::exp(0.5 * x * x) - mills_of_positive(-x);
}

double normal_cdf(double x) {
  if (x > 0.0) return 1.0 - density(x) * mills_of_positive(x);
  return density(x) * mills_of_positive(-x);
}

double log_normal_cdf(double x) {
  if (x > 0.0) return std::log1p(-density(x) * mills_of_positive(x));
  return log_normal_density(x) + std::log(mills_of_positive(-x));
}

double normal_interval(double a, double b) {
  if (a >= b) return 0.0;
  if (close_enough_for_quadrature(a, b - a)) return density(a) * relative_integral(a, b - a);
  // On the side of zero where both are small the difference loses at most a digit.
  return a > 0.0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
}

double normal_step(double x, double h) {
  if (close_enough_for_quadrature(x, h)) return density(x) * relative_integral(x, h);
  // A long step holds its digits in x + h.
  return h > 0.0 ? normal_interval(x, x + h) : -normal_interval(x + h, x);
}

double log_normal_cdf_ratio(double b, double h) {
  if (close_enough_for_quadrature(b, h)) {
    // Phi(b + h) / Phi(b) - 1 is the integral over [b, b + h] in units of Phi(b) = phi(b) R(-b).
    return std::log1p(relative_integral(b, h) / mills_ratio(-b));
  }
  // In the tail the squares are subtracted before they are large.
  if (b < 0.0 && b + h < 0.0) {
    return std::log(mills_of_positive(-b - h) / mills_of_positive(-b)) - h * (b + 0.5 * h);
  }
  return log_normal_cdf(b + h) - log_normal_cdf(b);
}

double normal_upper_quantile(double log_p, double start) {
  if (std::isnan(log_p)) return log_p;
  if (log_p >= 0.0) return -kInfinity;
  if (log_p == -kInfinity) return kInfinity;
  const bool left = log_p > -std::numbers::ln2;
  return left ? -quantile_right_of_zero(log1mexp(log_p), -start)
              : quantile_right_of_zero(log_p, start);
}

double normal_upper_quantile(double log_p) {
  const double log_tail = log_p > -std::numbers::ln2 ? log1mexp(log_p) : log_p;
  // The tail is about phi(x) / x; near the middle any start will do.
  const double y = std::sqrt(-2.0 * log_tail);
  const double start = log_tail < -3.0 ? y - (kLogSqrtTwoPi + std::log(y)) / y : 0.5 * y;
  return normal_upper_quantile(log_p, log_p > -std::numbers::ln2 ? -start : start);
}

double log_shifted_tail(double log_p, double shift) {
  if (!(log_p < 0.0) || log_p == -std::numeric_limits<double>::infinity()) return log_p;
  const double x = normal_upper_quantile(log_p);
  // The growth is computed as such: the difference of two logarithms would lose the digits of a
  // short shift far out in the tail. Where it makes up most of log_p it is the result that cancels.
  const double growth = log_normal_cdf_ratio(-x, shift);
  const double shifted = log_p + growth;
  return shifted > -0.5 * growth ? log_normal_cdf(shift - x) : shifted;
}

}  // namespace pate
