#include "pate/numerics/log_space.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace pate {

namespace {

// Above this e^x is not representable, and above the next it is, but x e^x is not.
constexpr double kMaxExponent = 709.0;
constexpr double kMaxProduct = 690.0;

// 1/2!, 1/3!, ... of the series of e^z - 1 - z, enough for |z| < 1/2 at full precision.
constexpr std::array<double, 13> kReciprocalFactorials = [] {
  std::array<double, 13> result{};
  double factorial = 1.0;
  for (std::size_t k = 0; k < result.size(); ++k) {
    factorial *= static_cast<double>(k + 2);
    result[k] = 1.0 / factorial;
  }
  return result;
}();

// Below this order the two terms of a power's excess cancel.
constexpr double kNearOne = 1.25;

// The excess as e^l (e^(r l) - 1 - r l) + r (1 - e^l + l e^l), both parts positive, r = order - 1.
double power_excess_near_one(double l, double r) {
  if (l == -kInfinity) return r;
  if (l > kMaxExponent) return kInfinity;
  const double ratio = std::exp(l);
  const double tail = std::abs(l) < 0.5 ? ratio * expm1_minus_x(-l) : l * ratio - std::expm1(l);
  return ratio * expm1_minus_x(r * l) + r * tail;
}

}  // namespace

double log1mexp(double x) {
  return x > -std::numbers::ln2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

double log_expm1(double x) {
  return x > 40.0 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x));
}

double log_add(double a, double b) {
  const double high = a > b ? a : b;
  const double low = a > b ? b : a;
  return low == -kInfinity ? high : high + std::log1p(std::exp(low - high));
}

double expm1_minus_x(double z) {
  if (std::abs(z) >= 0.5) return std::isinf(z) ? std::abs(z) : std::expm1(z) - z;
  double sum = 0.0;
  for (std::size_t k = kReciprocalFactorials.size(); k-- > 0;) {
    sum = sum * z + kReciprocalFactorials[k];
  }
  return sum * z * z;
}

double power_excess(double log_ratio, double order) {
  if (order < kNearOne) return power_excess_near_one(log_ratio, order - 1.0);
  const double z = order * log_ratio;
  if (std::abs(z) < 0.5) return expm1_minus_x(z) - order * expm1_minus_x(log_ratio);
  // Beyond the series both expressions are of the size of the result or larger by order/(order-1).
  if (log_ratio > kMaxExponent) return kInfinity;
  return std::expm1(z) - order * std::expm1(log_ratio);
}

double log_power_excess(double log_ratio, double order) {
  const double z = order * log_ratio;
  if (z == kInfinity) return kInfinity;
  if (z < kMaxProduct) {
    const double excess = power_excess(log_ratio, order);
    // Squares of ratios below 1e-150 underflow: there the excess is order (order-1)/2 ratio^2.
    if (excess > 1e-290) return std::log(excess);
    return std::log(0.5 * order * (order - 1.0)) + 2.0 * std::log(std::abs(log_ratio));
  }
  const double r = order - 1.0;
  if (order < kNearOne && r * log_ratio < kMaxExponent) {
    return log_ratio + std::log(expm1_minus_x(r * log_ratio) + r * (log_ratio - 1.0));
  }
  // e^z (1 - order e^(log_ratio - z) + (order - 1) e^-z)
  return z + std::log1p(-order * std::exp(log_ratio - z) + (order - 1.0) * std::exp(-z));
}

double log1pexp(double x) {
  return x > 40.0 ? x + std::exp(-x) : std::log1p(std::exp(x));
}

}  // namespace pate
